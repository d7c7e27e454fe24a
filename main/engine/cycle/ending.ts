/**
 * Whether there is another cycle (specification 5.5): asked before each, with the reports of those that are finished, and the
 * same rule for whoever looks at a project's files. Pure.
 */
import type { ProjectConfig } from '../../../shared/config/index.js';
import type { ProjectStop } from '../../../shared/judging.js';
import { rewardMoved, type CycleReport, type EndReason } from '../../../shared/reports/report.js';
import { initialEarlyStopping, updateEarlyStopping } from '../train/early-stopping.js';

export type Ending =
  | { readonly verdict: 'another' }
  | { readonly verdict: 'end'; readonly because: EndReason }
  /** People have to vote on the newest version against the one before it: about so many more votes. */
  | { readonly verdict: 'wait'; readonly newest: string; readonly previous: string; readonly votes: number };

type EndingConfig = Pick<ProjectConfig, 'stop_when' | 'max_cycles' | 'cycle_patience'>;

/**
 * @param reports of base training and of every finished cycle, in order
 * @param people what their votes on two versions come to; asked only where they decide
 */
export function endingAfter(
  reports: readonly CycleReport[],
  config: EndingConfig,
  people: (newest: string, previous: string) => ProjectStop,
): Ending {
  if (reports.length > config.max_cycles) return { verdict: 'end', because: 'max_cycles' };
  const [previous, newest] = reports.slice(-2);
  if (!newest || !previous) return { verdict: 'another' };
  switch (config.stop_when) {
    case 'cycles':
      return isPatient(reports, config) ? { verdict: 'another' } : { verdict: 'end', because: 'perplexity' };
    case 'perplexity':
      return fell(newest, previous) ? { verdict: 'another' } : { verdict: 'end', because: 'perplexity' };
    case 'reward':
      return newest.grpo && rewardMoved(newest.grpo) === 'rose'
        ? { verdict: 'another' }
        : { verdict: 'end', because: 'reward' };
    case 'people': {
      const said = people(newest.name, previous.name);
      if (said.verdict === 'better') return { verdict: 'another' };
      if (said.verdict === 'not_better') return { verdict: 'end', because: 'people' };
      return { verdict: 'wait', newest: newest.name, previous: previous.name, votes: said.votes_left };
    }
  }
}

/** Whether perplexity has fallen within as many cycles as the patience. */
function isPatient(reports: readonly CycleReport[], { cycle_patience }: EndingConfig): boolean {
  const rule = { patience: cycle_patience, minDelta: 0, better: 'lower' } as const;
  let state = initialEarlyStopping;
  let stop = false;
  for (const { perplexity } of reports) ({ state, stop } = updateEarlyStopping(rule, state, perplexity ?? NaN));
  return !stop;
}

/** By more than chance; where chance is not known (a report of an earlier version, a tiny text), at all. */
function fell(newest: CycleReport, previous: CycleReport): boolean {
  const change = newest.loss_change?.previous;
  if (change) return change.interval === null ? change.mean < 0 : change.interval.high < 0;
  return (newest.perplexity ?? NaN) < (previous.perplexity ?? NaN);
}
