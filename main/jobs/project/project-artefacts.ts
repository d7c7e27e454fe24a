/**
 * What the phases of a project make, each whole or not there at all: models, reward data, what a reward model makes of
 * it, and the report that ends a cycle.
 */
import { localized } from '../../../shared/messages/message.js';
import { dirname } from 'node:path';
import { UserError } from '../../../shared/errors.js';
import { reportSchema, type CycleReport } from '../../../shared/reports/report.js';
import type { ProjectStore } from '../../engine/cycle/cycle-types.js';
import { plainJson } from '../../formats/stable-json.js';
import { openRewardDataset } from '../../storage/datasets/reward-dataset-files.js';
import { createRewardDatasetWriter, recoverRewardDataset } from '../../storage/datasets/reward-dataset-writer.js';
import { ensureFolder, writeFileAtomic } from '../../storage/disk/atomic.js';
import { kindAt } from '../../storage/disk/file-operations.js';
import { readJson, writeJson } from '../../storage/disk/json-file.js';
import { readJsonLines } from '../../storage/disk/json-lines.js';
import { loadModel, saveModel } from '../../storage/projects/models.js';
import type { ProjectPaths } from '../../storage/projects/project-paths.js';
import { rewardDataFacts } from '../run/reward-data-settings.js';
import type { OpenedProject } from './project.js';

/** Finished models under their names. */
export function projectModels({
  project: { paths },
  config,
  text,
}: OpenedProject): Pick<ProjectStore, 'loadModel' | 'saveModel'> {
  const { tokenization } = text;
  return {
    async loadModel(name) {
      if (!isThere(paths.model(name))) return null;
      const { config: model, weights } = loadModel(paths.model(name));
      return { model, weights };
    },
    async saveModel(name, { model, weights }, facts) {
      // Adapters say what they belong to.
      const from = model.lora && config.init_from !== undefined ? { init_from: config.init_from } : {};
      const provenance = { ...plainJson(facts), ...from, name };
      saveModel(paths.model(name), { weights, config: model, tokenization, provenance });
    },
  };
}

/**
 * The reward data of a cycle, and what its reward model makes of it.
 * @param beginWork called before any is made
 */
export function projectRewardData(
  { project: { paths }, config, text }: OpenedProject,
  beginWork: () => Promise<unknown>,
): Required<Pick<ProjectStore, 'openRewardData' | 'createRewardData' | 'savePredictions'>> {
  return {
    async openRewardData(name) {
      const folder = paths.artefact(name);
      recoverRewardDataset(folder);
      if (!isThere(folder)) return null;
      return { train: openRewardDataset(folder, 'train'), val: openRewardDataset(folder, 'val') };
    },
    async createRewardData(name, { model, weights }, seed) {
      await beginWork();
      const folder = paths.artefact(name);
      ensureFolder(dirname(folder));
      const { tokenizer, metaPath } = text;
      const writer = createRewardDatasetWriter(folder, {
        ...rewardDataFacts({ model, weights, text, config, seed, vocabSize: tokenizer.vocabSize }),
        tokenization: { method: tokenizer.method, vocabSize: tokenizer.vocabSize, metaPath },
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
      // Not with the report: the samples that were judged most wrongly are looked at while GRPO still runs.
      writeFileAtomic(paths.cycle(cycle).rewardPredictions, `${JSON.stringify([...predictions])}\n`);
    },
  };
}

/** @throws UserError `file_damaged`; null for a cycle that is not over */
export function loadReport(paths: ProjectPaths, cycle: number): CycleReport | null {
  const file = paths.cycle(cycle).report;
  const damaged = (cause: unknown) =>
    new UserError(
      {
        code: 'file_damaged',
        message: localized('cycleReport.damaged', { file }),
        hint: localized('cycleReport.delete'),
      },
      { cause },
    );
  return readJson(file, reportSchema, { damaged });
}

/** Ends a cycle: its samples, then the report, which is what says that it is over. */
export function saveReport(paths: ProjectPaths, report: CycleReport): void {
  const { folder, samples, report: file } = paths.cycle(report.cycle);
  ensureFolder(folder);
  const rows = report.samples.map((sample) => JSON.stringify({ cycle: report.cycle, name: report.name, ...sample }));
  const earlier = [...readJsonLines(samples, (row) => JSON.stringify(row))];
  writeFileAtomic(samples, [...earlier, ...rows].map((row) => `${row}\n`).join(''));
  writeJson(file, plainJson(report));
}

const isThere = (path: string): boolean => kindAt(path) !== 'none';
