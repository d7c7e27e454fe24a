/**
 * How long the whole project still takes, told with the progress of each phase: the rest of the phase that runs, and those
 * to come as long as the same phase took before, or, where there was none yet, as long as the cost model says
 * (shared/costs) at the pace of what was measured. Compiling has a pace of its own, and so has loading what was compiled before on
 * this machine; both are learned from what came before the first step of each phase. It is done once, so later cycles go without.
 * Should nothing end early: that is not known in advance.
 */
import type { JobEvent, PhaseName } from '../../../shared/events.js';
import type { CompiledPhases } from '../machine/compiled-phases.js';
import { workOf } from '../../../shared/costs/estimate.js';
import { wholeOf, type PhaseWork, type Plan } from '../../../shared/costs/phases.js';
import {
  guessedSpeed,
  SECONDS_PER_OPERATION,
  secondsOf,
  withoutCompiling,
  type Work,
} from '../../../shared/costs/work.js';
import { phaseNames } from '../../../shared/phases/index.js';

/** A phase whose first progress is beyond this share of it was begun in an earlier run: its time says little. */
const BEGUN_BEFORE = 0.1;
/** At this speed seconds are only in proportion to each other; the pace makes them this machine's. */
const UNIT = { ...guessedSpeed(1), compiling: 0 };

interface TimeLeftOptions {
  readonly plan: Plan;
  /** How many cycles there are to be; may grow while it runs. */
  maxCycles(): number;
  /** Milliseconds of work. */
  now(): number;
  /** Seconds to compile an operation of a graph, until that was seen here. */
  readonly compiling?: number;
  /** For which phases the graphs were compiled before; left out: for none. */
  readonly compiled?: CompiledPhases;
}

interface Current {
  readonly phase: PhaseName;
  readonly cycle: number;
  readonly at: number;
  /** Whether it began in this run. */
  whole?: boolean;
  /** Whether it told how long its steps take. */
  isSeen?: boolean;
  /** The first progress that it told, and when. */
  first?: { readonly at: number; readonly done: number };
  /** Seconds that it compiled, beyond what it takes to load again what was. */
  compiled?: number;
}

interface Taken {
  readonly cycle: number;
  readonly seconds: number;
  /** Of these, what a later cycle need not do again. */
  readonly compiled: number;
}

/** Gives every event back, progress with `project_seconds_left`. */
export function createTimeLeft(options: TimeLeftOptions): (event: JobEvent) => JobEvent {
  const { plan, maxCycles, now } = options;
  const taken = createTaken();
  const { seen, pace } = createPace();
  const { work, follow } = createCounts(plan);
  const compile = createCompilePace(options);
  let current: Current | null = null;
  /** When the whole is over, as was told last. */
  let ends: number | null = null;

  const expected = (todo: Work, phase: PhaseName): number | null => {
    const units = unitsOf(todo);
    const rate = units === 0 ? 0 : pace();
    return rate === null ? null : units * rate + compile.seconds(todo, phase);
  };
  const expectedOf = (phase: PhaseName, cycle: number): number | null => {
    const whole = wholeOf(work(phase, cycle));
    // A later cycle loads what the first has compiled.
    const loads = cycle > 1 ? compile.loads(wholeOf(work(phase, 1)), whole) : 0;
    return unitsOf(whole) === 0 ? 0 : (taken.seconds(phase, cycle, whole) ?? total([expected(whole, phase), loads]));
  };
  const afterwards = ({ phase, cycle }: Current): number | null => {
    const inCycle = phaseNames.slice(phaseNames.indexOf(phase) + 1).map((name) => expectedOf(name, cycle));
    const cycles = Array.from({ length: Math.max(0, maxCycles() - cycle) }, (_, next) =>
      phaseNames.map((name) => expectedOf(name, cycle + 1 + next)),
    );
    return total([...inCycle, ...cycles.flat()]);
  };
  /** Of the phase that runs. */
  const rest = ({ phase, cycle, at }: Current, progress: Extract<JobEvent, { event: 'progress' }>): number | null => {
    const { steps: within, after } = work(phase, cycle);
    const share = 1 - progress.done / progress.total;
    // Where several things are done one after the other, progress is each one's own: the clock says more.
    if (unitsOf(within) === 0) {
      const whole = expectedOf(phase, cycle);
      return whole === null ? null : Math.max(0, whole - (now() - at) / 1000);
    }
    const known = seen.get(phase)?.seconds ?? expected(within, phase);
    const steps = progress.seconds_left ?? (known === null ? null : known * share);
    return total([steps, expected(after, phase)]);
  };
  /** What came before the first step, less what was computed meanwhile, was compiling. @returns seconds that are not again */
  const learnCompiling = ({ phase, cycle, at }: Current): number => {
    const { before } = work(phase, cycle);
    return compile.saw(before, (now() - at) / 1000 - (expected(withoutCompiling(before), phase) ?? NaN), phase);
  };
  const left = (progress: Extract<JobEvent, { event: 'progress' }>): number | null => {
    // An evaluation within a phase, or between two, has no share of its own: it is part of what was told last.
    if (current?.phase !== progress.phase || progress.total === 0) return ends && secondsUntil(ends, now());
    const [{ phase, cycle }, { done, total: all }] = [current, progress];
    const begins = done <= BEGUN_BEFORE * all;
    current.whole ??= begins;
    if (begins && done > 0) current.compiled ??= learnCompiling(current);
    const units = unitsOf(work(phase, cycle).steps);
    current.first ??= { at: now(), done };
    const seconds = wholeSeconds(progress, current.first, now());
    // At its end nothing is left to tell by; the steps alone do where nothing was told before.
    if (seconds !== null && units > 0 && (done < all || !current.isSeen)) {
      seen.set(phase, { seconds, units });
      current.isSeen = true;
    }
    return total([rest(current, progress), afterwards(current)]);
  };

  return (event) => {
    if (event.event === 'progress') {
      follow(event);
      const seconds = left(event);
      ends = seconds === null ? null : now() + 1000 * seconds;
      return { ...event, project_seconds_left: seconds };
    }
    if (event.event === 'phase') {
      const { phase, state, cycle = 0 } = event;
      if (state === 'finished' && current?.whole)
        taken.add(phase, { cycle, seconds: (now() - current.at) / 1000, compiled: current.compiled ?? 0 });
      current = state === 'started' ? { phase, cycle, at: now() } : null;
    }
    return event;
  };
}

/** What each phase took, as last seen whole. */
function createTaken() {
  const taken = new Map<PhaseName, Taken>();
  return {
    /** What it will take in a cycle by what it took; undefined where it never ran whole. */
    seconds(phase: PhaseName, cycle: number, { compiled }: Work): number | undefined {
      const before = taken.get(phase);
      return before && before.seconds - (before.cycle < cycle && compiled === 0 ? before.compiled : 0);
    },
    /** A phase may run several times in a cycle: reward models that are compared, a critic that is strengthened. */
    add(phase: PhaseName, { cycle, seconds, compiled }: Taken): void {
      const before = taken.get(phase);
      const again = before?.cycle === cycle ? before : { seconds: 0, compiled: 0 };
      taken.set(phase, { cycle, seconds: seconds + again.seconds, compiled: compiled + again.compiled });
    },
  };
}

function createPace() {
  /** Seconds that the steps of each phase take, as last seen, and what they come to at unit speed. */
  const seen = new Map<PhaseName, { readonly seconds: number; readonly units: number }>();
  return {
    seen,
    /** Seconds for a unit of work; null where nothing was seen. */
    pace(): number | null {
      const all = [...seen.values()].filter(({ units }) => units > 0);
      const units = sum(all.map((each) => each.units));
      return units === 0 ? null : sum(all.map(({ seconds }) => seconds)) / units;
    },
  };
}

/** Of compiling, loading takes so much. */
const LOADING = 0.15;

/** How long compiling takes here, and loading what was compiled before: as seen, or as seen of the other, at first as said. */
function createCompilePace({ compiling: first = SECONDS_PER_OPERATION, compiled: kept }: TimeLeftOptions) {
  const seen = { compiling: { operations: 0, seconds: 0 }, loading: { operations: 0, seconds: 0 } };
  /** As it was before this run began. */
  const known = new Set(phaseNames.filter((phase) => kept?.has(phase)));
  const last = { compiling: kept?.pace('compiling') ?? null, loading: kept?.pace('loading') ?? null };
  const pace = (of: keyof typeof seen) =>
    seen[of].operations === 0 ? last[of] : seen[of].seconds / seen[of].operations;
  const compiling = () => pace('compiling') ?? Math.max(first, pace('loading') ?? 0);
  const loading = () => pace('loading') ?? LOADING * compiling();
  return {
    loads: (once: Work, again: Work) => loading() * Math.max(0, once.compiled - again.compiled),
    seconds: ({ compiled }: Work, phase: PhaseName): number => compiled * (known.has(phase) ? loading() : compiling()),
    /** @returns of the seconds that it took, those that a later cycle does not take again */
    saw({ compiled }: Work, seconds: number, phase: PhaseName): number {
      if (compiled === 0 || !(seconds >= 0)) return 0;
      // With other settings a phase may have the same graphs: it is seen by how fast it was.
      const isFast = seconds < compiled * Math.sqrt(loading() * compiling());
      const of = known.has(phase) || isFast ? 'loading' : 'compiling';
      seen[of].operations += compiled;
      seen[of].seconds += seconds;
      kept?.add(phase);
      kept?.keepPace(of, seen[of].seconds / seen[of].operations);
      return Math.max(0, seconds - loading() * compiled);
    },
  };
}

/** What each phase computes, by the plan, which learns what minutes have come to. */
function createCounts(asked: Plan) {
  const counted = new Map<string, PhaseWork>();
  let plan = asked;
  return {
    /** Counted once: from the second on all cycles are alike. */
    work(phase: PhaseName, cycle: number): PhaseWork {
      const key = `${phase} ${Math.min(cycle, 2)}`;
      const found = counted.get(key) ?? workOf(plan, phase, cycle);
      counted.set(key, found);
      return found;
    },
    follow(progress: Extract<JobEvent, { event: 'progress' }>): void {
      const known = withSteps(plan, progress);
      if (known !== plan) counted.clear();
      plan = known;
    },
  };
}

/** The plan with the steps that minutes have come to, once base training tells them. */
function withSteps(plan: Plan, { phase, total }: Extract<JobEvent, { event: 'progress' }>): Plan {
  const { train_minutes: minutes, max_iters } = plan.config;
  if (phase !== 'base_training' || minutes === null || total === max_iters) return plan;
  return { ...plan, config: { ...plan.config, max_iters: total } };
}

/**
 * Seconds for all steps, with what comes between them: the nearer the end, the more by what they took so far, as the pace of late may
 * be that of an evaluation.
 */
function wholeSeconds(
  { done, total: all, rate, seconds_left: left }: Extract<JobEvent, { event: 'progress' }>,
  first: { readonly at: number; readonly done: number },
  now: number,
): number | null {
  const ofLate = done < all ? (left === null ? null : (left * all) / (all - done)) : rate ? all / rate : null;
  const taken = done > first.done ? ((now - first.at) / 1000) * (all / (done - first.done)) : null;
  if (ofLate === null || taken === null) return ofLate;
  const share = done / all;
  return share * taken + (1 - share) * ofLate;
}

const secondsUntil = (moment: number, now: number): number => Math.max(0, (moment - now) / 1000);

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);

/** Null where something is not known. */
const total = (seconds: readonly (number | null)[]): number | null =>
  seconds.some((each) => each === null) ? null : sum(seconds.map(Number));

const unitsOf = (work: Work): number => secondsOf(work, UNIT) ?? 0;
