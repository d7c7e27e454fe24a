/** The cycle's store on a project folder: a run store of many phases, and what they make under its name. */
import type { JobEvent } from '../../../shared/phases/events.js';
import { placeOfArtefact } from '../../../shared/phases/index.js';
import type { ProjectStore } from '../../engine/cycle/cycle-types.js';
import { plainJson } from '../../formats/stable-json.js';
import { onFile } from '../../../shared/file-errors.js';
import { nodeFileOperations } from '../../storage/disk/file-operations.js';
import { peopleSay } from '../../storage/projects/outcome.js';
import type { ProjectPaths } from '../../storage/projects/project-paths.js';
import type { PhaseFiles } from '../run/checkpoints.js';
import { openRunStore, type RunFiles } from '../run/run-store.js';
import type { JobContext } from '../types.js';
import { openInitialCritic } from '../initial-critic.js';
import { openInitialModel } from '../initial-model.js';
import { loadReport, projectModels, projectRewardData, saveReport } from './project-artefacts.js';
import type { OpenedProject } from './project.js';

export interface LoggingStore extends ProjectStore {
  /** The context whose events are also kept: metrics by cycle, what happened in events.jsonl. */
  readonly context: JobContext;
  /** Keeps an event without telling it again. */
  log(event: JobEvent): void;
  close(): void;
}

export function createProjectStore(opened: OpenedProject, outer: JobContext): LoggingStore {
  const { project, config, text } = opened;
  const { paths } = project;
  const files: RunFiles = {
    events: paths.events,
    environment: paths.environment,
    tensorboard: config.tensorboard ? paths.tensorboard : null,
    samplesOf: ({ cycle = 0 }) => paths.cycle(cycle).samples,
    metricsOf: ({ cycle = 0, phase }) => ({
      file: paths.cycle(cycle).metrics,
      run: `${String(cycle).padStart(2, '0')}-${phase}`,
    }),
  };
  const facts = { configuration: plainJson(config), threads: config.threads, machine: config };
  const run = openRunStore(files, facts, outer);
  const context: JobContext = {
    ...run.context,
    emit(event) {
      // The text was prepared, and that was told, before there was a store.
      if (event.event !== 'phase' || event.phase !== 'prepare') run.context.emit(event);
    },
  };
  /** The cycle is over: what its phases would have resumed from goes, the critic's and the compared models' too. */
  const clearProgress = (cycle: number) => {
    const names = onFile(paths.checkpoints, 'read', () =>
      nodeFileOperations.kind(paths.checkpoints) === 'folder' ? nodeFileOperations.list(paths.checkpoints) : [],
    );
    for (const entry of names) {
      const [, name] = /^(.+)\.progress$/.exec(entry) ?? [];
      if (name !== undefined && placeOfArtefact(name)?.cycle === cycle) run.stored(paths.progress(name)).clear();
    }
  };

  const { train, val, tokenizer } = text;
  const tokens = { ...tokenizer, train, val };
  return {
    ...projectModels(opened),
    ...projectRewardData(opened, run.beginWork),
    context,
    log: run.log.keep,
    close: run.log.close,
    prepare: async () => tokens,
    initialModel: () => openInitialModel(config, context),
    initialCritic: () => openInitialCritic(config, { ...text, rows: config.vocab_size }, context),
    slot(name) {
      const slot = run.slot(filesOf(paths, name));
      return {
        ...slot,
        async save(checkpoint, step) {
          await slot.save(checkpoint, step);
          context.emit({ event: 'checkpoint', name, step });
        },
      };
    },
    keepCompletions(cycle, rows) {
      for (const row of rows) run.log.append(paths.cycle(cycle).completions, row);
    },
    async loadReport(cycle) {
      const report = loadReport(paths, cycle);
      if (report !== null) clearProgress(cycle); // a crash may have come between the report and this
      return report;
    },
    beginCycle(cycle) {
      const { folder } = paths.cycle(cycle);
      onFile(folder, 'write', () => nodeFileOperations.makeFolder(folder));
    },
    peopleSay: (newest, previous) => peopleSay(paths.folder, newest, previous),
    async saveReport(report) {
      const { metrics, completions, samples } = paths.cycle(report.cycle);
      run.log.sync(metrics, completions);
      // What was written while it trained stays, and is followed by what the model of the cycle writes.
      run.log.cut(samples, { keep: (row) => 'step' in (row as object) });
      saveReport(paths, report);
      clearProgress(report.cycle);
    },
  };
}

function filesOf(paths: ProjectPaths, name: string): PhaseFiles {
  const { cycle, phase } = placeOf(name);
  const { metrics, completions, samples } = paths.cycle(cycle);
  return {
    phase,
    progress: paths.progress(name),
    metrics,
    completions: phase === 'grpo' ? completions : null,
    samples: phase === 'base_training' ? samples : null,
  };
}

function placeOf(name: string) {
  const place = placeOfArtefact(name);
  if (place === null) throw new Error(`not the name of something a cycle makes: ${name}`);
  return place;
}
