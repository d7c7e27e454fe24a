/**
 * Changes to a running project: some settings, more steps, the end of a phase. A change takes effect between two steps and is
 * stored with its place, so that a run that resumes before that place repeats it and gives the bytes of an uninterrupted one. Pure.
 */
import { localized, type Message } from '../../shared/messages/message.js';
import type { LiveSettings } from '../../shared/contract/runs.js';
import { UserError } from '../../shared/errors.js';
import { phaseNames, stepLimits, type PhaseName } from '../../shared/phases/index.js';

/** Settings that may change while a phase runs; they hold from then on, in later phases and cycles too. */
type LiveConfig = Readonly<Required<LiveSettings>>;

/** Before step `step`, from 0, of a phase of a cycle. */
export interface Place {
  readonly cycle: number;
  readonly phase: PhaseName;
  readonly step: number;
}

export interface Change {
  readonly settings: Partial<LiveConfig>;
  readonly iterations: number;
  readonly skip: boolean;
}

export interface PlacedChange extends Change {
  readonly place: Place;
}

/** Steps that a phase was extended by, before step `step`; fewer than none if its time was too short for them. */
export type Extension = {
  readonly step: number;
  readonly iterations: number;
};

/** Part of the settings of a phase that was extended. */
export interface Extended {
  readonly extensions?: readonly Extension[];
}

/** What holds for a step. */
export type Directions = Omit<Change, 'iterations'> & { readonly extensions: readonly Extension[] };

export interface PhaseControl {
  /** Returns the changes that hold for a step. */
  at(step: number): Directions;
}

export interface RunControl {
  within(phase: PhaseName, cycle: number): PhaseControl;
  /** Returns the number of cycles, which may have been raised since the run began. */
  maxCycles(configured: number): number;
}

const asConfigured: Directions = { settings: {}, extensions: [], skip: false };

/**
 * Returns the settings of a phase for one step, and whether the phase ends before it. The settings of an extended phase hold the
 * extensions too, for its learning rate: the user's after its own.
 */
export function applyLiveSettings<C extends object & Extended>(
  env: { readonly control?: PhaseControl },
  configured: C,
  step: number,
) {
  const { settings, extensions, skip } = env.control?.at(step) ?? asConfigured;
  const iterations = extensions.reduce((sum, { iterations: more }) => sum + more, 0);
  const longer = stepLimits.flatMap((key) => {
    const limit: unknown = (configured as Readonly<Record<string, unknown>>)[key];
    return typeof limit === 'number' && iterations > 0 ? [[key, limit + iterations] as const] : [];
  });
  const live = Object.entries(settings).filter(([key]) => key in configured);
  const all = [...(configured.extensions ?? []), ...extensions].sort((a, b) => a.step - b.step);
  const changed = [...live, ...longer, ...(iterations > 0 ? [['extensions', all] as const] : [])];
  const config: C = changed.length === 0 ? configured : { ...configured, ...Object.fromEntries(changed) };
  return { config, skip, extensions };
}

function compare(a: Place, b: Place): number {
  const order = (place: Place) => phaseNames.indexOf(place.phase);
  return a.cycle - b.cycle || order(a) - order(b) || a.step - b.step;
}

const samePhase = (a: Place, b: Place) => a.cycle === b.cycle && a.phase === b.phase;

/** Combines the changes up to a place; of two that set the same, the later place counts. More steps lift an earlier end. */
export function directionsAt(changes: readonly PlacedChange[], here: Place): Directions {
  // Sorting keeps the order of changes at the same place.
  const inOrder = changes.filter(({ place }) => compare(place, here) <= 0).sort((a, b) => compare(a.place, b.place));
  const ofPhase = inOrder.filter(({ place }) => samePhase(place, here));
  return {
    settings: Object.assign({}, ...inOrder.map(({ settings }) => settings)) as Partial<LiveConfig>,
    extensions: ofPhase.flatMap(({ place, iterations }) => (iterations > 0 ? [{ step: place.step, iterations }] : [])),
    skip:
      ofPhase.findLastIndex(({ skip }) => skip) > ofPhase.findLastIndex(({ iterations }) => iterations > 0) &&
      ofPhase.some(({ skip }) => skip),
  };
}

/** Creates the error of a run that stops at the user’s request. @param hint by default: it resumes from here */
export const stopError = (message: Message, hint = localized('engine.run_same_command_again_resume')): UserError =>
  new UserError({ code: 'stopped', message, hint });

/** Ends the run between two phases, with everything saved. */
export function stopHereIf(requested: boolean): void {
  if (requested) throw stopError(localized('engine.stopped_between_two_phases_everything'));
}
