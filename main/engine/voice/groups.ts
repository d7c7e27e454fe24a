/** Groups of continuations: written by the policy, rewarded by the voice, and the best and the worst of each as a pair. */
import type { GrpoConfig } from '../../../shared/config/grpo.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import { passageShape, VOICE_ROUND, type PassageShape } from '../../../shared/config/voice.js';
import { joined } from '../generate/generate.js';
import { createParameters, type Parameters } from '../model/model.js';
import { streams } from '../rng.js';
import type { Session } from '../runtime/types.js';
import { distinctN } from '../statistics/text-statistics.js';
import type { Taste } from '../taste/taste.js';
import { decodeContinued, type Vocabulary } from '../tokenizer/types.js';
import type { Environment, HostArray, LanguageModel, NamedArrays, TokenIds, TokenSource } from '../types.js';
import type { Level } from './brakes.js';
import { createContinuer, createReader, drawPassages, logRatiosOf, type Drawn } from './passages.js';

export interface GroupOptions extends LanguageModel, Drawn {
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

/** Groups of some steps: passages (N, L), their log ratios, rewards and log p under the policy that wrote them, (N) each. */
export interface Groups {
  /** One for each group, with what follows it in the text. */
  readonly prompts: TokenIds;
  readonly ids: TokenIds;
  readonly reference: Float32Array;
  readonly logRatios: Float32Array;
  readonly rewards: Float32Array;
  readonly seconds: Readonly<Record<'generate' | 'score', number>>;
}

/** Nats per token that a passage loses for a repeated pair of tokens beyond the text's share of them. */
const REPETITION = 3;

/**
 * Writes the groups of a round at once: large batches are cheaper, and what the writer says of its own tokens needs no second reading.
 * @param model without dropout
 */
export function createGroups(options: GroupOptions, session: Session, model: GPTConfig, policy: Parameters) {
  const { trainTokens, config, seed, env } = options;
  const { group_size: size, prompts_per_step: groups } = config;
  const shape = passageShape(model);
  const write = createContinuer(session, model, policy, env, { ...options, rows: VOICE_ROUND * size * groups });
  const compare = createComparison(options, session, model, policy);
  const reward = createReward(options, shape);
  const rewardsOf = (ids: TokenIds, logRatios: Float32Array) =>
    logRatios.map((logRatio, row) => reward(ids.subarray(row * shape.length, (row + 1) * shape.length), logRatio));

  const promptsFrom = (step: number) =>
    joined(
      Array.from({ length: VOICE_ROUND }, (_, at) => ({
        ids: drawPassages(trainTokens, groups, shape, { seed, step: step + at }),
      })),
    );

  return {
    /** @param step the first of the round, from 1 @returns null if the user stopped */
    async write(step: number): Promise<Groups | null> {
      const startedAt = env.now();
      const prompts = promptsFrom(step);
      const noise = { seed, stream: streams.voiceGeneration, first: step * size * groups };
      const written = await write(prompts, noise, size);
      if (!written) return null;
      const writtenAt = env.now();
      const { ids, logProbs: reference } = written;
      const logRatios = await compare(ids, reference);
      const seconds = { generate: (writtenAt - startedAt) / 1000, score: (env.now() - writtenAt) / 1000 };
      return { prompts, ids, reference, logRatios, rewards: rewardsOf(ids, logRatios), seconds };
    },

    /** What a checkpoint stores of groups; 32-bit floats hold every id. */
    stored({ ids, reference, logRatios }: Groups): NamedArrays {
      const flat = (data: Float32Array): HostArray => ({ shape: [data.length], data });
      return { ids: flat(Float32Array.from(ids)), reference: flat(reference), logRatios: flat(logRatios) };
    },

    restored(step: number, stored: NamedArrays): Groups {
      const floats = (name: string) => Float32Array.from(stored[name]?.data ?? []);
      const [ids, logRatios] = [Uint32Array.from(floats('ids')), floats('logRatios')];
      const rest = { reference: floats('reference'), rewards: rewardsOf(ids, logRatios) };
      return { prompts: promptsFrom(step), ids, logRatios, ...rest, seconds: { generate: 0, score: 0 } };
    },
  };
}

/** Compiles reading by the untrained model. @returns by how many nats per token passages are likelier for their writer; zeros without one */
function createComparison({ untrained, env }: GroupOptions, session: Session, model: GPTConfig, policy: Parameters) {
  if (!untrained) return (_ids: TokenIds, own: Float32Array) => Promise.resolve(new Float32Array(own.length));
  const { lora: _adapters, ...plain } = model;
  // Adapters off: the same weights.
  const parameters = model.lora ? policy : createParameters(session, untrained.weights, 'untrained.');
  const read = createReader(session, [{ model: plain, parameters }], env);
  return (ids: TokenIds, own: Float32Array) => logRatiosOf({ ids, logProbs: own }, read, passageShape(model));
}

/** The reward of a passage (L) by the user's taste, or by its log ratio less what it repeats beyond the text. */
function createReward({ taste, vocabulary, text }: GroupOptions, { prompt }: PassageShape) {
  return (passage: TokenIds, logRatio: number): number => {
    if (taste) {
      const written = decodeContinued(vocabulary, passage, prompt);
      return taste.score(written.prompt, written.completion, logRatio);
    }
    const repeated = 1 - (distinctN([passage.subarray(prompt)], 2) ?? 1);
    return logRatio - REPETITION * Math.max(0, repeated - text.repeated.mean);
  };
}

/** The groups of one step of a round. @param at from 0 */
export function groupsOfStep({ prompts, ids, reference, logRatios, rewards, seconds }: Groups, at: number): Groups {
  const part = <T extends TokenIds | Float32Array>(all: T) => {
    const count = all.length / VOICE_ROUND;
    return all.subarray(at * count, (at + 1) * count) as T;
  };
  return {
    prompts: part(prompts),
    ids: part(ids),
    reference: part(reference),
    logRatios: part(logRatios),
    rewards: part(rewards),
    seconds: { generate: seconds.generate / VOICE_ROUND, score: seconds.score / VOICE_ROUND },
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
