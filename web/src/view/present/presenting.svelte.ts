/** Presenter mode: whether it is on, which panels it shows, whether the screen is blank, and how fast it plays. */

/** The panels of presenter mode, in the order of their number keys. */
export const PANELS = ["stream", "heads", "neuron", "answer", "weights", "norm", "circuit"] as const;
export type Panel = (typeof PANELS)[number];

/** What presenter mode shows unless somebody chose otherwise. */
export const USUAL: readonly Panel[] = ["stream", "answer"];
const MOST_PANELS = 3; // side by side
const [WIDTH, HEIGHT] = [1920, 1080]; // of the screen for which sizes are written down
const ENLARGED = 22 / 13; // the smallest type there, and at the desk
const SPEEDS: readonly number[] = [0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4];

export class Presenting {
  on = $state(false);
  /** From left to right. */
  panels: readonly Panel[] = $state.raw(USUAL);
  /** Whether the screen is black, so that the audience looks at the lecturer. */
  blank = $state(false);
  /** How many times as fast as usual the page plays. */
  speed = $state(1);
  /** The unit of all sizes: a pixel of a screen of 1920 × 1080. */
  unit = $state(1);

  /** How many times the panels are enlarged. */
  get enlarged(): number {
    return this.unit * ENLARGED;
  }

  /** Choose the unit for a screen. On a small one the smallest type stays as large as at the desk. */
  fit(width: number, height: number): void {
    this.unit = Math.max(1 / ENLARGED, Math.min(width / WIDTH, height / HEIGHT));
  }

  toggle(): void {
    if (this.on) this.leave();
    else this.on = true;
  }

  leave(): void {
    this.on = false;
    this.blank = false;
  }

  /** Show a panel alone; with `beside`, add it to those that are shown, or take it away again. */
  choose(panel: Panel, beside: boolean): void {
    if (!beside) this.panels = [panel];
    else if (!this.panels.includes(panel)) this.panels = [...this.panels, panel].slice(-MOST_PANELS);
    else if (this.panels.length > 1) this.panels = this.panels.filter((other) => other !== panel);
  }

  /** Play faster (1) or slower (−1). */
  change(by: 1 | -1): void {
    const place = SPEEDS.indexOf(this.speed);
    this.speed = SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, place + by))];
  }

  /** What the address keeps: the panels, unless they are the usual ones. */
  get written(): Presented {
    const usual = this.panels.join() === USUAL.join();
    return { present: this.on, panels: usual ? null : this.panels };
  }

  /** The same in a step of a story, which names its panels: the address keeps those that somebody chose instead. */
  writtenIn(named: readonly string[]): Presented {
    const own = panelsNamed(named.join());
    return own !== null && own.join() === this.panels.join() ? { ...this.written, panels: null } : this.written;
  }

  /** Take what an address says. */
  take(said: Partial<Presented>): void {
    this.on = said.present ?? false;
    this.blank = false;
    this.panels = said.panels ?? USUAL;
  }
}

/** What an address says about presenter mode. */
export interface Presented {
  readonly present: boolean;
  readonly panels: readonly Panel[] | null; // null: the usual ones
}

/** Return the panels of an address such as "stream,answer"; null where it names none. Unknown names are left out. */
export function panelsNamed(text: string | null): readonly Panel[] | null {
  const named = (text ?? "").split(",");
  const known = PANELS.filter((panel) => named.includes(panel));
  known.sort((one, other) => named.indexOf(one) - named.indexOf(other));
  return known.length === 0 ? null : known.slice(0, MOST_PANELS);
}
