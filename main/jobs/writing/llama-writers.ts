/** Opens a version in llama.cpp to write with it; where that is not possible, the reason is logged and the engine writes. */
import type { Writer } from '../../engine/generate/generate.js';
import type { TokenIds } from '../../engine/types.js';
import { usableCores } from '../../installation/environment.mjs';
import { bundledLlama } from '../../installation/locations.mjs';
import { loadLlama } from '../../llama/addon.js';
import { createThreadChoice } from '../../llama/threads.js';
import { type LlamaWriter, openLlamaWriter } from '../../llama/writer.js';
import { localized } from '../../../shared/messages/message.js';
import { notice, type JobContext } from '../types.js';
import { ruleOf, type WritingOptions } from './engine-writers.js';
import { ggufFileOf } from './gguf-file.js';
import type { Version } from './version.js';

/** Texts at once: each number has a context of its own, for as many windows. */
const ROWS = [4, 8];

const sizeFor = (rows: number) => ROWS.find((one) => one >= rows) ?? rows;

/** Null if llama.cpp is missing, or has no such architecture. */
export async function openLlama(
  version: Version,
  { window, tokenizer, turns: env }: WritingOptions,
  context: JobContext,
) {
  const writers = new Map<number, LlamaWriter>();
  // Watches the cores while the version is loaded, which the first reading relies on.
  const threads = createThreadChoice(usableCores());
  const dispose = async () => {
    for (const writer of writers.values()) await writer.dispose();
    writers.clear();
  };
  const failed = async (error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    context.emit(
      notice('llama_fallback', localized('writing.engine_writes', { model: version.model, reason }), 'warning'),
    );
    await dispose();
  };
  try {
    const llama = await loadLlama(bundledLlama());
    const file = await ggufFileOf(version, tokenizer.vocabSize, context);
    const writerOf = async (size: number) => {
      const options = { file, window, rows: size, threads, rule: ruleOf(tokenizer), env };
      const writer = writers.get(size) ?? (await openLlamaWriter(llama, options));
      writers.set(size, writer);
      return writer;
    };
    await writerOf(ROWS[0] ?? 1);
    return {
      /** @returns undefined if it failed, and is not to be used again; null if the user stopped */
      async complete(rows: number, passages: Parameters<Writer['complete']>) {
        try {
          return await (await writerOf(sizeFor(rows))).complete(...passages);
        } catch (error) {
          return failed(error);
        }
      },
      unread: (rows: number, prefix: TokenIds) => writers.get(sizeFor(rows))?.unread(prefix) ?? prefix.length,
      dispose,
    };
  } catch (error) {
    await failed(error);
    return null;
  }
}
