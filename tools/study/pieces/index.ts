/**
 * A critic that knows more than the text, for a small writer from nothing: a model that can write already, cut down to the
 * tokens that the text needs and tuned to the text. `npm run study:pieces -- --model M --data_path F --folder D` leaves in D the
 * tokenizer that both share and the critic, as `npm run study -- --readers D` takes it (docs/experiments.md).
 */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { criticName, judgeName } from '../../../main/engine/cycle/scoring-models.js';
import type { LanguageModel } from '../../../main/engine/reward/reward.js';
import { loadRuntime } from '../../../main/engine/runtime/native.js';
import { perplexity } from '../../../main/engine/train/perplexity.js';
import { trainBase } from '../../../main/engine/train/train.js';
import { cacheFolder, findTensorflow } from '../../../main/installation/locations.mjs';
import { openModel } from '../../../main/jobs/models.js';
import { openTrainingText } from '../../../main/jobs/text.js';
import { environmentOf, type JobContext } from '../../../main/jobs/types.js';
import { readPretrained, TOKENIZER } from '../../../main/storage/datasets/tokenizer-files.js';
import { createCheckpointSlot } from '../../../main/storage/projects/checkpoint-store.js';
import { saveModel } from '../../../main/storage/projects/models.js';
import { projectConfigSchema } from '../../../shared/config/index.js';
import { lossByText } from '../../../shared/report.js';
import { rowsOf, subsetOf } from './subset.js';

const EMBEDDING = 'model.embed_tokens.weight';
const END = '<|endoftext|>';

/** What of a tokenizer.json is replaced. */
interface TokenizerJson {
  readonly added_tokens: readonly { readonly id: number; readonly content: string }[];
  readonly model: {
    readonly vocab: Readonly<Record<string, number>>;
    readonly merges: readonly (string | readonly [string, string])[];
  };
}

/** The tokenizer that the text is cut with, as tokenizer.json, and where its tokens stand in the whole one. */
export async function cutDown(model: string, text: string, size: number) {
  const { tokenizer, files } = await readPretrained(model);
  const json = JSON.parse(files[TOKENIZER]) as TokenizerJson;
  const tokens: (string | null)[] = [];
  for (const [token, id] of Object.entries(json.model.vocab)) tokens[id] = token;
  for (const { id, content } of json.added_tokens) tokens[id] = content;
  const merges = json.model.merges.map((one) => (typeof one === 'string' ? one.split(' ') : one) as [string, string]);
  const counts = new Map<number, number>();
  const canonical = tokenizer.encode(text);
  for (const id of canonical) counts.set(id, (counts.get(id) ?? 0) + 1);
  const whole = { tokens: Array.from(tokens, (token) => token ?? null), merges };
  const subset = subsetOf(whole, counts, size, [END]);
  const vocab = Object.fromEntries(subset.tokens.map((token, id) => [token, id]));
  const own = {
    ...json,
    added_tokens: json.added_tokens.flatMap((one) => (one.content === END ? [{ ...one, id: vocab[END] ?? 0 }] : [])),
    post_processor: null,
    model: { ...json.model, vocab, merges: subset.merges },
  };
  return { json: `${JSON.stringify(own)}\n`, subset, canonical: canonical.length };
}

/** A language model whose embedding is its head, with the rows of some tokens. */
export function withTokens({ model, weights }: LanguageModel, ids: readonly number[]): LanguageModel {
  const embedding = weights[EMBEDDING];
  if (!embedding || !model.llama?.tied_head)
    throw new Error('only a model of Llama’s family with a tied head can be cut down');
  const rows = { shape: [ids.length, model.n_embd], data: rowsOf(embedding.data, model.n_embd, ids) };
  return { model: { ...model, vocab_size: ids.length }, weights: { ...weights, [EMBEDDING]: rows } };
}

export async function main(_root: string, args: readonly string[]): Promise<number> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...{ model: text, data_path: text, folder: text },
      pieces: { ...text, default: '1536' },
      steps: { ...text, default: '60' },
      context: { ...text, default: '64' },
      seed: { ...text, default: '5' },
    },
  });
  const { model: path, data_path, folder } = values;
  if (path === undefined || data_path === undefined || folder === undefined) {
    process.stderr.write('study:pieces needs --model, --data_path and --folder\n');
    return 2;
  }
  const home = resolve(folder);
  mkdirSync(home, { recursive: true });
  const { json, subset, canonical } = await cutDown(path, readFileSync(data_path, 'utf8'), Number(values.pieces));
  const tokenizer_path = join(home, TOKENIZER);
  writeFileSync(tokenizer_path, json);
  const config = projectConfigSchema.parse({
    ...{ data_path, tokenization: 'pretrained', tokenizer_path, seed: Number(values.seed) },
    ...{ block_size: Number(values.context), batch_size: 16, max_iters: Number(values.steps), warmup_iters: 5 },
    ...{ eval_interval: 20, eval_iters: 8, learning_rate: 2e-4, min_lr: 0, lr_schedule: 'linear', eval_samples: 0 },
  });
  const context = contextOf();
  const opened = await openTrainingText(config, join(home, 'text'), context);
  try {
    const { config: shape, weights } = openModel(path, 'generator', { context, field: 'model' });
    const begun = withTokens(
      { model: { ...shape, block_size: config.block_size, dropout: 0 }, weights },
      subset.wholeIds,
    );
    const env = await environmentOf(context, config);
    const text = { trainTokens: opened.train, valTokens: opened.val, vocabulary: opened.tokenizer };
    const before = await perplexity({
      ...begun,
      tokens: opened.val,
      vocabulary: opened.tokenizer,
      phase: 'evaluation',
      env,
    });
    const began = env.now();
    const slot = createCheckpointSlot(join(home, 'critic.progress'));
    const { weights: tuned, result } = await trainBase({
      ...{ model: begun.model, train: config, seed: config.seed, ...text, slot, from: begun.weights, env },
    });
    const seconds = (env.now() - began) / 1000;
    const critic = join(home, criticName(1));
    saveModel(critic, { weights: tuned, config: begun.model, tokenization: opened.tokenization, provenance: {} });
    // `--readers` takes a judge too, which the frontier does not ask.
    cpSync(critic, join(home, judgeName), { recursive: true });
    const sizes = { pieces: subset.tokens.length, tokens: opened.train.length + opened.val.length, canonical };
    const found = { ...sizes, before: lossByText(before), after: result, processor_seconds: seconds };
    writeFileSync(join(home, 'critic.json'), `${JSON.stringify(found, null, 2)}\n`);
    process.stdout.write(`${JSON.stringify(found)}\n`);
  } finally {
    opened.close();
  }
  return 0;
}

/** Its clock is the processor's, as the study's. */
function contextOf(): JobContext {
  const now = () => (process.cpuUsage().user + process.cpuUsage().system) / 1000;
  return {
    emit(event) {
      if (event.event !== 'metrics' && event.event !== 'notice') return;
      const told = event.event === 'notice' ? event.message : JSON.stringify(event.values);
      process.stderr.write(`${(now() / 60_000).toFixed(1)} min  ${told}\n`);
    },
    now,
    stop: { requested: false },
    yieldToEventLoop: () => new Promise((done) => setImmediate(done)),
    runtime: () =>
      loadRuntime({ ...findTensorflow(), device: 'cpu', threads: null, compileCache: join(cacheFolder(), 'compiled') }),
  };
}
