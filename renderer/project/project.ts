/** What follows from a project's state and results: labels, search, the next step. Pure. */
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
export const isUnreadable = among('missing', 'damaged');

/** Reports whether a stopping rule ended the project before its last cycle. */
export const hasEndedEarly = ({ state, ended }: Pick<ProjectSummary, 'state' | 'ended'>): boolean =>
  state === 'finished' && ended !== null && ended !== 'max_cycles';

type PhaseState = ProjectDetails['timeline'][number]['phases'][number]['state'];

/** Marks phases that a finished project never reached. */
export const phaseState = (phase: PhaseState, project: State): PhaseState | 'left_out' =>
  phase === 'waiting' && project === 'finished' ? 'left_out' : phase;

/** Finds projects with every typed word in their name, tags or note, in any case; all of them for no words. */
export function findProjects(projects: readonly ProjectSummary[], typed: string): readonly ProjectSummary[] {
  const words = plain(typed).split(/\s+/).filter(Boolean);
  return projects.filter(({ name, notes }) => {
    const text = plain([name, ...(notes?.tags ?? []), notes?.text ?? ''].join('\n'));
    return words.every((word) => text.includes(word));
  });
}

/** Normalises text for comparison: case and composed letters. */
const plain = (text: string): string => text.normalize('NFKC').toLocaleLowerCase();

interface NamedFolder {
  readonly id: string;
  readonly name: string;
  readonly folder: string;
}

/** Labels each project by its name, and by its folder too if another one has the same name. */
export function runLabels(runs: readonly NamedFolder[]): ReadonlyMap<string, string> {
  return new Map(
    runs.map(({ id, name, folder }) => {
      const others = runs.filter((run) => run.id !== id && run.name === name);
      if (others.length === 0) return [id, name];
      return [
        id,
        `${name} (${shortestEnd(
          folder,
          others.map((run) => run.folder),
        )})`,
      ];
    }),
  );
}

/** Returns the shortest end of a path that no other path has. */
function shortestEnd(folder: string, others: readonly string[]): string {
  const parts = folder.split(/[\\/]/);
  const endOf = (path: string, count: number) => path.split(/[\\/]/).slice(-count).join('/');
  for (let count = 1; count < parts.length; count++) {
    const end = endOf(folder, count);
    if (others.every((other) => endOf(other, count) !== end)) return end;
  }
  return folder;
}

/** `rate`: only readers can decide whether it is better; `write`: nothing is left to find out. */
export type NextStep = 'train_on' | 'more' | 'rate' | 'write';

/** Suggests one next step after a project has ended. @param plainIsBetter the control's result */
export function nextStep(
  { cycle, people, another: { worth } }: Pick<Outcome, 'cycle' | 'people' | 'another'>,
  plainIsBetter: boolean,
): NextStep {
  if (plainIsBetter) return 'train_on';
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
