/**
 * What a person may change while a project runs: some settings, how long a phase lasts, that it ends now. A change
 * takes effect at a step boundary, and is kept with its place: a run that resumes from a checkpoint before that place
 * makes it again at the same step, so that its bytes are those of a run that was never interrupted. Pure.
 */
import { localized } from '../../shared/messages/message.js';
import type { LiveSettings } from '../../shared/contract/runs.js';
import { UserError } from '../../shared/errors.js';
import { phaseNames, stepLimits, type PhaseName } from '../../shared/phases/index.js';

/** Settings that may change while a phase runs; they hold from their place on, in later phases and cycles too. */
type LiveConfig = Readonly<Required<LiveSettings>>;

/** Before step `step` (counted from 0) of a phase of a cycle. */
export interface Place {
  readonly cycle: number;
  readonly phase: PhaseName;
  readonly step: number;
}

export interface Change {
  readonly settings: Partial<LiveConfig>;
  /** Steps added to the phase it is made in. */
  readonly iterations: number;
  /** Ends the phase it is made in. */
  readonly skip: boolean;
}

export interface PlacedChange extends Change {
  readonly place: Place;
}

/** Asked by a phase before each of its steps: what holds for that one. */
export interface PhaseControl {
  at(step: number): Change;
}

export interface RunControl {
  within(phase: PhaseName, cycle: number): PhaseControl;
  /** How many cycles there are to be: may be more than were configured when the run began. */
  maxCycles(configured: number): number;
}

const asConfigured: Change = { settings: {}, iterations: 0, skip: false };

/** The settings of a phase as they are for one step, and whether it is to end before it. */
export function applyLiveSettings<C extends object>(
  env: { readonly control?: PhaseControl },
  configured: C,
  step: number,
) {
  const { settings, iterations, skip } = env.control?.at(step) ?? asConfigured;
  const longer = stepLimits.flatMap((key) => {
    const limit: unknown = (configured as Readonly<Record<string, unknown>>)[key];
    return typeof limit === 'number' && iterations > 0 ? [[key, limit + iterations] as const] : [];
  });
  const live = Object.entries(settings).filter(([key]) => key in configured);
  const nothing = longer.length === 0 && live.length === 0;
  const config: C = nothing
    ? configured
    : { ...configured, ...Object.fromEntries(live), ...Object.fromEntries(longer) };
  return { config, skip };
}

function compare(a: Place, b: Place): number {
  const order = (place: Place) => phaseNames.indexOf(place.phase);
  return a.cycle - b.cycle || order(a) - order(b) || a.step - b.step;
}

const samePhase = (a: Place, b: Place) => a.cycle === b.cycle && a.phase === b.phase;

/** What the changes made so far come to at a place; of two that set the same, the later place counts. */
export function directionsAt(changes: readonly PlacedChange[], here: Place): Change {
  const before = changes.filter(({ place }) => compare(place, here) <= 0);
  if (before.length === 0) return asConfigured;
  // Sorting keeps the order of those made at the same place.
  const inOrder = [...before].sort((a, b) => compare(a.place, b.place));
  const ofPhase = inOrder.filter(({ place }) => samePhase(place, here));
  return {
    settings: Object.assign({}, ...inOrder.map(({ settings }) => settings)) as Partial<LiveConfig>,
    iterations: ofPhase.reduce((sum, { iterations }) => sum + iterations, 0),
    skip: ofPhase.some(({ skip }) => skip),
  };
}

/** Ends the run where everything is saved, so that nothing is lost by stopping here. */
export function stopHereIf(asked: boolean): void {
  if (!asked) return;
  throw new UserError({
    code: 'stopped',
    message: localized('engine.stopped_between_two_phases_everything'),
    hint: localized('engine.run_same_command_again_resume'),
  });
}
