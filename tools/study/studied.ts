/**
 * A project of the study, opened for what is measured beside it: its text, its models, its reports. What such a
 * comparison found is kept in the project's folder and not measured twice, so a study that was stopped resumes.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { CycleReport, Judgement } from '../../shared/report.js';
import { judgeWriting } from '../../main/engine/cycle/judgement.js';
import { criticName, judgeName, trainScoringModel } from '../../main/engine/cycle/scoring-models.js';
import type { LanguageModel } from '../../main/engine/reward/reward.js';
import { createCopyIndex, type CopyIndex } from '../../main/engine/statistics/text-statistics.js';
import type { CheckpointSlot, Environment, RewardSamples, TokenSource } from '../../main/engine/types.js';
import { tokenizerOf } from '../../main/jobs/text.js';
import { environmentOf, type JobContext } from '../../main/jobs/types.js';
import { writeFileAtomic } from '../../main/storage/disk/atomic.js';
import { createCheckpointSlot } from '../../main/storage/projects/checkpoint-store.js';
import { loadModel, saveModel } from '../../main/storage/projects/models.js';
import { projectPaths } from '../../main/storage/projects/project-paths.js';
import { openRewardDataset } from '../../main/storage/datasets/reward-dataset-files.js';
import { openTokenFile } from '../../main/storage/datasets/token-files.js';
import type { GenerationConfig } from '../../shared/config/generation.js';
import { projectConfigSchema, type ProjectConfig } from '../../shared/config/index.js';
import type { TokenizationMethod, Vocabulary } from '../../main/engine/tokenizer/types.js';

/** A project with cycles, without the judge that is trained for the study. */
export interface StudiedProject {
  readonly folder: string;
  readonly config: ProjectConfig;
  readonly reports: readonly CycleReport[];
  readonly tokens: { readonly train: TokenSource; readonly val: TokenSource };
  readonly tokenization: TokenizationMethod;
  readonly vocabulary: Vocabulary;
  readonly base: LanguageModel;
  generator(name: string): LanguageModel;
  readonly critic: LanguageModel;
  /** Of cycle 1. */
  readonly samples: { readonly train: RewardSamples; readonly val: RewardSamples };
  readonly env: Environment;
  /** Keeps a model of the study's in the project's folder, and gives it back. */
  keep(name: string, model: LanguageModel): void;
  keptModel(name: string): LanguageModel;
}

export interface Studied extends StudiedProject {
  readonly judge: LanguageModel;
  /** Judges as the project's cycles do, so that figures stand beside each other. */
  judged(generator: LanguageModel | null, passages: number, generation?: Partial<GenerationConfig>): Promise<Judgement>;
}

/** For what takes longer than a person waits twice: stopped, it resumes where it was. Its checkpoints go when it is done. */
export async function withProgress<T>(
  folder: string,
  name: string,
  use: (slot: CheckpointSlot) => Promise<T>,
): Promise<T> {
  const progress = join(folder, `${name}.progress`);
  const onNotice = (message: string) => process.stderr.write(`${message}\n`);
  const found = await use(createCheckpointSlot(progress, { onNotice }));
  rmSync(progress, { recursive: true, force: true });
  return found;
}

/** Reports of the cycles that a project has finished, base training first. */
function reportsOf(folder: string): CycleReport[] {
  const paths = projectPaths(folder);
  const reports: CycleReport[] = [];
  for (let cycle = 0; existsSync(paths.cycle(cycle).report); cycle++) {
    reports.push(JSON.parse(readFileSync(paths.cycle(cycle).report, 'utf8')) as CycleReport);
  }
  return reports;
}

export async function withProject<T>(
  folder: string,
  context: JobContext,
  use: (project: StudiedProject) => Promise<T>,
): Promise<T> {
  const paths = projectPaths(folder);
  const stored = JSON.parse(readFileSync(paths.config, 'utf8')) as { readonly config: unknown };
  const config = projectConfigSchema.parse(stored.config);
  const languageModel = (place: string): LanguageModel => {
    const { config: model, weights } = loadModel(place);
    return { model, weights };
  };
  const base = loadModel(paths.model('base_model_v1'));
  const train = openTokenFile(join(paths.data, 'train.bin'));
  const val = openTokenFile(join(paths.data, 'val.bin'));
  const data = (split: 'train' | 'val') => openRewardDataset(paths.cycle(1).rewardData, split);
  const samples = { train: data('train'), val: data('val') };
  const { tokenization } = base;
  try {
    return await use({
      folder,
      config,
      reports: reportsOf(folder),
      tokens: { train, val },
      samples,
      env: await environmentOf(context, config),
      tokenization: tokenization.method,
      vocabulary: await tokenizerOf(tokenization),
      base: { model: base.config, weights: base.weights },
      critic: languageModel(paths.model(criticName(1))),
      generator: (name) => languageModel(paths.model(name)),
      keep: (name, { model, weights }) =>
        saveModel(join(folder, name), { weights, config: model, tokenization, provenance: { name } }),
      keptModel: (name) => languageModel(join(folder, name)),
    });
  } finally {
    for (const opened of [train, val, samples.train, samples.val]) opened.close();
  }
}

export const withStudied = <T>(
  folder: string,
  context: JobContext,
  use: (studied: Studied) => Promise<T>,
): Promise<T> =>
  withProject(folder, context, async (project) => {
    const { config, base, tokens, env } = project;
    const judge = await judgeOf(folder, config, base, tokens, env);
    // Of the whole training text, so not for every judgement again.
    let copies: CopyIndex | null = null;
    return use({
      ...project,
      judge,
      judged: (generator, passages, changes = {}) =>
        judgeWriting(generator, {
          copies: (copies ??= createCopyIndex(tokens.train)),
          judge,
          valTokens: tokens.val,
          tokenization: project.tokenization,
          generation: { ...config, ...changes },
          vocabLimit: base.model.vocab_size,
          passages,
          seed: config.seed,
          env,
        }),
    });
  });

/** The project's judge; trained now where it has none. */
async function judgeOf(
  folder: string,
  config: ProjectConfig,
  generator: LanguageModel,
  tokens: { readonly train: TokenSource; readonly val: TokenSource },
  env: Environment,
): Promise<LanguageModel> {
  const to = projectPaths(folder).model(judgeName);
  if (!existsSync(to)) {
    const { tokenization } = loadModel(projectPaths(folder).model('base_model_v1'));
    await withProgress(folder, 'judge', async (slot) => {
      const options = { config, generator: generator.model, tokens, slot, env };
      const { model, weights } = await trainScoringModel('judge', options);
      saveModel(to, { weights, config: model, tokenization, provenance: { name: judgeName } });
    });
  }
  const { config: model, weights } = loadModel(to);
  return { model, weights };
}

const keptFile = (folder: string, name: string): string => join(folder, `${name.replaceAll(/[^\w.]+/g, '-')}.json`);
export const isKept = (folder: string, name: string): boolean => existsSync(keptFile(folder, name));

/** What `name` found in this project: as it was kept, or measured now and kept. */
export async function kept<T>(folder: string, name: string, measure: () => Promise<T>): Promise<T> {
  const file = keptFile(folder, name);
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as T;
  const found = await measure();
  writeFileAtomic(file, `${JSON.stringify(found, null, 2)}\n`);
  return found;
}
