/**
 * changes.jsonl of a project: what a person asked for while it ran, and the place where each change took effect. A
 * change is on the disk before it acts, so a run that resumes from an earlier checkpoint makes it again at the same
 * step (main/engine/control.ts); what was asked for and has not acted yet acts at the next step of the next run.
 *
 *     {"at": …, "asked": 1, "settings": {"learning_rate": 0.0003}}
 *     {"at": …, "made": 1, "cycle": 0, "phase": "base_training", "step": 120}
 */
import { localized } from '../../shared/messages/message.js';
import { z } from 'zod';
import type { ProjectConfig } from '../../shared/config/index.js';
import { liveSettings, type LiveSettings } from '../../shared/contract/runs.js';
import { UserError } from '../../shared/errors.js';
import { phaseNames, phases, type Phase, type PhaseName } from '../../shared/phases/index.js';
import { directionsAt, type Change, type PlacedChange, type RunControl } from '../engine/control.js';
import { openJsonLines, readJsonLines } from '../storage/disk/json-lines.js';
import type { WritableProject } from '../storage/projects/project-folder.js';
import type { JobContext } from './types.js';

const phasePlace = { cycle: z.int().min(0), phase: z.enum(phaseNames) };
const askedRow = z.strictObject({
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
const row = z.union([askedRow, madeRow, lapsedRow]);
type Asked = z.infer<typeof askedRow>;

/** Steers a project that runs. Every method throws `UserError` when what is asked is not possible now. */
export interface ProjectSteering {
  change(settings: LiveSettings): void;
  extend(more: { readonly iterations: number; readonly cycles: number }): void;
  skip(): void;
}

interface ProjectChanges {
  readonly control: RunControl;
  readonly steering: ProjectSteering;
  close(): void;
}

/** What the file holds: what was asked for and waits, what took effect where, and the number of the latest request. */
export function readChanges(file: string) {
  const pending = new Map<number, Asked>();
  const placed: PlacedChange[] = [];
  let last = 0;
  for (const read of readJsonLines(file, (value) => row.parse(value))) {
    if ('asked' in read) {
      pending.set(read.asked, read);
      last = Math.max(last, read.asked);
    } else if ('lapsed' in read) pending.delete(read.lapsed);
    else {
      const asked = pending.get(read.made);
      if (!asked) continue;
      pending.delete(read.made);
      placed.push({ ...changeOf(asked), place: { cycle: read.cycle, phase: read.phase, step: read.step } });
    }
  }
  return { pending, placed, last };
}

export function openChanges(project: WritableProject, config: ProjectConfig, context: JobContext): ProjectChanges {
  const { pending, placed, ...read } = readChanges(project.paths.changes);
  let { last } = read;

  const { write, close } = createRows(project.paths.changes, context);
  const tell = (message: string) => context.emit({ event: 'notice', level: 'info', code: 'changed', message });

  let current: { readonly phase: PhaseName; readonly cycle: number } | null = null;
  let { max_cycles } = config;

  const ask = (values: Omit<Asked, 'at' | 'asked'>) => {
    last += 1;
    write({ asked: last, ...values });
    pending.set(last, { at: '', asked: last, ...values });
  };
  const currentThatCan = (can: (phase: Phase) => boolean, change: 'extend' | 'skip') => {
    if (current && can(phases[current.phase])) return current;
    throw new UserError({
      code: 'bad_input',
      message: localized('changes.not_possible', { phase: current ? phases[current.phase].called : null, change }),
      hint: localized('changes.try_next_phase'),
    });
  };

  const control: RunControl = {
    within(phase, cycle) {
      current = { phase, cycle };
      for (const [id, { within }] of pending) {
        if (!within || (within.phase === phase && within.cycle === cycle)) continue;
        write({ lapsed: id });
        pending.delete(id);
        tell(`What was asked for ${phases[within.phase].called} came too late: that was already over.`);
      }
      return {
        at(step) {
          for (const [id, asked] of pending) {
            write({ made: id, cycle, phase, step });
            pending.delete(id);
            const change = changeOf(asked);
            placed.push({ ...change, place: { cycle, phase, step } });
            tell(`From step ${step} of ${phases[phase].called} on: ${inWords(change)}.`);
          }
          return directionsAt(placed, { cycle, phase, step });
        },
      };
    },
    maxCycles: () => max_cycles,
  };

  return {
    control,
    steering: {
      change(settings) {
        if (Object.keys(settings).length > 0) ask({ settings });
      },
      extend({ iterations, cycles }) {
        const within = iterations > 0 ? currentThatCan(({ limit }) => limit !== undefined, 'extend') : null;
        if (cycles > 0) {
          max_cycles += cycles;
          project.saveConfig({ ...config, max_cycles });
          tell(`There will be ${max_cycles} cycles.`);
        }
        if (within) ask({ iterations, within });
      },
      skip() {
        ask({ skip: true, within: currentThatCan(({ skippable }) => skippable, 'skip') });
      },
    },
    close,
  };
}

/** The file's rows, each on the disk when it is written; there is no file before the first. */
function createRows(file: string, { now }: Pick<JobContext, 'now'>) {
  let log: ReturnType<typeof openJsonLines> | null = null;
  return {
    write(values: object): void {
      log ??= openJsonLines(file);
      log.append({ at: new Date(now()).toISOString(), ...values });
      log.sync();
    },
    close: (): void => log?.close(),
  };
}

const changeOf = ({ settings = {}, iterations = 0, skip }: Asked): Change => ({
  settings: Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)),
  iterations,
  skip: skip === true,
});

function inWords({ settings, iterations, skip }: Change): string {
  const words = Object.entries(settings).map(([key, value]) => `${key} is ${value}`);
  if (iterations > 0) words.push(`${iterations} more steps`);
  if (skip) words.push('the phase ends here, as asked');
  return words.join(', ');
}
