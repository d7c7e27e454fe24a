/**
 * changes.jsonl of a project: what the user changed while it ran, and where each change took effect. A change is on the
 * disk before it acts, so a run that resumes from an earlier checkpoint repeats it at the same step
 * (main/engine/control.ts); a pending change acts at the next step of the next run.
 *
 *     {"at": …, "asked": 1, "settings": {"learning_rate": 0.0003}}
 *     {"at": …, "made": 1, "cycle": 0, "phase": "base_training", "step": 120}
 */
import { z } from 'zod';
import type { ProjectConfig } from '../../shared/config/index.js';
import { liveSettings, type LiveSettings } from '../../shared/contract/runs.js';
import { UserError } from '../../shared/errors.js';
import { localized, type Message } from '../../shared/messages/message.js';
import { phaseNames, phases, type Phase } from '../../shared/phases/index.js';
import { directionsAt, type Change, type Place, type PlacedChange, type RunControl } from '../engine/control.js';
import { openJsonLines, readJsonLines } from '../storage/disk/json-lines.js';
import type { WritableProject } from '../storage/projects/project-folder.js';
import { notice, type JobContext } from './types.js';

const phasePlace = { cycle: z.int().min(0), phase: z.enum(phaseNames) };
const requestRow = z.strictObject({
  at: z.string(),
  asked: z.int(),
  settings: liveSettings.optional(),
  /** These two are meant for one phase of one cycle. */
  iterations: z.int().min(1).optional(),
  skip: z.literal(true).optional(),
  within: z.strictObject(phasePlace).optional(),
});
const madeRow = z.strictObject({ at: z.string(), made: z.int(), ...phasePlace, step: z.int().min(0) });
/** Its phase was over before it could act. */
const lapsedRow = z.strictObject({ at: z.string(), lapsed: z.int() });
const row = z.union([requestRow, madeRow, lapsedRow]);
type Request = z.infer<typeof requestRow>;
type PhasePlace = Pick<Place, 'phase' | 'cycle'>;

/** Steers a running project. Every method throws `UserError` if the change is not possible now. */
export interface ProjectSteering {
  change(settings: LiveSettings): void;
  extend(more: { readonly iterations: number; readonly cycles: number }): void;
  skip(): void;
}

/** Reads the requests that wait, the changes that took effect, and the number of the latest request. */
export function readChanges(file: string) {
  const pending = new Map<number, Request>();
  const placed: PlacedChange[] = [];
  let last = 0;
  for (const read of readJsonLines(file, (value) => row.parse(value))) {
    if ('asked' in read) {
      pending.set(read.asked, read);
      last = Math.max(last, read.asked);
    } else if ('lapsed' in read) pending.delete(read.lapsed);
    else {
      const request = pending.get(read.made);
      if (!request) continue;
      pending.delete(read.made);
      placed.push({ ...changeOf(request), place: { cycle: read.cycle, phase: read.phase, step: read.step } });
    }
  }
  return { pending, placed, last };
}

export function openChanges(project: WritableProject, config: ProjectConfig, context: JobContext) {
  const file = project.paths.changes;
  const { pending, placed, ...read } = readChanges(file);
  let { last } = read;
  let log: ReturnType<typeof openJsonLines> | null = null;
  const write = (values: object) => {
    log ??= openJsonLines(file);
    log.append({ at: new Date(context.now()).toISOString(), ...values });
    log.sync();
  };
  const report = (message: Message) => context.emit(notice('changed', message));

  let current: PhasePlace | null = null;
  let { max_cycles } = config;

  const request = (values: Omit<Request, 'at' | 'asked'>) => {
    last += 1;
    write({ asked: last, ...values });
    pending.set(last, { at: '', asked: last, ...values });
  };
  const currentIf = (isPossible: (phase: Phase) => boolean, change: 'extend' | 'skip') => {
    if (current && isPossible(phases[current.phase])) return current;
    const phase = current && localized(phases[current.phase].label);
    throw new UserError({
      code: 'bad_input',
      message: localized('changes.not_possible', { phase, change }),
      hint: localized('changes.try_next_phase'),
    });
  };

  const control: RunControl = {
    within(phase, cycle) {
      current = { phase, cycle };
      for (const [id, { within }] of pending) {
        if (!within || !isOver(within, { phase, cycle })) continue;
        write({ lapsed: id });
        pending.delete(id);
        report(localized('changes.too_late', { phase: localized(phases[within.phase].label) }));
      }
      return {
        at(step) {
          for (const [id, waiting] of pending) {
            if (waiting.within && (waiting.within.phase !== phase || waiting.within.cycle !== cycle)) continue;
            write({ made: id, cycle, phase, step });
            pending.delete(id);
            const change = changeOf(waiting);
            placed.push({ ...change, place: { cycle, phase, step } });
            const made = { phase: localized(phases[phase].label), step, changes: messagesOf(change) };
            report(localized('changes.made', made));
          }
          return directionsAt(placed, { cycle, phase, step });
        },
      };
    },
    maxCycles: () => max_cycles,
  };

  const steering: ProjectSteering = {
    change(settings) {
      if (Object.keys(settings).length > 0) request({ settings });
    },
    extend({ iterations, cycles }) {
      const within = iterations > 0 ? currentIf(({ limit }) => limit !== undefined, 'extend') : null;
      if (cycles > 0) {
        max_cycles += cycles;
        project.saveConfig({ ...config, max_cycles });
        report(localized('changes.cycles', { cycles: max_cycles }));
      }
      if (within) request({ iterations, within });
    },
    skip: () => request({ skip: true, within: currentIf(({ skippable }) => skippable, 'skip') }),
  };
  return { control, steering, close: () => log?.close() };
}

/** Whether a phase of a cycle is earlier than the current one. */
const isOver = (one: PhasePlace, current: PhasePlace): boolean =>
  one.cycle < current.cycle ||
  (one.cycle === current.cycle && phaseNames.indexOf(one.phase) < phaseNames.indexOf(current.phase));

const changeOf = ({ settings = {}, iterations = 0, skip }: Request): Change => ({
  settings: Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)),
  iterations,
  skip: skip === true,
});

const messagesOf = ({ settings, iterations, skip }: Change): readonly Message[] => [
  ...Object.entries(settings).map(([key, value]) => localized('changes.setting', { key, value })),
  ...(iterations > 0 ? [localized('changes.more_steps', { steps: iterations })] : []),
  ...(skip ? [localized('changes.ends_here')] : []),
];
