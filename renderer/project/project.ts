/** What follows from a project's state and results: labels, search, the next step. Pure. */
import { nameOf } from '../../shared/config/input-names.js';
import { isSetting } from '../../shared/config/setting-texts.js';
import type { ProjectDetails, ProjectSummary } from '../../shared/contract/projects.js';
import type { GivenSettings } from '../../shared/contract/values.js';
import type { Fault, FaultCode } from '../../shared/errors.js';
import type { Outcome } from '../../shared/reports/outcome.js';
import type { TrainResult } from '../../shared/reports/report.js';
import { effectiveSettings } from '../wizard/problems.js';

type State = ProjectSummary['state'];

const among =
  (...states: readonly State[]) =>
  (state: State | undefined): boolean =>
    state !== undefined && states.includes(state);

/** The run accepts commands. */
export const isTraining = among('running', 'paused');
export const canStart = among('new', 'stopped', 'failed');
export const isUnreadable = among('missing', 'damaged', 'newer');

/** Reports whether a stopping rule ended the project before its last cycle. */
export const hasEndedEarly = ({ state, ended }: Pick<ProjectSummary, 'state' | 'ended'>): boolean =>
  state === 'finished' && ended !== null && ended !== 'max_cycles';

type PhaseState = ProjectDetails['timeline'][number]['phases'][number]['state'];

/** Marks phases that a finished project never reached. */
export const phaseState = (phase: PhaseState, project: State): PhaseState | 'left_out' =>
  phase === 'waiting' && project === 'finished' ? 'left_out' : phase;

/** What the list of projects may be limited to. */
export const stateGroups = {
  training: ['running', 'paused', 'queued'],
  unfinished: ['new', 'stopped', 'awaiting_votes'],
  finished: ['finished'],
  trouble: ['failed', 'elsewhere', 'missing', 'damaged', 'newer'],
} as const satisfies Readonly<Record<string, readonly State[]>>;
export type StateGroup = keyof typeof stateGroups;

export type SortColumn = 'name' | 'text' | 'model' | 'state' | 'result' | 'changed';

export interface ProjectQuery {
  typed: string;
  group: StateGroup | 'all';
  sort: SortColumn;
  descending: boolean;
}

/**
 * Finds projects of a group of states with every typed word in their name, text or folder, and sorts them. What
 * has no value comes last, in either direction; projects of one value keep their order.
 * @param projects running ones first, then the last changed
 * @param modelOf names the starting model, as it is shown
 */
export function findProjects(
  projects: readonly ProjectSummary[],
  { typed, group, sort, descending }: Readonly<ProjectQuery>,
  modelOf: (project: ProjectSummary) => string,
): readonly ProjectSummary[] {
  const words = plain(typed).split(/\s+/).filter(Boolean);
  const states: readonly State[] | null = group === 'all' ? null : stateGroups[group];
  const found = projects.filter(({ name, text, folder, state }) => {
    const searched = plain([name, text ?? '', nameOf(folder)].join('\n'));
    return (states?.includes(state) ?? true) && words.every((word) => searched.includes(word));
  });
  // Their own order: a running project stays in sight.
  if (sort === 'changed') return descending ? found : [...found].reverse();
  const valueOf: Readonly<Record<Exclude<SortColumn, 'changed'>, (project: ProjectSummary) => string | number | null>> =
    {
      name: ({ name }) => name,
      text: ({ text }) => text ?? null,
      model: modelOf,
      state: ({ state }) => stateOrder.indexOf(state),
      result: ({ nats_per_character: values = [] }) => values.filter((value) => value !== null).at(-1) ?? null,
    };
  const rows = found.map((project) => ({ project, value: valueOf[sort](project) }));
  return rows
    .sort(({ value: a }, { value: b }) => {
      if (a === null || b === null) return Number(a === null) - Number(b === null);
      const order = typeof a === 'number' && typeof b === 'number' ? a - b : names.compare(String(a), String(b));
      return descending ? -order : order;
    })
    .map(({ project }) => project);
}
const stateOrder: readonly State[] = Object.values(stateGroups).flat();
const names = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

/** Normalises text for comparison: case and composed letters. */
const plain = (text: string): string => text.normalize('NFKC').toLocaleLowerCase();

/** `rate`: only readers can decide whether it is better; `write`: nothing is left to find out. */
export type NextStep = 'train_on' | 'longer' | 'more' | 'rate' | 'write';

/** Suggests one next step after a project has ended. @param plainIsBetter the control's result */
export function nextStep(
  { cycle, people, another: { worth, because } }: Pick<Outcome, 'cycle' | 'people' | 'another'>,
  plainIsBetter: boolean,
): NextStep {
  if (plainIsBetter) return 'train_on';
  if (because === 'longer') return 'longer';
  if (worth === 'yes') return 'more';
  return cycle > 0 && people === null && worth === 'unclear' ? 'rate' : 'write';
}

/** Identifies the place of a project's run: when it changes, there are new results. */
export function whereItIs(summary: ProjectSummary | null): string {
  const { state, cycle, max_cycles, activity } = summary ?? {};
  return [state, cycle, max_cycles, activity?.phase, activity?.cycle, activity?.name].join();
}

/**
 * Reports why base training is over. Training that took all its steps did not stop early, though reports of earlier versions
 * give `patience` if it ran out at the last step.
 * @param maxSteps the setting; with a time limit, the planned steps count
 */
export function whyOver(
  { stopped_because: reason, iterations, planned_steps }: TrainResult,
  maxSteps: unknown,
): TrainResult['stopped_because'] {
  const all = planned_steps ?? (typeof maxSteps === 'number' ? maxSteps : Infinity);
  return reason === 'patience' && iterations !== null && iterations >= all ? 'max_iters' : reason;
}

interface WayOut {
  readonly key: string;
  readonly from: number;
  readonly to: number;
  readonly set: GivenSettings;
}

/** Suggests a setting after training has diverged; null if it has not, or if no setting is known to help. */
export function wayOut({
  summary: { fault, preset },
  config,
}: {
  readonly summary: Pick<ProjectDetails['summary'], 'fault' | 'preset'>;
  readonly config: ProjectDetails['config'];
}): WayOut | null {
  if (fault?.code !== 'diverged' || fault.field === undefined || !isSetting(fault.field)) return null;
  const key = fault.field;
  const from = config[key];
  const usual = effectiveSettings(preset, {})[key];
  if (typeof from !== 'number' || typeof usual !== 'number') return null;
  // The usual value may be the one that failed.
  const to = from > usual ? usual : Number((from / 10).toPrecision(3));
  const { min_lr } = config;
  const falls = key === 'learning_rate' && typeof min_lr === 'number' && min_lr > to;
  return { key, from, to, set: { [key]: to, ...(falls ? { min_lr: to / 10 } : {}) } };
}

/** Faults that settings or text cause, so that resuming repeats them. */
const repeating: ReadonlySet<FaultCode> = new Set<FaultCode>([
  'bad_input',
  'diverged',
  'out_of_memory',
  'text_encoding',
  'text_too_short',
  'token_out_of_range',
  'tokenization_mismatch',
  'unknown_character',
]);

export const needsOtherSettings = (fault: Pick<Fault, 'code'> | null | undefined): boolean =>
  !!fault && repeating.has(fault.code);
