/**
 * The question that every such method must stand: what would the same time have given, spent on ordinary training? The
 * base model is trained on, from where it is, for as long as GRPO took, and for as long as everything after base training
 * took (critic, reward data and reward models included); both are judged like the cycles' generators.
 */
import { readFileSync } from 'node:fs';
import type { CycleReport } from '../../main/engine/cycle-types.js';
import { judgeWriting } from '../../main/engine/judgement.js';
import { createCopyIndex } from '../../main/engine/text-statistics.js';
import { trainBase } from '../../main/engine/train.js';
import type { CheckpointSlot } from '../../main/engine/types.js';
import { environmentOf, type JobContext } from '../../main/jobs/types.js';
import { loadModel } from '../../main/storage/models.js';
import { projectPaths } from '../../main/storage/project-paths.js';
import { openTokenFile } from '../../main/storage/token-files.js';
import { projectConfigSchema } from '../../shared/config/index.js';

export interface Supervised {
  readonly after_grpo_time: SupervisedFigures;
  readonly after_all_time: SupervisedFigures;
}

interface SupervisedFigures {
  readonly steps: number;
  readonly perplexity_change: number;
  readonly judge_gain_nats: number;
  readonly distinct3_ratio: number;
}

const nothingKept: CheckpointSlot = { latest: async () => null, save: async () => undefined };

export async function supervisedInstead(
  folder: string,
  reports: readonly CycleReport[],
  context: JobContext,
): Promise<Supervised | null> {
  const paths = projectPaths(folder);
  const [first] = reports;
  const judged = first?.judgement;
  if (!first?.base || !judged || reports.length < 2) return null;
  const stored = JSON.parse(readFileSync(paths.config, 'utf8')) as { readonly config: unknown };
  const config = projectConfigSchema.parse(stored.config);
  const seconds = phaseSeconds(readFileSync(paths.events, 'utf8'));
  const perStep = (config.batch_size * config.block_size) / first.base.tokens_per_second;
  const base = loadModel(paths.model('base_model_v1'));
  const judge = loadModel(paths.model('judge_model_v1'));
  const env = await environmentOf(context, config);
  const train = openTokenFile(`${paths.data}/train.bin`);
  const val = openTokenFile(`${paths.data}/val.bin`);
  const figuresAfter = async (time: number): Promise<SupervisedFigures> => {
    const steps = Math.max(1, Math.round(time / perStep));
    const { weights, result } = await trainBase({
      model: base.config,
      train: { ...config, max_iters: steps, warmup_iters: Math.min(config.warmup_iters, steps), patience: 1e6 },
      seed: config.seed + 2 ** 46,
      ...{ trainTokens: train, valTokens: val, slot: nothingKept, from: base.weights, env },
    });
    const after = await judgeWriting(
      { model: base.config, weights },
      {
        judge: { model: judge.config, weights: judge.weights },
        ...{ valTokens: val, copies: createCopyIndex(train), tokenization: base.tokenization.method },
        ...{ generation: config, vocabLimit: base.config.vocab_size },
        ...{ passages: judged.generator.passages, seed: config.seed, env },
      },
    );
    const gain = (sort: 'unconditional' | 'prompted') => judged.generator[sort].mean - after[sort].mean;
    return {
      steps,
      perplexity_change: result.perplexity / first.perplexity - 1,
      judge_gain_nats: (gain('unconditional') + gain('prompted')) / 2,
      distinct3_ratio: (after.distinct_3 ?? NaN) / (judged.natural.distinct_3 ?? NaN),
    };
  };
  const grpo = seconds('grpo');
  const all = grpo + ['critic', 'reward_data', 'reward_model'].reduce((sum, phase) => sum + seconds(phase), 0);
  try {
    return { after_grpo_time: await figuresAfter(grpo), after_all_time: await figuresAfter(all) };
  } finally {
    train.close();
    val.close();
  }
}

/** How long each phase took, from events.jsonl; phases of all cycles together. */
function phaseSeconds(events: string): (phase: string) => number {
  const began = new Map<string, number>();
  const total = new Map<string, number>();
  for (const line of events.split('\n')) {
    if (line === '') continue;
    const { at, event, phase, state, name } = JSON.parse(line) as Readonly<Record<string, string>>;
    if (event !== 'phase' || phase === undefined) continue;
    const key = `${phase} ${String(name)}`;
    if (state === 'started') began.set(key, Date.parse(at ?? ''));
    if (state !== 'finished') continue;
    const from = began.get(key);
    if (from !== undefined) total.set(phase, (total.get(phase) ?? 0) + (Date.parse(at ?? '') - from) / 1000);
  }
  return (phase) => total.get(phase) ?? 0;
}
