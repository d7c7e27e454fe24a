/**
 * `npm run study:recipe`: which settings of base training learn most in the same processor seconds? Each variant
 * (variants.ts) is trained for as many steps as fit the seconds on one thread; its schedule fits those steps. Told are nats
 * per character of the whole held-out tenth, and the share of words that the text knows in what it writes. Compiling and
 * measuring do not count. Every trial is kept in the folder: a study that was stopped resumes.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { generate } from '../../../main/engine/generate/generate.js';
import { sentenceBeginnings } from '../../../main/engine/generate/samples.js';
import { streams } from '../../../main/engine/rng.js';
import { knownWords, shareOfKnownIn } from '../../../main/engine/statistics/words.js';
import { trainBase } from '../../../main/engine/train/train.js';
import { nothingKept, type Environment } from '../../../main/engine/types.js';
import { createRuntimeLoader } from '../../../main/jobs/machine/runtime.js';
import { environmentOf, type JobContext } from '../../../main/jobs/types.js';
import { openTrainingText, type OpenText } from '../../../main/jobs/text.js';
import { generatorOf } from '../../../shared/config/model.js';
import { parameterCount } from '../../../shared/architectures/index.js';
import { acrossSeeds } from '../results.js';
import { kept } from '../studied.js';
import { readOptions, usage, type Options } from './options.js';
import { stepSeconds } from './speed.js';
import { configOf, variants } from './variants.js';

/** What every trial is held against. */
const REFERENCE = 'classic';
const PASSAGES = 32;
/** Of each passage, after its beginning. */
const CHARACTERS = 200;

export async function main(root: string, args: readonly string[]): Promise<number> {
  const read = readOptions(root, args);
  if (typeof read === 'string') {
    process.stderr.write(`${read}\n\n${usage}\n`);
    return 2;
  }
  const { json, ...options } = read;
  const whole = await study(options);
  process.stdout.write(table(whole.variants));
  if (json !== null) {
    mkdirSync(dirname(json), { recursive: true });
    writeFileSync(json, `${JSON.stringify(whole, null, 2)}\n`);
  }
  return 0;
}

async function study(options: Options) {
  const context = oneThread();
  const env = await environmentOf(context);
  if (env.runtime.notice !== null) throw new Error(env.runtime.notice);
  const sha256 = createHash('sha256').update(readFileSync(options.text)).digest('hex');
  const { seconds: limit, steps } = options;
  const length = steps === null ? { processor_seconds: limit } : { steps };
  const folder = join(options.folder, `${sha256.slice(0, 12)}-${String(steps === null ? limit : 'steps')}`);
  mkdirSync(folder, { recursive: true });
  const rows: Row[] = [];
  for (const name of options.names) {
    const speed =
      steps === null
        ? await speedOf(name, { ...options, folder }, context, env)
        : { ...(await sizeOf(name, { ...options, folder }, context)), steps };
    const trials = [];
    for (const seed of options.seeds) {
      trials.push(await trial(name, seed, speed.steps, { ...options, folder }, context, env));
      process.stderr.write(`${name}, seed ${String(seed)}: ${JSON.stringify(trials.at(-1))}\n`);
    }
    const { from, change } = variants[name] ?? { from: null, change: {} };
    rows.push({ name, from, change, ...speed, seeds: options.seeds, trials });
  }
  return { text_sha256: sha256, ...length, variants: rows.map(summed) };
}

interface Trial {
  readonly nats_per_character: number | null;
  readonly words_known: number | null;
  readonly loss: number;
}

interface Row {
  readonly name: string;
  readonly from: string | null;
  readonly change: object;
  /** Absent where the steps were given. */
  readonly seconds_per_step?: number;
  readonly steps: number;
  readonly parameters: number;
  readonly seeds: readonly number[];
  readonly trials: readonly Trial[];
}

const summed = (row: Row) => ({
  ...row,
  across: acrossSeeds(row.trials.map(({ nats_per_character, words_known }) => ({ nats_per_character, words_known }))),
});

/** A variant's text, as it is tokenized there; prepared once. */
async function withText<T>(
  name: string,
  { text, folder }: Pick<Options, 'text' | 'folder'>,
  context: JobContext,
  use: (opened: OpenText) => Promise<T>,
): Promise<T> {
  const config = configOf(name, { data_path: text });
  const opened = await openTrainingText(
    config,
    join(folder, `${config.tokenization}-${String(config.vocab)}`),
    context,
    {},
  );
  try {
    return await use(opened);
  } finally {
    opened.close();
  }
}

/** Steps that fit the seconds. The reference is timed once; every other by how it compares with it, in turns. */
async function speedOf(name: string, options: Options, context: JobContext, env: Environment) {
  const timed = (which: string) =>
    withText(which, options, context, async ({ train, tokenizer }) => ({
      config: configOf(which, {}),
      vocabSize: tokenizer.vocabSize,
      // A stretch of it, so that the file need not stay open.
      tokens: inMemory(train.read(0, Math.min(train.length, 100_000))),
    }));
  const reference = await kept(options.folder, `speed-${REFERENCE}`, async () => {
    const [seconds = NaN] = stepSeconds(env, [await timed(REFERENCE)]);
    return { seconds };
  });
  const { parameters } = await sizeOf(name, options, context);
  const { times } =
    name === REFERENCE
      ? { times: 1 }
      : await kept(options.folder, `speed-${name}`, async () => {
          const [usual = NaN, own = NaN] = stepSeconds(env, [await timed(REFERENCE), await timed(name)]);
          return { times: own / usual };
        });
  const seconds = reference.seconds * times;
  return { seconds_per_step: seconds, steps: Math.max(1, Math.round(options.seconds / seconds)), parameters };
}

const sizeOf = (name: string, options: Options, context: JobContext) =>
  withText(name, options, context, ({ tokenizer }) =>
    Promise.resolve({ parameters: parameterCount(generatorOf(configOf(name, {}), tokenizer.vocabSize)) }),
  );

const inMemory = (ids: ArrayLike<number> & { slice(from: number, to: number): Uint16Array | Uint32Array }) => ({
  length: ids.length,
  read: (position: number, count: number) => ids.slice(position, position + count),
});

/** Trains once, measures the whole held-out tenth, and lets it write. */
const trial = (name: string, seed: number, steps: number, options: Options, context: JobContext, env: Environment) =>
  kept(options.folder, `${name}-${String(seed)}-${String(steps)}`, () =>
    withText(name, options, context, async ({ train, val, tokenizer }): Promise<Trial> => {
      const quiet = { max_iters: steps, eval_interval: 2 ** 30, eval_iters: 1, eval_samples: 0, log_interval: 2 ** 30 };
      const config = configOf(name, { seed, ...quiet });
      const model = generatorOf(config, tokenizer.vocabSize);
      const { weights, result } = await trainBase({
        ...{ model, train: config, seed, trainTokens: train, valTokens: val, vocabulary: tokenizer },
        ...{ slot: nothingKept, env },
      });
      const prompts = sentenceBeginnings(val, tokenizer, PASSAGES, Math.floor(model.block_size / 2));
      const perToken = result.val_loss / (result.nats_per_character ?? NaN);
      const texts = await generate({
        ...{ model, weights, prompts, newTokens: Math.round(CHARACTERS / perToken), seed, env },
        ...{ temperature: 0.8, topK: null, vocabLimit: tokenizer.vocabSize, stream: streams.sample },
      });
      const passages = texts.map((ids, row) => {
        const length = prompts[row]?.length ?? 0;
        return { prompt: ids.subarray(0, length), completion: ids.subarray(length) };
      });
      return {
        nats_per_character: result.nats_per_character ?? null,
        words_known: shareOfKnownIn(passages, knownWords(train, tokenizer), tokenizer),
        loss: result.val_loss,
      };
    }),
  );

function table(rows: readonly ReturnType<typeof summed>[]): string {
  const figure = (value: number | undefined, digits = 3) => value?.toFixed(digits) ?? '–';
  const lines = rows.map(({ name, from, change, parameters, steps, across }) => {
    const { nats_per_character: nats, words_known: words } = across;
    const interval = nats?.interval ? ` (${figure(nats.interval.low)} to ${figure(nats.interval.high)})` : '';
    const changed = from === null ? '' : `${from}, ${JSON.stringify(change).replaceAll(/[{}"]/g, '')}`;
    return `| ${name} | ${changed} | ${parameters.toLocaleString('en-US')} | ${String(steps)} | ${figure(nats?.mean)}${interval} | ${figure(words?.mean, 2)} |`;
  });
  const head = '| variant | changes | weights | steps | nats per character | words known |\n|---|---|---|---|---|---|';
  return `${[head, ...lines].join('\n')}\n`;
}

/** Whose clock is the processor time of this process. */
function oneThread(): JobContext {
  const stop = { requested: false };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => (stop.requested = true));
  return {
    emit: () => undefined,
    now: () => Date.now(),
    stop,
    yieldToEventLoop: () => new Promise((done) => setImmediate(done)),
    // As the product chooses it, so that steps take what they take there.
    runtime: createRuntimeLoader({ device: 'cpu', threads: 1 }, () => undefined),
  };
}
