/** Reads what a report needs from the files of a project or a run; changes nothing. */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, statSync } from 'node:fs';
import { basename, isAbsolute, join } from 'node:path';
import { withoutTakenOver } from '../../../shared/config/init.js';
import { controlMessage } from '../../../shared/reports/cycle-control.js';
import { UserError } from '../../../shared/errors.js';
import type { Language } from '../../../shared/messages/catalogue.js';
import { localized } from '../../../shared/messages/message.js';
import { anotherMessage, outcomeOf, outcomeMessages } from '../../../shared/reports/outcome.js';
import { chartsOf, phaseNames, phases, type PhaseName } from '../../../shared/phases/index.js';
import type { Circumstances, ReportedRun } from '../../../shared/reports/run-report.js';
import { documentFormat } from '../../formats/pages/document.js';
import type { Json } from '../../engine/types.js';
import { plainJson } from '../../formats/stable-json.js';
import { readEnvironments } from '../../storage/projects/environment-record.js';
import { createMetricsReader, type MetricsReader } from '../../storage/projects/metrics-reader.js';
import { projectFacts, type WholeFacts } from '../../storage/projects/project-facts.js';
import type { Project } from '../../storage/projects/project-folder.js';
import type { ProjectPaths } from '../../storage/projects/project-paths.js';
import { readChanges } from '../changes.js';
import { comparisonSoFar } from '../rating/desk.js';
import { readRunRecord } from '../run/run-record.js';

/** A cycle's log of metrics. */
interface Log {
  readonly cycle: number;
  readonly reader: MetricsReader;
}

export interface Gathered {
  /** All but its metrics, whose number depends on the number of runs. */
  readonly run: Omit<ReportedRun, 'metrics'>;
  readonly logs: readonly Log[];
}

/** @throws UserError `file_not_found` for a folder that is neither a project's nor a run's; `file_damaged` */
export async function gather(folder: string, language: Language): Promise<Gathered> {
  const facts = projectFacts(folder);
  if ('fault' in facts) throw new UserError(facts.fault);
  if (facts.kind === 'missing') return gatherRun(folder);
  const { project, reports, ended } = facts;
  const { paths } = project;
  return {
    run: {
      name: project.name,
      kind: 'project',
      command: null,
      circumstances: await projectCircumstances(project),
      ended,
      verdict: verdictOf(folder, { reports, ended }, language),
      reports: [...reports],
      results: null,
    },
    logs: cyclesIn(paths).map((cycle) => logOf(cycle, paths.cycle(cycle).metrics)),
  };
}

/** Returns how a project was made: settings without paths, versions, changes during the run, the text. */
export async function projectCircumstances({ config, paths, verisim_version }: Project): Promise<Circumstances> {
  return {
    verisim: verisim_version,
    settings: withoutPlaces(plainJson(withoutTakenOver(config)) as Record<string, Json>),
    environments: [...readEnvironments(paths.environment)],
    changes: readChanges(paths.changes).placed.map(({ place, settings, iterations, skip }) => ({
      cycle: place.cycle,
      phase: place.phase,
      step: place.step,
      settings: plainJson(settings) as Record<string, Json>,
      iterations,
      skip,
    })),
    data: await hashesOf(paths.data),
  };
}

async function gatherRun(folder: string): Promise<Gathered> {
  const record = readRunRecord(folder);
  if (record === null) {
    throw new UserError({
      code: 'file_not_found',
      message: localized('report.not_a_run', { folder }),
      hint: localized('report.give_folder'),
      field: 'projects',
    });
  }
  const { command, settings, results } = record;
  const environments = [...readEnvironments(join(folder, 'circumstances.json'))];
  return {
    run: {
      name: basename(folder),
      kind: 'run',
      command,
      circumstances: {
        verisim: environments[0]?.verisim ?? null,
        settings: withoutPlaces(settings),
        environments,
        changes: [],
        data: await hashesOf(join(folder, 'data')),
      },
      ended: null,
      verdict: null,
      reports: [],
      results: results === null ? null : withoutPlaces(results),
    },
    logs: [logOf(0, join(folder, 'metrics.jsonl'))],
  };
}

/** Removes folders from paths, as a report may be published. */
const withoutPlaces = <J extends Json>(values: Readonly<Record<string, J>>): Record<string, J | string> =>
  Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      typeof value === 'string' && isAbsolute(value) ? basename(value) : value,
    ]),
  );

type Judged = Pick<WholeFacts, 'reports' | 'ended'>;

function verdictOf(folder: string, { reports, ended }: Judged, language: Language): ReportedRun['verdict'] {
  const people = reports.length > 1 ? comparisonSoFar(folder, { task: 'pair', against: 'previous' }) : null;
  const outcome = outcomeOf({ reports, ended, people });
  if (outcome === null) return null;
  const t = documentFormat(language);
  const another = anotherMessage(outcome);
  const control = reports.at(-1)?.control;
  return {
    sentences: outcomeMessages(outcome).map((message) => t(message)),
    another: another ? t(another) : '',
    control: control ? t(controlMessage(control)) : '',
  };
}

function cyclesIn(paths: ProjectPaths): readonly number[] {
  const cycles: number[] = [];
  while (existsSync(paths.cycle(cycles.length).folder)) cycles.push(cycles.length);
  return cycles;
}

function logOf(cycle: number, file: string): Log {
  const reader = createMetricsReader(file);
  reader.refresh();
  return { cycle, reader };
}

/** Bytes and SHA-256 of the prepared text's existing files. */
async function hashesOf(folder: string): Promise<Circumstances['data']> {
  const found = [];
  for (const file of ['train.bin', 'val.bin', 'meta.pkl', 'tokenizer.json']) {
    const whole = join(folder, file);
    if (!existsSync(whole)) continue;
    const hash = createHash('sha256');
    for await (const piece of createReadStream(whole)) hash.update(piece as Buffer);
    found.push({ file, bytes: statSync(whole).size, sha256: hash.digest('hex') });
  }
  return found;
}

/** The metrics that a run's open charts show. */
export function chartedIn({ run, logs }: Gathered): readonly (Log & { phase: PhaseName; names: readonly string[] })[] {
  return logs.flatMap(({ cycle, reader }) =>
    phaseNames.flatMap((phase) => {
      const { open } = chartsOf(phases[phase], run.circumstances.settings);
      const shown = new Set(open.flatMap(({ lines }) => lines.map(({ metric }) => metric)));
      const names = reader.names(phase).filter((name) => shown.has(name));
      return names.length === 0 ? [] : [{ cycle, reader, phase, names }];
    }),
  );
}

export interface LoggedNumber {
  /** The run's index and name. */
  readonly at: number;
  readonly run: string;
  readonly cycle: number;
  readonly phase: PhaseName;
  readonly step: number;
  readonly metric: string;
  /** Null if it was not finite. */
  readonly value: number | null;
}

export function* everyNumber(gathered: readonly Gathered[]): Generator<LoggedNumber> {
  for (const [at, { run, logs }] of gathered.entries())
    for (const { cycle, reader } of logs)
      for (const phase of phaseNames) {
        const names = reader.names(phase);
        const { series } = reader.window(phase, { names, points: Number.MAX_SAFE_INTEGER });
        for (const [metric, { steps, values }] of Object.entries(series))
          for (const [index, step] of steps.entries())
            yield { at, run: run.name, cycle, phase, step, metric, value: values[index] ?? null };
      }
}
