/**
 * The cycle's store on a project folder: a run store of many phases, and what they make, each whole or absent: models,
 * reward data, predictions of a reward model, and the report that ends a cycle.
 */
import { dirname } from 'node:path';
import { z } from 'zod';
import { UserError } from '../../../shared/errors.js';
import { onFile } from '../../../shared/file-errors.js';
import { localized } from '../../../shared/messages/message.js';
import type { JobEvent } from '../../../shared/phases/events.js';
import { placeOfArtefact } from '../../../shared/phases/index.js';
import { reportSchema, type CycleReport } from '../../../shared/reports/report.js';
import type { ProjectStore } from '../../engine/cycle/cycle-types.js';
import { plainJson } from '../../formats/stable-json.js';
import { openRewardDataset, type RewardDataset, type Split } from '../../storage/datasets/reward-dataset-files.js';
import { createRewardDatasetWriter, recoverRewardDataset } from '../../storage/datasets/reward-dataset-writer.js';
import { ensureFolder, writeFileAtomic } from '../../storage/disk/atomic.js';
import { kindAt, nodeFileOperations } from '../../storage/disk/file-operations.js';
import { readJson, writeJson } from '../../storage/disk/json-file.js';
import { readJsonLines } from '../../storage/disk/json-lines.js';
import { loadModel, saveModel } from '../../storage/projects/models.js';
import { peopleSay } from '../../storage/projects/outcome.js';
import type { ProjectPaths } from '../../storage/projects/project-paths.js';
import { openInitialCritic, openInitialModel } from '../initial-models.js';
import { rewardDataFacts } from '../run/reward-data-settings.js';
import { readableChoices } from '../writing/readable.js';
import { openRunStore, type PhaseFiles, type RunFiles } from '../run/run-store.js';
import type { JobContext } from '../types.js';
import type { OpenedProject } from './project.js';

export interface LoggingStore extends ProjectStore {
  /** The context whose events are also stored: metrics by cycle, others in events.jsonl. */
  readonly context: JobContext;
  /** Stores an event without emitting it. */
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
      // The text was prepared, and that was reported, before there was a store.
      if (event.event !== 'phase' || event.phase !== 'prepare') run.context.emit(event);
    },
  };

  const rewardData: RewardDataset[] = [];
  const { train, val, tokenizer, tokenization } = text;
  const tokens = { ...tokenizer, train, val };
  return {
    context,
    log: run.log.store,
    close: () => [...rewardData, run.log].forEach((one) => one.close()),
    prepare: async () => tokens,
    initialModel: () => openInitialModel(config, context),
    initialCritic: () => openInitialCritic(config, { tokenization, rows: config.vocab_size }, context),
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
    ...artefactsOf(opened, run.beginWork, rewardData),
    keepCompletions(cycle, rows) {
      for (const row of rows) run.log.append(paths.cycle(cycle).completions, row);
    },
    loadChoices: async (cycle) => readableChoices(opened, cycle, context),
    loadVoice: async () => readJson(paths.voice, voiceTexts),
    saveVoice: async (texts) => writeJson(paths.voice, plainJson(texts)),
    async loadReport(cycle) {
      const report = loadReport(paths, cycle);
      if (report !== null) clearProgress(paths, run, cycle); // a crash may have come between the report and this
      return report;
    },
    beginCycle(cycle) {
      const { folder } = paths.cycle(cycle);
      onFile(folder, 'write', () => nodeFileOperations.makeFolder(folder));
      clearProgress(paths, run, cycle - 1);
    },
    peopleSay: (newest, previous) => peopleSay(paths.folder, newest, previous),
    async saveReport(report) {
      const { metrics, completions, samples } = paths.cycle(report.cycle);
      run.log.sync(metrics, completions);
      // Samples of its training stay; those of the cycle's model follow.
      run.log.cut(samples, { keep: (row) => 'step' in (row as object) });
      saveReport(paths, report);
      clearProgress(paths, run, report.cycle);
    },
  };
}

/** Deletes the checkpoints of a finished cycle; base training's stays until a cycle follows, so that it can go on. */
function clearProgress(paths: ProjectPaths, run: Pick<ReturnType<typeof openRunStore>, 'stored'>, cycle: number): void {
  const names = onFile(paths.checkpoints, 'read', () =>
    nodeFileOperations.kind(paths.checkpoints) === 'folder' ? nodeFileOperations.list(paths.checkpoints) : [],
  );
  for (const entry of names) {
    const [, name] = /^(.+)\.progress$/.exec(entry) ?? [];
    // Earlier versions trained reward_model_v1_hybrid and its like.
    const place = name === undefined ? null : placeOfArtefact(name.replace(/(_v\d+)_\w+$/, '$1'));
    const mayGoOn = place?.phase === 'base_training' && !isThere(paths.cycle(1).folder);
    if (name !== undefined && place?.cycle === cycle && !mayGoOn) run.stored(paths.progress(name)).clear();
  }
}

/**
 * Stores finished models, reward data, and what the reward model predicts for them.
 * @param beginWork called before any reward data is made
 * @param opened receives the reward data that is opened, for the caller to close
 */
function artefactsOf(
  { project: { paths }, config, text }: OpenedProject,
  beginWork: () => Promise<unknown>,
  opened: RewardDataset[],
) {
  const { tokenization, tokenizer, metaPath } = text;
  return {
    async loadModel(name) {
      if (!isThere(paths.model(name))) return null;
      const { config: model, weights } = loadModel(paths.model(name));
      return { model, weights };
    },
    async saveModel(name, { model, weights }, results) {
      // Adapters name the model that they belong to.
      const from = model.lora && config.init_from !== undefined ? { init_from: config.init_from } : {};
      const provenance = { ...plainJson(results), ...from, name };
      saveModel(paths.model(name), { weights, config: model, tokenization, provenance });
    },
    async openRewardData(name) {
      const folder = paths.artefact(name);
      recoverRewardDataset(folder);
      if (!isThere(folder)) return null;
      const open = (split: Split) => {
        const dataset = openRewardDataset(folder, split);
        opened.push(dataset);
        return dataset;
      };
      return { train: open('train'), val: open('val') };
    },
    async createRewardData(name, { model, weights }, seed) {
      await beginWork();
      const folder = paths.artefact(name);
      ensureFolder(dirname(folder));
      const { method, vocabSize } = tokenizer;
      const writer = createRewardDatasetWriter(folder, {
        ...rewardDataFacts({ model, weights, text, config, seed, vocabSize }),
        tokenization: { method, vocabSize, metaPath },
        overwrite: true,
      });
      return {
        settled: writer.settled,
        append: (split, x, y, settled) => writer.append(split, x, y, settled),
        finish: async () => writer.finish(),
        close: async () => writer.close(),
      };
    },
    async savePredictions(cycle, predictions) {
      // Before the report, so that the worst predictions can be inspected while GRPO runs.
      writeFileAtomic(paths.cycle(cycle).rewardPredictions, `${JSON.stringify([...predictions])}\n`);
    },
  } satisfies Partial<ProjectStore>;
}

function filesOf(paths: ProjectPaths, name: string): PhaseFiles {
  const place = placeOfArtefact(name);
  if (place === null) throw new Error(`not the name of something a cycle makes: ${name}`);
  const { cycle, phase } = place;
  const { metrics, completions, samples } = paths.cycle(cycle);
  return {
    phase,
    progress: paths.progress(name),
    metrics,
    completions: phase === 'grpo' ? completions : null,
    samples: phase === 'base_training' ? samples : null,
  };
}

/** @throws UserError `file_damaged`; null for an unfinished cycle */
function loadReport(paths: ProjectPaths, cycle: number): CycleReport | null {
  const file = paths.cycle(cycle).report;
  const damaged = (cause: unknown) => {
    const message = localized('cycleReport.damaged', { file });
    return new UserError({ code: 'file_damaged', message, hint: localized('cycleReport.delete') }, { cause });
  };
  return readJson(file, reportSchema, { damaged });
}

/** Writes a cycle's samples, then its report, which marks it as finished. */
function saveReport(paths: ProjectPaths, report: CycleReport): void {
  const { folder, samples, report: file } = paths.cycle(report.cycle);
  ensureFolder(folder);
  const rows = report.samples.map((sample) => JSON.stringify({ cycle: report.cycle, name: report.name, ...sample }));
  const earlier = [...readJsonLines(samples, (row) => JSON.stringify(row))];
  writeFileAtomic(samples, [...earlier, ...rows].map((row) => `${row}\n`).join(''));
  writeJson(file, plainJson(report));
}

/** A file that cannot be read is written again. */
const voiceTexts = z.object({ classifiers: z.array(z.string()), floor: z.array(z.string()) });

const isThere = (path: string): boolean => kindAt(path) !== 'none';
