/** Groups of continuations: written by the policy, rewarded by the voice, and the best and the worst of each as a pair. */
import type { GrpoConfig } from '../../../shared/config/grpo.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import { passageShape } from '../../../shared/config/voice.js';
import { createSharedParameters, trainedOf } from '../model/adapters.js';
import { createParameters, type Parameters } from '../model/model.js';
import { streams } from '../rng.js';
import type { Session } from '../runtime/types.js';
import { distinctN } from '../statistics/text-statistics.js';
import type { Taste } from '../taste/taste.js';
import { decodeContinued, type Vocabulary } from '../tokenizer/types.js';
import type { Environment, LanguageModel, NamedArrays, TokenIds, TokenSource } from '../types.js';
import type { Level } from './brakes.js';
import { continuationsOf, createContinuer, createReader, drawPassages, type Drawn } from './passages.js';

export interface GroupOptions extends LanguageModel, Drawn {
  /** The adapters or weights of base_model_v1, which has read the text: its likelihood rewards. */
  readonly tuned: NamedArrays;
  /** The model that base training began with; null if it began with nothing, so that there is no log ratio. */
  readonly untrained: LanguageModel | null;
  readonly text: Level;
  /** Rewards in place of the voice. */
  readonly taste?: Pick<Taste, 'score' | 'certain'>;
  readonly vocabulary: Vocabulary;
  readonly trainTokens: TokenSource;
  readonly config: GrpoConfig;
  readonly seed: number;
  readonly env: Environment;
}

/** The groups of a step: passages (N, L), their log ratios, rewards and log p under the model that the cycle began with, (N) each. */
export interface Groups {
  /** One for each group, with what follows it in the text. */
  readonly prompts: TokenIds;
  readonly ids: TokenIds;
  readonly logRatios: Float32Array;
  readonly reference: Float32Array;
  readonly rewards: Float32Array;
  readonly seconds: Readonly<Record<'generate' | 'score', number>>;
}

/** Nats per token that a passage loses for a repeated pair of tokens beyond the text's share of them. */
const REPETITION = 3;

/** @param model without dropout @returns a function of a step, from 1; null if the user stopped */
export function createGroups(options: GroupOptions, session: Session, model: GPTConfig, policy: Parameters) {
  const { trainTokens, config, text, taste, vocabulary, seed, env } = options;
  const { group_size: size, prompts_per_step: groups } = config;
  const shape = passageShape(model);
  const write = createContinuer(session, model, policy, env, { ...options, rows: size * groups });
  const score = createScorer(options, session, model, policy);
  return async (step: number): Promise<Groups | null> => {
    const startedAt = env.now();
    const prompts = drawPassages(trainTokens, groups, shape, { seed, step });
    const noise = { seed, stream: streams.voiceGeneration, first: step * size * groups };
    const ids = await write(prompts, noise, size);
    if (!ids) return null;
    const writtenAt = env.now();
    const scored = await score(ids);
    const rewards = Float32Array.from(continuationsOf(ids, shape), (passage, row) => {
      if (taste) {
        const whole = ids.subarray(row * shape.length, (row + 1) * shape.length);
        const { prompt, completion } = decodeContinued(vocabulary, whole, shape.prompt);
        return taste.score(prompt, completion, scored.logRatios[row]);
      }
      const repeated = 1 - (distinctN([passage], 2) ?? 1);
      return (scored.logRatios[row] ?? NaN) - REPETITION * Math.max(0, repeated - text.repeated.mean);
    });
    const seconds = { generate: (writtenAt - startedAt) / 1000, score: (env.now() - writtenAt) / 1000 };
    return { prompts, ids, ...scored, rewards, seconds };
  };
}

/** Compiles reading of continuations by the tuned, the untrained and the start's network, which may be the tuned one. */
function createScorer(
  { weights, tuned, untrained, env }: GroupOptions,
  session: Session,
  model: GPTConfig,
  policy: Parameters,
) {
  const { lora: _adapters, ...plain } = model;
  const there = { weights, parameters: policy };
  const isFirst = Object.keys(trainedOf(model, weights)).every((name) => tuned[name] === weights[name]);
  const reference = createSharedParameters(session, model, weights, 'reference.', there);
  const own = { model, parameters: reference };
  const readers = untrained
    ? [
        isFirst ? own : { model, parameters: createSharedParameters(session, model, tuned, 'tuned.', there) },
        // Adapters off: the same weights.
        { model: plain, parameters: model.lora ? policy : createParameters(session, untrained.weights, 'untrained.') },
        ...(isFirst ? [] : [own]),
      ]
    : [own];
  const read = createReader(session, readers, env);
  const { continuation } = passageShape(model);
  return async (ids: TokenIds) => {
    const all = await read(ids);
    const column = (reader: number) => all.filter((_, at) => at % readers.length === reader);
    const [first, others] = [column(0), column(1)];
    const logRatios = first.map((value, row) => (untrained ? (value - (others[row] ?? NaN)) / continuation : 0));
    return { logRatios, reference: readers.length > 2 ? column(2) : first };
  };
}

/** The rewards of each group. */
export const groupsOf = (rewards: Float32Array, size: number): number[][] =>
  Array.from({ length: rewards.length / size }, (_, group) =>
    Array.from(rewards.subarray(group * size, (group + 1) * size)),
  );

/** The best of each group, the worst of each, and the text itself, (3P, L); log p of the pairs under the reference, (2P). */
export function pairsOf({ prompts, ids, reference, rewards }: Groups, size: number) {
  const groups = groupsOf(rewards, size);
  const extreme = (value: (...values: number[]) => number) =>
    groups.map((group, at) => at * size + group.indexOf(value(...group)));
  const rows = [...extreme(Math.max), ...extreme(Math.min)];
  const length = ids.length / rewards.length;
  const passages = new Int32Array(rows.length * length + prompts.length);
  rows.forEach((row, at) => passages.set(ids.subarray(row * length, (row + 1) * length), at * length));
  passages.set(prompts, rows.length * length);
  return { ids: passages, reference: Float32Array.from(rows, (row) => reference[row] ?? NaN) };
}
