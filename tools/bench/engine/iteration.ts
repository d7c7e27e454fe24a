/** One iteration of a measure, and a way to step through a phase of the engine that loops by itself. */
import type { Sample } from '../rows.js';

/** Does the work once and says how long it took. */
export type Iteration = () => Promise<Sample>;

/**
 * Holds a phase between two of its steps: the phase waits in `yieldToEventLoop` until the next step is asked for. So what is
 * measured is the phase's own loop, as the product runs it.
 */
export class Stepper {
  private go: (() => void) | null = null;
  private arrived: { readonly resolve: () => void; readonly reject: (error: unknown) => void } | null = null;

  /** @param start begins the phase; its `yieldToEventLoop` must be `stepper.yieldToEventLoop` */
  async begin(start: () => Promise<unknown>): Promise<void> {
    await this.next(() => {
      start().then(
        () => this.arrived?.reject(new Error('the phase ended by itself')),
        (error: unknown) => this.arrived?.reject(error),
      );
    });
  }

  /** Runs one step, from one breath to the next. */
  async step(): Promise<void> {
    const { go } = this;
    if (!go) throw new Error('the phase has not begun');
    await this.next(go);
  }

  readonly yieldToEventLoop = (): Promise<void> =>
    new Promise((resolve) => {
      this.go = resolve;
      this.arrived?.resolve();
    });

  private next(start: () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      this.arrived = { resolve, reject };
      start();
    });
  }
}
