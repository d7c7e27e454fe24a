/** Loads a version into the engine to write with it, and to compare it with what it began from. */
import { createWriter, type Writer } from '../../engine/generate/generate.js';
import { createParameters } from '../../engine/model/model.js';
import type { Tokenizer } from '../../engine/tokenizer/index.js';
import type { Environment, TokenIds } from '../../engine/types.js';
import { createChoiceReader } from '../../engine/voice/choices.js';
import { environmentOf, type JobContext } from '../types.js';
import { openVersion, type Version } from './version.js';

export interface WritingOptions {
  /** Tokens that the model sees at once. */
  readonly window: number;
  readonly tokenizer: Tokenizer;
  /** Of the request that is being answered. */
  readonly turns: Pick<Environment, 'stop' | 'yieldToEventLoop'>;
}

/** The rule that a request's numbers change. */
export const ruleOf = ({ vocabSize, special }: Tokenizer) => ({
  temperature: 1,
  vocabLimit: vocabSize,
  excluded: special,
});

/** Texts at once: each number is compiled. */
const ROWS = [1, 3, 8];

export async function openEngine(version: Version, { window, tokenizer, turns }: WritingOptions, context: JobContext) {
  const { config, weights } = openVersion(version, context);
  const env = { ...(await environmentOf(context)), ...turns };
  const model = { ...config, block_size: window, dropout: 0 };
  const session = env.runtime.createSession();
  const parameters = createParameters(session, weights);
  const writers = new Map<number, Writer>();
  const { lora: _adapters, ...plain } = model;
  let read: ReturnType<typeof createChoiceReader> | undefined;
  return {
    /** Compiles writing of so many texts at once, on first use. */
    writerOf(rows: number): Writer {
      const size = ROWS.find((one) => one >= rows) ?? rows;
      const writer = writers.get(size) ?? createWriter(session, model, parameters, size, ruleOf(tokenizer), env);
      writers.set(size, writer);
      return writer;
    },
    async voicesOf(before: TokenIds, texts: readonly TokenIds[]): Promise<number[]> {
      const both = [model, plain].map((one) => ({ model: one, parameters }));
      read ??= createChoiceReader(session, both, env);
      const [likelihoods = []] = await read([{ ids: { context: before, texts } }]);
      return likelihoods.map(([own = NaN, other = NaN]) => own - other);
    },
    dispose: () => session.dispose(),
  };
}
