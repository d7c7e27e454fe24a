/** Steps that each rank of a team takes by itself, and the step that ends them for all (outer-step.ts). */
import type { Session } from '../runtime/types.js';
import type { NamedArrays } from '../types.js';
import { createOuterStep, type OuterOptions } from './outer-step.js';

interface RoundsOptions extends OuterOptions {
  /** What is thrown, on every rank, when the weights of one are not finite. @param steps that were taken so far */
  notFinite(steps: number): Error;
}

/** @param saved the outer momentum among the arrays of a checkpoint, which are those of the end of a round */
export function createRounds(session: Session, options: RoundsOptions, saved: NamedArrays | undefined) {
  const outer = createOuterStep(session, options, saved);
  const { every } = options.team;
  let isOpen = false;
  let taken = 0;
  const close = async (): Promise<void> => {
    if (!isOpen) return;
    if (!(await outer.take())) throw options.notFinite(taken);
    isOpen = false;
  };
  return {
    /** Whether weights are this rank's own. */
    isOpen: () => isOpen,
    /** @param steps that were taken so far; rounds end at multiples, so that it does not matter where a run was resumed */
    async stepTaken(steps: number): Promise<void> {
      [isOpen, taken] = [true, steps];
      if (steps % every === 0) await close();
    },
    /** Before weights are evaluated. */
    close,
    /** What was done by itself is undone by the caller. */
    forget: () => {
      isOpen = false;
    },
    read: outer.read,
  };
}
