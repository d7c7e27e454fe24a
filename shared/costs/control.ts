/** How long a cycle's control trains on: a share of the cycle's work, in steps of base training. */
import { baseTraining, cycleWork, type Plan } from './phases.js';
import { flopsOf } from './work.js';

/** At least 1. */
export function controlSteps(plan: Plan, cycle: number): number {
  const { eval_interval: steps, control_share: share } = plan.config;
  // With its share of the evaluations.
  const perStep = flopsOf(baseTraining({ ...plan, config: { ...plan.config, max_iters: steps } }).steps) / steps;
  return Math.max(1, Math.round((share * flopsOf(cycleWork(plan, cycle))) / perStep));
}
