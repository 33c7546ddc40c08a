/** How far a panel is enlarged so that it fills the room of a figure whose height is fixed. */

import type { Attachment } from "svelte/attachments";

const [SMALLEST, LARGEST] = [0.5, 3];
const ROUNDS = 6; // a panel lays itself out anew at each size, so that the size is found step by step
const ENOUGH = 1.02;

export class Fit {
  zoom = $state(1);
  private around: HTMLElement | null = null;
  private inside: HTMLElement | null = null;
  private rounds = 0;
  private size = "";

  constructor(private readonly height: number | null) {}

  readonly room: Attachment<HTMLElement> = (element) => {
    this.around = element;
    return this.watch(element);
  };

  readonly content: Attachment<HTMLElement> = (element) => {
    this.inside = element;
    return this.watch(element);
  };

  private watch(element: HTMLElement): (() => void) | undefined {
    if (this.height === null) return undefined;
    const observer = new ResizeObserver(() => requestAnimationFrame(() => this.again()));
    observer.observe(element);
    return () => observer.disconnect();
  }

  /** Enlarge or shrink the panel once. It is seen again when it has laid itself out. */
  private again(): void {
    if (this.around === null || this.inside === null) return;
    const { width, height } = this.around.getBoundingClientRect();
    const there = this.inside.getBoundingClientRect();
    if (there.height === 0 || height === 0) return;
    const size = `${width} ${height}`;
    if (size !== this.size) [this.size, this.rounds] = [size, 0];
    const next = Math.max(SMALLEST, Math.min(LARGEST, (this.zoom * height) / there.height));
    const tooLarge = there.height > height + 1;
    if (!tooLarge && (next < this.zoom * ENOUGH || this.rounds >= ROUNDS)) return;
    if (tooLarge && next > this.zoom / 1.001) return;
    this.rounds += 1;
    this.zoom = this.rounds > ROUNDS ? Math.min(next, this.zoom) : next;
    // Firefox reports no new size where only the zoom is another
    if (this.rounds < 3 * ROUNDS) setTimeout(() => requestAnimationFrame(() => this.again()), 30);
  }
}
