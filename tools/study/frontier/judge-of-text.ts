/**
 * The judge of the frontier: a language model trained on *another* text of the same kind, never on the project's, so that
 * it rewards no copying. It has tokens of its own and reads what is written as text, so that writers of any tokens are judged
 * in the same unit, nats per character. Trained once for a text and kept in a folder.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { trainBase } from '../../../main/engine/train/train.js';
import type { Tokenizer } from '../../../main/engine/tokenizer/types.js';
import { openModel } from '../../../main/jobs/models.js';
import { openTrainingText, tokenizerOf } from '../../../main/jobs/text.js';
import { environmentOf, type JobContext } from '../../../main/jobs/types.js';
import { loadModel, saveModel } from '../../../main/storage/projects/models.js';
import { projectConfigSchema, type ProjectConfig } from '../../../shared/config/index.js';
import { generatorOf } from '../../../shared/config/model.js';
import type { Passage, Readers, Surprise } from '../../../main/engine/cycle/passage-curves.js';
import type { LanguageModel } from '../../../main/engine/reward/reward.js';
import { withProgress } from '../studied.js';

export interface JudgeOfText {
  readonly model: LanguageModel;
  readonly tokenizer: Tokenizer;
}

/** What docs/experiments.md found best for a megabyte; twice the context of a tiny writer's passages. */
const settings = {
  ...{ tokenization: 'learned', vocab: 1024, architecture: 'modern', n_layer: 4, n_head: 4, n_embd: 128 },
  ...{ block_size: 128, dropout: 0, batch_size: 12, max_iters: 2000, eval_interval: 250, eval_iters: 20 },
  ...{ learning_rate: 3e-3, min_lr: 0, lr_schedule: 'linear', warmup_iters: 100, beta2: 0.99, eval_samples: 0 },
} as const;

/** @param changes settings of the judge in place of its own */
export async function judgeOfText(
  textPath: string,
  folder: string,
  changes: Readonly<Record<string, unknown>>,
  context: JobContext,
): Promise<JudgeOfText> {
  const config: ProjectConfig = projectConfigSchema.parse({ ...settings, data_path: textPath, seed: 9, ...changes });
  const sha256 = createHash('sha256').update(readFileSync(textPath)).update(JSON.stringify(changes)).digest('hex');
  const home = join(folder, `judge-${sha256.slice(0, 12)}`);
  mkdirSync(home, { recursive: true });
  const text = await openTrainingText(config, join(home, 'text'), context, {});
  try {
    const to = join(home, 'model');
    if (!existsSync(to)) {
      const env = await environmentOf(context, config);
      const model = generatorOf(config, text.tokenizer.vocabSize);
      const { weights, result } = await withProgress(home, 'judge', (slot) =>
        trainBase({
          ...{ model, train: config, seed: config.seed, trainTokens: text.train, valTokens: text.val },
          ...{ vocabulary: text.tokenizer, slot, env },
        }),
      );
      saveModel(to, {
        weights,
        config: model,
        tokenization: text.tokenization,
        provenance: { val_loss: result.val_loss },
      });
    }
    const { config: model, weights } = loadModel(to);
    return { model: { model, weights }, tokenizer: text.tokenizer };
  } finally {
    text.close();
  }
}

/** A judge that knows such a text already: a model's folder, with the tokens that are its own. */
export async function readyJudge(path: string, context: JobContext): Promise<JudgeOfText> {
  const { config: model, weights, tokenization } = openModel(path, 'generator', { context, field: 'judge_model' });
  return { model: { model, weights }, tokenizer: await tokenizerOf(tokenization) };
}

/**
 * How surprised the judge is by the rest of each passage, after its beginning. A token that the beginning ends within is
 * left out, and so is what does not fit the judge's context.
 */
export async function surpriseOf(
  { model: judge, tokenizer }: JudgeOfText,
  passages: readonly Passage[],
  readers: Readers,
): Promise<Surprise> {
  const { characters: lengths } = tokenizer.lengths();
  const whole = passages.map(({ beginning, completion }) => tokenizer.encode(beginning + completion));
  // No longer than they are, as a judge may read a thousand tokens at once; of few lengths, as each is compiled anew.
  const longest = Math.max(2, ...whole.map(({ length }) => length));
  const T = Math.min(judge.model.block_size, 2 ** Math.ceil(Math.log2(longest)));
  const ids = whole.map((own) => own.slice(0, T));
  const from = passages.map(({ beginning }) => [...beginning].length);
  const rows = new Uint32Array(passages.length * T);
  ids.forEach((own, row) => rows.set(own, row * T));
  const logProbs = await readers.logProbs(judge, rows, T);
  const nats = new Float64Array(passages.length);
  const characters = new Float64Array(passages.length);
  ids.forEach((own, row) => {
    let place = lengths[own[0] ?? 0] ?? 0;
    for (let t = 1; t < own.length; t++) {
      const length = lengths[own[t] ?? 0] ?? 0;
      if (place >= (from[row] ?? 0)) {
        // Column t − 1 is the score of token t.
        nats[row] = (nats[row] ?? 0) - (logProbs[row * (T - 1) + t - 1] ?? NaN);
        characters[row] = (characters[row] ?? 0) + length;
      }
      place += length;
    }
  });
  return { nats, characters };
}
