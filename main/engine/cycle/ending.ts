/** Decides whether another cycle follows (specification 5.5), for the running cycle and for readers of a project's files. Pure. */
import { learnsChoices } from '../../../shared/config/choices.js';
import type { ProjectConfig } from '../../../shared/config/index.js';
import { followsVoice } from '../../../shared/config/model.js';
import type { ProjectStop } from '../../../shared/judging.js';
import { hasVoiceGap, rewardMoved, type CycleReport, type EndReason } from '../../../shared/reports/report.js';
import { initialEarlyStopping, updateEarlyStopping } from '../train/early-stopping.js';

export type Ending =
  | { readonly verdict: 'another' }
  | { readonly verdict: 'end'; readonly because: EndReason }
  /** About so many more votes on the newest version against the previous one decide. */
  | { readonly verdict: 'wait'; readonly newest: string; readonly previous: string; readonly votes: number };

type EndingConfig = Pick<
  ProjectConfig,
  'stop_when' | 'max_cycles' | 'cycle_patience' | 'reward_kind' | 'learned_cycles'
>;

/**
 * @param reports of base training and of every finished cycle, in order
 * @param people evaluates the votes on two versions; called only if they decide
 */
export function endingAfter(
  reports: readonly CycleReport[],
  config: EndingConfig,
  people: (newest: string, previous: string) => ProjectStop,
): Ending {
  if (reports.length > config.max_cycles) return { verdict: 'end', because: 'max_cycles' };
  if (learnsChoices(config, reports.length)) return { verdict: 'another' };
  const [previous, newest] = reports.slice(-2);
  const latest = reports.at(-1);
  if (followsVoice(config.reward_kind) && latest?.voice) {
    if (!hasVoiceGap(latest.voice)) return { verdict: 'end', because: 'voice' };
    // Neither perplexity nor a reward model's reward is what such a cycle is after.
    if (config.stop_when === 'cycles' || config.stop_when === 'reward') return { verdict: 'another' };
  }
  if (!newest || !previous) return { verdict: 'another' };
  const another = (goesOn: boolean, because: EndReason): Ending =>
    goesOn ? { verdict: 'another' } : { verdict: 'end', because };
  switch (config.stop_when) {
    case 'cycles':
      return another(isPatient(reports, config), 'perplexity');
    case 'perplexity':
      return another(fell(newest, previous), 'perplexity');
    case 'reward':
      return another(newest.grpo !== null && rewardMoved(newest.grpo) === 'rose', 'reward');
    case 'people': {
      const votes = people(newest.name, previous.name);
      return votes.verdict === 'waiting'
        ? { verdict: 'wait', newest: newest.name, previous: previous.name, votes: votes.votes_left }
        : another(votes.verdict === 'better', 'people');
    }
  }
}

/** Perplexity has fallen within the last `cycle_patience` cycles. */
function isPatient(reports: readonly CycleReport[], { cycle_patience }: EndingConfig): boolean {
  const rule = { patience: cycle_patience, minDelta: 0, better: 'lower' } as const;
  let state = initialEarlyStopping;
  let stop = false;
  for (const { perplexity } of reports) ({ state, stop } = updateEarlyStopping(rule, state, perplexity ?? NaN));
  return !stop;
}

/** Perplexity fell by more than chance, or at all if that is unknown (an earlier version's report, a tiny text). */
function fell(newest: CycleReport, previous: CycleReport): boolean {
  const change = newest.loss_change?.previous;
  if (change) return change.interval === null ? change.mean < 0 : change.interval.high < 0;
  return (newest.perplexity ?? NaN) < (previous.perplexity ?? NaN);
}
