/**
 * Estimates the remaining time of a project: steps left × recent pace + phases to come × their measured cost. A phase that
 * has not run yet costs what the cost model counts, at the pace of the phase that runs. Early stopping is not predicted.
 */
import type { JobEvent, PhaseName } from '../../../shared/phases/events.js';
import { reportSamples, workOf } from '../../../shared/phases/estimate.js';
import { wholeOf, type Plan } from '../../../shared/costs/phases.js';
import { guessedSpeed, SECONDS_PER_OPERATION, secondsOf, type Work } from '../../../shared/costs/work.js';
import { phaseNames } from '../../../shared/phases/index.js';

/** At this speed, a unit of work is a second. */
const UNIT = { ...guessedSpeed(1), compiling: 0 };
const unitsOf = (work: Work): number => secondsOf(work, UNIT) ?? 0;

/**
 * Returns a function that adds `project_seconds_left` to progress events.
 * @param maxCycles may grow during the run
 * @param now milliseconds of work
 */
export function createTimeLeft(
  planned: Plan,
  maxCycles: () => number,
  now: () => number,
): (event: JobEvent) => JobEvent {
  let plan = planned;
  /** Seconds of each phase in the newest cycle that ran it. */
  const measured = new Map<PhaseName, { readonly cycle: number; readonly seconds: number }>();
  let secondsPerUnit: number | null = null;
  /** `isWhole` if it began in this run instead of at a checkpoint. */
  let current: { phase: PhaseName; cycle: number; at: number; isWhole?: boolean } | null = null;
  /** The moment of the last estimate's end. */
  let ends: number | null = null;

  const cost = (work: Work): number => {
    const units = unitsOf(work);
    return units === 0 ? 0 : units * (secondsPerUnit ?? NaN) + work.compiled * SECONDS_PER_OPERATION;
  };
  const costOf = (phase: PhaseName, cycle: number): number => {
    const work = wholeOf(workOf(plan, phase, cycle));
    return unitsOf(work) === 0 ? 0 : (measured.get(phase)?.seconds ?? cost(work));
  };
  const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);
  const costOfCycle = (cycle: number, from = 0): number =>
    sum(phaseNames.slice(from).map((phase) => costOf(phase, cycle))) + cost(reportSamples(plan));

  const left = ({ phase, done, total, seconds_left }: Extract<JobEvent, { event: 'progress' }>): number | null => {
    // An evaluation within a phase is part of that phase's estimate.
    if (current?.phase !== phase || total === 0) return ends && Math.max(0, (ends - now()) / 1000);
    current.isWhole ??= done <= 0.1 * total;
    const { cycle, at } = current;
    // `train_minutes` is resolved to steps when base training begins.
    if (phase === 'base_training' && total !== plan.config.max_iters)
      plan = { ...plan, config: { ...plan.config, max_iters: total } };
    const { steps, after } = workOf(plan, phase, cycle);
    const remaining = unitsOf(steps) * (1 - done / total);
    if (seconds_left !== null && remaining > 0) secondsPerUnit = seconds_left / remaining;
    const elapsed = (now() - at) / 1000;
    const own = remaining > 0 || done === total ? cost(steps) * (1 - done / total) : costOf(phase, cycle) - elapsed;
    const cycles = Array.from({ length: Math.max(0, maxCycles() - cycle) }, (_, next) => costOfCycle(cycle + 1 + next));
    const all = Math.max(0, own) + cost(after) + costOfCycle(cycle, phaseNames.indexOf(phase) + 1) + sum(cycles);
    return Number.isFinite(all) ? all : null;
  };

  return (event) => {
    if (event.event === 'progress') {
      const seconds = left(event);
      ends = seconds === null ? null : now() + 1000 * seconds;
      return { ...event, project_seconds_left: seconds };
    }
    if (event.event === 'phase') {
      const { phase, state, cycle = 0 } = event;
      if (state === 'finished' && current?.isWhole) {
        const earlier = measured.get(phase);
        // A phase may run several times in a cycle.
        const again = earlier?.cycle === cycle ? earlier.seconds : 0;
        measured.set(phase, { cycle, seconds: again + (now() - current.at) / 1000 });
      }
      current = state === 'started' ? { phase, cycle, at: now() } : null;
    }
    return event;
  };
}
