/** Writes a report of projects and runs: a page, data, every logged number as a row, or event files for TensorBoard. */
import { existsSync, readdirSync, renameSync, rmSync, rmdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import packageFile from '../../../package.json' with { type: 'json' };
import { labelIn, placesOf } from '../../../shared/base/labels.js';
import { UserError } from '../../../shared/errors.js';
import { onFile } from '../../../shared/file-errors.js';
import type { Language } from '../../../shared/messages/catalogue.js';
import { localized } from '../../../shared/messages/message.js';
import { runReportFormats, type RunReport, type RunReportFormat } from '../../../shared/reports/run-report.js';
import { runReportPage } from '../../formats/report/page.js';
import { metricRows } from '../../formats/report/rows.js';
import { writeFileAtomic } from '../../storage/disk/atomic.js';
import { mustLieOutside } from '../../storage/projects/export-place.js';
import { createTensorboard } from '../../storage/projects/tensorboard.js';
import type { JobContext } from '../types.js';
import { chartedIn, everyNumber, gather, type Gathered, type LoggedNumber } from './gather.js';

interface ReportSettings {
  readonly projects: readonly string[];
  readonly format: RunReportFormat | 'tensorboard';
  /** Null: next to the first, with its name. */
  readonly file: string | null;
  /** Of a page and of the sentences in the data. */
  readonly language: Language;
}

/** Points of all charts together, about 40 bytes each, so that 20 runs stay below 5 MB; and the limits of one series. */
const POINTS = 70_000;
const [FEWEST, MOST] = [16, 400];

/** @throws UserError `file_not_found`, `file_damaged`; `exists` for a place within a project or a run; those of files */
export async function writeReport(
  { projects, format, file, language }: ReportSettings,
  context: Pick<JobContext, 'now'>,
) {
  const folders = [...new Set(projects.map((project) => resolve(project)))];
  const [first] = folders;
  if (first === undefined) {
    const message = localized('report.nothing');
    throw new UserError({ code: 'bad_input', message, hint: localized('report.name_one'), field: 'projects' });
  }
  const name = folders.length === 1 ? basename(first) : `${basename(first)}-and-${folders.length - 1}-more`;
  const ending = format === 'tensorboard' ? format : runReportFormats[format];
  const target = file ?? join(dirname(first), `${name}.${ending}`);
  mustLieOutside(target);
  const gathered = labelled(folders, await gatherAll(folders, language));
  const facts = { projects: folders, file: target, format, runs: folders.length };
  if (format === 'tensorboard') {
    const names = gathered.map(({ run }) => run.name);
    writeEventFiles(target, names, everyNumber(gathered), context.now());
    return { ...facts, bytes: null };
  }
  const report = () => reportOf(gathered, { language, now: context.now() });
  const bytes = bytesOf(gathered, format, report);
  writeFileAtomic(target, bytes);
  return { ...facts, bytes: bytes.length };
}

async function gatherAll(folders: readonly string[], language: Language): Promise<readonly Gathered[]> {
  const gathered: Gathered[] = [];
  for (const folder of folders) gathered.push(await gather(folder, language));
  return gathered;
}

/** Adds to the names of runs that are alike what their folders differ in. */
function labelled(folders: readonly string[], gathered: readonly Gathered[]): readonly Gathered[] {
  const runs = gathered.map(({ run }, at) => ({ id: String(at), name: run.name, folder: folders[at] ?? '' }));
  const places = placesOf(runs);
  return gathered.map((one, at) => ({ ...one, run: { ...one.run, name: labelIn(places, String(at), one.run.name) } }));
}

function bytesOf(gathered: readonly Gathered[], format: RunReportFormat, report: () => RunReport): Buffer {
  switch (format) {
    case 'html':
      return Buffer.from(runReportPage(JSON.stringify(report())));
    case 'json':
      return Buffer.from(`${JSON.stringify(report(), null, 1)}\n`);
    case 'csv':
      return Buffer.concat([...metricRows(everyNumber(gathered))].map((row) => Buffer.from(row)));
  }
}

function reportOf(
  gathered: readonly Gathered[],
  { language, now }: { readonly language: Language; readonly now: number },
): RunReport {
  const charted = gathered.map((one) => chartedIn(one));
  const series = charted.flat().reduce((sum, { names }) => sum + names.length, 0);
  const points = Math.max(FEWEST, Math.min(MOST, Math.floor(POINTS / Math.max(1, series))));
  return {
    format: 'verisim-report',
    format_version: 1,
    made_at: new Date(now).toISOString(),
    language,
    verisim: packageFile.version,
    runs: gathered.map(({ run }, at) => ({
      ...run,
      metrics: (charted[at] ?? []).map(({ cycle, reader, phase, names }) => {
        const { series: found, lastStep } = reader.window(phase, { names, points });
        return { cycle, phase, last_step: lastStep, series: { ...found } };
      }),
    })),
  };
}

/** Makes a folder's name from a run's. */
const folderName = (name: string): string => name.replace(/[^\p{L}\p{N}._ -]/gu, '_').replace(/^\.+/, '_') || '_';

/**
 * Writes TensorBoard's event files, all or none: a folder for each phase of each cycle of each run. Rows do not store their
 * time, so all have the time of writing.
 * @param runs their names
 * @throws UserError `exists` for a folder that is not empty; those of files
 */
export function writeEventFiles(
  folder: string,
  runs: readonly string[],
  numbers: Iterable<LoggedNumber>,
  milliseconds: number,
): void {
  const isThere = existsSync(folder);
  if (isThere && onFile(folder, 'read', () => readdirSync(folder)).length > 0) {
    throw new UserError({
      code: 'exists',
      message: localized('report.folder_not_empty', { folder }),
      hint: localized('report.new_folder'),
      field: 'file',
    });
  }
  const unfinished = `${folder}.${process.pid}.unfinished`;
  const events = createTensorboard(unfinished);
  try {
    for (const { at, cycle, phase, step, metric, value } of numbers) {
      // Two runs may have the same name.
      const name = runs.length === 1 ? '' : `${at + 1} ${folderName(runs[at] ?? '')}`;
      events.append(join(name, `${String(cycle).padStart(2, '0')}-${phase}`), step, { [metric]: value }, milliseconds);
    }
    events.close();
    onFile(folder, 'write', () => {
      if (isThere) rmdirSync(folder);
      if (existsSync(unfinished)) renameSync(unfinished, folder);
    });
  } finally {
    events.close();
    rmSync(unfinished, { recursive: true, force: true });
  }
}
