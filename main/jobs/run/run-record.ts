/**
 * run.json of a command's output folder: identifies the run, so that the same command resumes it and another one cannot mix
 * with it, and stores the results.
 */
import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { dataShape } from '../../../shared/config/data.js';
import { typedValue } from '../../../shared/config/fields.js';
import { keptBefore, modelShape, trainShape, valuesBefore } from '../../../shared/config/index.js';
import { asBefore, presentSettings } from '../../../shared/config/removed-settings.js';
import { UserError } from '../../../shared/errors.js';
import { localized, type Message } from '../../../shared/messages/message.js';
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
type Stored = z.infer<typeof recordSchema>;

export interface RunIdentity {
  readonly command: string;
  readonly settings: Readonly<Record<string, Json | undefined>>;
  /** Files that are read. */
  readonly inputs: readonly string[];
}

export interface RunRecord {
  readonly settings: Readonly<Record<string, Json>>;
  /** Settings of the existing run that this version does not have. */
  readonly ignored: readonly string[];
  /** Results of the finished run; null while there is something to do. */
  readonly results: Results | null;
  finish(results: Results): void;
}

/** Settings that may differ between two invocations of the same run. */
const changeable = new Set(['out_dir', 'overwrite', 'device', 'threads', 'preset', 'tensorboard']);

/** Reads or creates the record. @throws UserError `exists` if it is another run's; `file_damaged` */
export function openRunRecord(file: string, { command, settings: given, inputs: files }: RunIdentity): RunRecord {
  const settings = recordSchema.shape.settings.parse(plainJson(given));
  const inputs = Object.fromEntries(files.map((path) => [path, stampOf(path)]));
  const existing = readJson(file, recordSchema, { damaged: () => notARun(file) });
  const before = existing && presentSettings(existing.settings, settings);
  if (existing && before) {
    const then = { ...existing, settings: asBefore(before.values, settings) as Stored['settings'] };
    mustBeSame(dirname(file), then, { command, settings, inputs });
  }
  const record: Stored = existing ?? { format_version: 1, command, settings, inputs, results: null };
  const write = (results: Results | null) => writeJson(file, { ...record, results } as Json);
  if (!existing) write(null);
  return {
    settings,
    ignored: before?.ignored ?? [],
    results: record.results,
    finish: (results) => write(plainJson(results)),
  };
}

/** Returns a command's settings with its preset's values at the time when the run in its folder started. */
export function asStarted<C extends { readonly out_dir: string; readonly overwrite: boolean }>(
  command: string,
  config: C,
): C {
  if (config.overwrite) return config;
  // Damage is reported when the run is opened.
  const existing = readJson(join(config.out_dir, 'run.json'), recordSchema);
  if (existing?.command !== command) return config;
  const usual = Object.fromEntries(Object.keys(defaults).map((key) => [key, defaultOf(key)]));
  const { values } = presentSettings(existing.settings, config);
  const isOlder = 'keep' in config && !('keep' in existing.settings);
  return { ...config, ...valuesBefore({ ...usual, ...values }, config), ...(isOlder ? { keep: keptBefore } : {}) };
}

/** Reads a folder's run; null if there is none. @throws UserError `file_damaged` */
export function readRunRecord(folder: string): Pick<Stored, 'command' | 'settings' | 'results'> | null {
  const file = join(folder, 'run.json');
  return readJson(file, recordSchema, { damaged: () => notARun(file) });
}

const notARun = (file: string) =>
  new UserError({
    code: 'file_damaged',
    message: localized('run.unreadable', { file }),
    hint: localized('run.overwrite'),
  });

const defaults = { ...modelShape, ...trainShape, held_out: dataShape.held_out };
const defaultOf = (key: string): unknown =>
  key in defaults ? defaults[key as keyof typeof defaults].safeParse(undefined).data : undefined;

function mustBeSame(folder: string, there: Stored, here: Pick<Stored, 'command' | 'settings' | 'inputs'>): void {
  const differences: Message[] = [];
  if (there.command !== here.command) differences.push(localized('run.run_of', { command: there.command }));
  else {
    for (const key of new Set([...Object.keys(there.settings), ...Object.keys(here.settings)])) {
      if (changeable.has(key)) continue;
      // A run of an earlier version had the default of a setting that it does not name.
      const [old, now] = [there, here].map(({ settings }) =>
        settings[key] === undefined ? defaultOf(key) : settings[key],
      );
      if (JSON.stringify(old) !== JSON.stringify(now)) {
        const values = { key, there: typedValue(old), here: typedValue(now) };
        differences.push(localized('run.setting_differs', values));
      }
    }
    const changed = Object.entries(here.inputs).filter(([path, stamp]) => (there.inputs[path] ?? stamp) !== stamp);
    differences.push(...changed.map(([path]) => localized('run.input_changed', { path })));
  }
  if (differences.length === 0) return;
  throw new UserError({
    code: 'exists',
    message: localized('run.other_run', { folder, differences }),
    hint: localized('run.overwrite_or_resume'),
  });
}

/** Size and time of a file, or of the files in a folder; copies have the same, unlike the stamps of storage/disk. */
function stampOf(path: string): string {
  const stats = statSync(path);
  if (!stats.isDirectory()) return `${stats.size} bytes, ${Math.round(stats.mtimeMs)}`;
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => `${name}: ${stampOf(join(path, name))}`)
    .sort()
    .join('; ');
}
