/** What is best done once a project has come to its end, by what came of it: one thing, so that nobody has to choose first. Pure. */
import type { Outcome } from '../../shared/reports/outcome.js';

/**
 * `train_on`: plain training gained more; `more`: another cycle is worth its time; `rate`: only reading can tell whether it is
 * better; `write`: there is nothing left to find out.
 */
export type NextStep = 'train_on' | 'more' | 'rate' | 'write';

/** @param plainIsBetter the control found so */
export function nextStep(
  { cycle, people, another: { worth } }: Pick<Outcome, 'cycle' | 'people' | 'another'>,
  plainIsBetter: boolean,
): NextStep {
  if (plainIsBetter) return 'train_on';
  if (worth === 'yes') return 'more';
  return cycle > 0 && people === null && worth === 'unclear' ? 'rate' : 'write';
}
