/**
 * run.json of a single command's output folder: what it is a run of, so that the same command is resumed where it
 * stopped and another one cannot mix with it, and the results once there are any.
 */
import { localized } from '../../../shared/messages/message.js';
import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { typedValue } from '../../../shared/config/fields.js';
import { modelShape, trainShape, valuesBefore } from '../../../shared/config/index.js';
import { presentSettings } from '../../../shared/config/removed-settings.js';
import { UserError } from '../../../shared/errors.js';
import type { Json } from '../../engine/types.js';
import { plainJson } from '../../formats/stable-json.js';
import { readJson, writeJson } from '../../storage/disk/json-file.js';
import type { Results } from '../types.js';

const recordSchema = z.object({
  format_version: z.literal(1),
  command: z.string(),
  settings: z.record(z.string(), z.json()),
  /** Size and time of each file that was read: a changed input is another run. */
  inputs: z.record(z.string(), z.string()),
  results: z.record(z.string(), z.json()).nullable(),
});
type Kept = z.infer<typeof recordSchema>;

export interface RunIdentity {
  readonly command: string;
  readonly settings: Readonly<Record<string, Json | undefined>>;
  /** Files that are read. */
  readonly inputs: readonly string[];
}

export interface RunRecord {
  readonly settings: Readonly<Record<string, Json>>;
  /** Settings of the run in the folder that this version does not have. */
  readonly ignored: readonly string[];
  /** What the finished run came to; null while there is something to do. */
  readonly results: Results | null;
  finish(results: Results): void;
}

/** What may differ between two runs of the same command that are still the same run. */
const changeable = new Set(['out_dir', 'overwrite', 'device', 'threads', 'preset', 'tensorboard']);

/** Reads the record, or begins it. @throws UserError `exists` when it is another run's; `file_damaged` */
export function openRunRecord(file: string, { command, settings: given, inputs: files }: RunIdentity): RunRecord {
  const settings = recordSchema.shape.settings.parse(plainJson(given));
  const inputs = Object.fromEntries(files.map((path) => [path, stampOf(path)]));
  const there = readJson(file, recordSchema, { damaged: () => notARun(file) });
  const before = there && presentSettings(there.settings, settings);
  if (there && before) {
    const then = { ...there, settings: before.values as Kept['settings'] };
    mustBeSame(dirname(file), then, { command, settings, inputs });
  }
  const record: Kept = there ?? { format_version: 1, command, settings, inputs, results: null };
  const write = (results: Results | null) => writeJson(file, { ...record, results } as Json);
  if (!there) write(null);
  return {
    settings,
    ignored: before?.ignored ?? [],
    results: record.results,
    finish: (results) => write(plainJson(results)),
  };
}

/**
 * Settings of a command, with what its preset said when the run in its folder was begun: a run is resumed as it was begun,
 * whatever presets have come to say since.
 */
export function asBegun<C extends { readonly out_dir: string; readonly overwrite: boolean }>(
  command: string,
  config: C,
): C {
  if (config.overwrite) return config;
  // What is damaged is told where the run is opened.
  const there = readJson(join(config.out_dir, 'run.json'), recordSchema);
  if (there?.command !== command) return config;
  const usual = Object.fromEntries(Object.keys(defaults).map((key) => [key, defaultOf(key)]));
  const { values } = presentSettings(there.settings, config);
  return { ...config, ...valuesBefore({ ...usual, ...values }, config) };
}

/** What the run in a folder is; null where there is none. @throws UserError `file_damaged` */
export function readRunRecord(folder: string): Pick<Kept, 'command' | 'settings' | 'results'> | null {
  const file = join(folder, 'run.json');
  return readJson(file, recordSchema, { damaged: () => notARun(file) });
}

const notARun = (file: string) =>
  new UserError({
    code: 'file_damaged',
    message: localized('run.unreadable', { file }),
    hint: localized('run.overwrite'),
  });

const defaults = { ...modelShape, ...trainShape };
const defaultOf = (key: string): unknown =>
  key in defaults ? defaults[key as keyof typeof defaults].safeParse(undefined).data : undefined;

function mustBeSame(folder: string, there: Kept, here: Pick<Kept, 'command' | 'settings' | 'inputs'>): void {
  const differences = there.command === here.command ? [] : [`it is a run of ${there.command}`];
  if (differences.length === 0) {
    for (const key of new Set([...Object.keys(there.settings), ...Object.keys(here.settings)])) {
      if (changeable.has(key)) continue;
      // A setting that a run of an earlier version does not know has been its default there.
      const [old, now] = [there, here].map(({ settings }) =>
        settings[key] === undefined ? defaultOf(key) : settings[key],
      );
      if (JSON.stringify(old) !== JSON.stringify(now)) {
        differences.push(`${key} is ${typedValue(old)} there, ${typedValue(now)} now`);
      }
    }
    for (const [path, stamp] of Object.entries(here.inputs)) {
      if (there.inputs[path] !== undefined && there.inputs[path] !== stamp)
        differences.push(`${path} has changed since`);
    }
  }
  if (differences.length === 0) return;
  throw new UserError({
    code: 'exists',
    message: localized('run.other_run', { folder, differences: differences.join('; ') }),
    hint: localized('run.overwrite_or_resume'),
  });
}

/** Size and time of a file, or of the files in a folder: what a copy of both keeps, unlike the stamps of storage/disk. */
function stampOf(path: string): string {
  const stats = statSync(path);
  if (!stats.isDirectory()) return `${stats.size} bytes, ${Math.round(stats.mtimeMs)}`;
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => `${name}: ${stampOf(join(path, name))}`)
    .sort()
    .join('; ');
}
