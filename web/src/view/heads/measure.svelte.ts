/** The width of a panel and of its type: pictures inside it grow with the type, as on a projector. */

export class Measure {
  /** Pixels inside the panel. */
  width = $state(382);
  /** Pixels of ten times the type's size. */
  ten = $state(150);
  /** The size of the type, as a multiple of the smallest that is read at a desk. */
  readonly scale: number = $derived(Math.max(1, this.ten / 160));
}
