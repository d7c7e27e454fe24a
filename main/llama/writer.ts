/** The engine's `Writer` with llama.cpp: passages are sequences of one context, and what two requests begin with is read once. */
import type { Writer } from '../engine/generate/generate.js';
import type { SamplingRule } from '../engine/model/sampling-rule.js';
import type { Environment, TokenIds } from '../engine/types.js';
import type { Llama, LlamaContext, LlamaSampler } from './addon.js';
import { drawFrom, samplerSettings } from './sampling.js';
import { BATCH, createSequences, type Row } from './sequences.js';

export interface LlamaWriter extends Writer {
  /** Counts the tokens that were not read by earlier requests. */
  unread(prefix: TokenIds): number;
  dispose(): Promise<void>;
}

interface LlamaWriterOptions {
  readonly file: string;
  /** Tokens that the model sees at once. */
  readonly window: number;
  /** Passages at once, at most. */
  readonly rows: number;
  /** How many compute. */
  readonly threads: () => number;
  readonly rule: SamplingRule;
  readonly env: Pick<Environment, 'stop' | 'yieldToEventLoop'>;
}

/** Tokens between two reports, after the first. */
const SHOWN = 4;

/** @throws if llama.cpp cannot read the file */
export async function openLlamaWriter(llama: Llama, options: LlamaWriterOptions): Promise<LlamaWriter> {
  const { file, window, rows, threads, env } = options;
  const model = new llama.AddonModel(file, { gpuLayers: 0, useMmap: true, addonExports: llama });
  if (!(await model.init())) throw new Error(`llama.cpp could not load ${file}`);
  // Contexts are multiples of 256.
  const contextSize = Math.ceil(window / 256) * 256 * rows;
  const settings = { contextSize, batchSize: BATCH, sequences: rows, threads: threads(), flashAttention: true };
  const context = new llama.AddonContext(model, settings);
  if (!(await context.init())) throw new Error('llama.cpp could not make a context');
  const sequences = createSequences(context, { rows, window, threads, env });
  const samplers = Array.from({ length: rows }, () => new llama.AddonSampler(model));
  return {
    async complete(passages, noise, wanted = window, reader = undefined) {
      const end = Math.min(window, wanted);
      const writing = sequences.rowsFor(passages, noise);
      const soFar = (length: number) =>
        writing.map(({ ids, logProbs }) => ({ ids: ids.slice(0, length), logProbs: logProbs.slice(0, length) }));
      try {
        if (!(await sequences.read(writing))) return null;
        for (let step = 0; ; step++) {
          const open = writing.filter(({ length }) => length < end);
          if (env.stop.requested) return null;
          if (open.length === 0) return soFar(window);
          await Promise.all(open.map((row) => draw(context, samplers, row, { ...options.rule, ...reader?.rule })));
          if (step % SHOWN === 0) reader?.onTokens(soFar(Math.min(...writing.map(({ length }) => length))));
          const next = open.filter(({ length }) => length < end);
          if (next.length > 0) await sequences.append(next);
          await env.yieldToEventLoop();
        }
      } catch (error) {
        sequences.forget();
        throw error;
      }
    },
    unread: sequences.unread,
    async dispose() {
      for (const sampler of samplers) sampler.dispose();
      await context.dispose();
      await model.dispose();
    },
  };
}

async function draw(context: LlamaContext, samplers: readonly LlamaSampler[], row: Row, rule: SamplingRule) {
  const sampler = samplers[row.sequence];
  sampler?.applyConfig(samplerSettings(rule, row.ids.subarray(0, row.length) as Uint32Array));
  const [, listed = []] = sampler ? await context.sampleToken(row.place, sampler, true) : [];
  const { id, logProb } = drawFrom(listed, rule, row.uniform[row.length] ?? 0);
  row.ids[row.length] = id;
  row.logProbs[row.length++] = logProb;
}
