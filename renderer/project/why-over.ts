/** Why base training is over, as it is told: who took every step did not stop early, though reports of earlier versions say so where patience ran out at the last one. */
import type { TrainResult } from '../../shared/reports/report.js';

/** @param asked the steps that were set; where minutes were, those that fit are counted */
export function whyOver(
  { stopped_because: reason, iterations, planned_steps }: TrainResult,
  asked: unknown,
): TrainResult['stopped_because'] {
  const all = planned_steps ?? (typeof asked === 'number' ? asked : Infinity);
  return reason === 'patience' && iterations !== null && iterations >= all ? 'max_iters' : reason;
}
