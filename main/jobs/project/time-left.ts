/**
 * How long the whole project still takes, told with the progress of each phase: the rest of the phase that runs, and
 * those to come as long as the same phase took before, or, where there was none yet, as long as the arithmetic says at
 * the speed of what was measured. Should nothing end early: that is not known in advance.
 */
import type { ProjectConfig } from '../../../shared/config/index.js';
import type { JobEvent, PhaseName } from '../../../shared/events.js';
import { cyclePhases, phaseTokens, type CostedPhase, type PhaseTokens } from '../../engine/cycle/phase-costs.js';

/** Writing one token after the other reaches half of what training reaches of a matrix product (main/engine/cycle/preview.ts). */
const WRITING_COSTS = 2;
/** A phase whose first progress is beyond this share of it was begun in an earlier run: its time says little. */
const BEGUN_BEFORE = 0.1;

interface TimeLeftOptions {
  readonly config: ProjectConfig;
  /** Of reward data, both splits. */
  readonly samples: number;
  /** How many cycles there are to be; may grow while it runs. */
  maxCycles(): number;
  /** Milliseconds of work. */
  now(): number;
}

/** Gives every event back, progress with `project_seconds_left`. */
export function createTimeLeft({ config, samples, maxCycles, now }: TimeLeftOptions): (event: JobEvent) => JobEvent {
  const tokens = phaseTokens(config, samples);
  /** Seconds that each phase takes, as last seen. */
  const taken = new Map<CostedPhase, number>();
  let current: { readonly phase: CostedPhase; readonly cycle: number; readonly at: number; whole?: boolean } | null =
    null;
  let last: number | null = null;

  const expected = (phase: CostedPhase): number | null => {
    const seen = [...taken].filter(([each]) => costOf(tokens[each]) > 0);
    const cost = sum(seen.map(([each]) => costOf(tokens[each])));
    const pace = cost === 0 ? null : sum(seen.map(([, seconds]) => seconds)) / cost;
    return taken.get(phase) ?? (pace === null ? null : pace * costOf(tokens[phase]));
  };
  const afterwards = (phase: CostedPhase, cycle: number): number | null => {
    const inCycle = phase === 'base_training' ? [] : cyclePhases.slice(cyclePhases.indexOf(phase) + 1);
    const cycles = Array.from({ length: Math.max(0, maxCycles() - cycle) }, () => cyclePhases).flat();
    const seconds = [...inCycle, ...cycles].map(expected);
    return seconds.some((each) => each === null) ? null : sum(seconds.map(Number));
  };
  const left = (progress: Extract<JobEvent, { event: 'progress' }>): number | null => {
    // What lies within a phase (evaluations) or between two has no share of its own.
    if (current?.phase !== progress.phase) return last;
    const { phase, cycle } = current;
    const { done, total, rate } = progress;
    current.whole ??= done <= BEGUN_BEFORE * total;
    if (rate !== null && rate > 0) taken.set(phase, total / rate);
    const all = expected(phase);
    const rest = afterwards(phase, cycle);
    return all === null || rest === null || total === 0 ? null : all * (1 - done / total) + rest;
  };

  return (event) => {
    if (event.event === 'progress') {
      last = left(event);
      return { ...event, project_seconds_left: last };
    }
    if (event.event === 'phase' && isCosted(event.phase)) {
      const { phase, state, cycle = 0 } = event;
      if (state === 'finished' && current?.whole) taken.set(phase, (now() - current.at) / 1000);
      current = state === 'started' ? { phase, cycle, at: now() } : null;
    }
    return event;
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

const costOf = ({ trained, read, written }: PhaseTokens): number => 3 * trained + read + WRITING_COSTS * written;

const isCosted = (phase: PhaseName): phase is CostedPhase =>
  phase === 'base_training' || (cyclePhases as readonly PhaseName[]).includes(phase);
