/** A preview as the window shows it: what `verisim preview` tells, and the text's beginning and vocabulary in tokens. */
import { previewCommandShape } from '../../../shared/config/commands.js';
import type { CallOutput } from '../../../shared/contract/trainer.js';
import { trainerCalls } from '../../../shared/contract/trainer.js';
import type { Tokenizer } from '../../engine/tokenizer/index.js';
import { givenSettings } from '../run/given-settings.js';
import { previewWithTokens } from './preview.js';
import { interrupted, type JobContext } from '../types.js';
import type { TokenIds } from '../../engine/types.js';

const SHOWN_PIECES = 200;
const SHOWN_VOCABULARY = 300;

export async function previewView(
  settings: Readonly<Record<string, unknown>>,
  context: JobContext,
  onProgress: (value: unknown) => void,
): Promise<CallOutput<'preview'>> {
  onProgress({ done: 0, total: 1 });
  const config = givenSettings(previewCommandShape, settings);
  const { results, ids, tokenizer } = await previewWithTokens(config, context);
  if (context.stop.requested) throw interrupted();
  onProgress({ done: 1, total: 1 });
  const shape = trainerCalls.preview.output.shape;
  const whole: Readonly<Record<string, unknown>> = {
    ...results,
    tokenization: config.tokenization === 'learned' ? config.tokenization : tokenizer.method,
    pieces: Array.from(ids.subarray(0, SHOWN_PIECES), (id) => ({ id, text: tokenizer.decode(Uint32Array.of(id)) })),
    vocabulary: counted(ids, tokenizer),
  };
  return trainerCalls.preview.output.parse(Object.fromEntries(Object.entries(whole).filter(([key]) => key in shape)));
}

/** Tokens with how often they occur, most frequent first. */
function counted(ids: TokenIds, tokenizer: Tokenizer) {
  const counts = new Map<number, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return [...counts]
    .sort(([a, x], [b, y]) => y - x || a - b)
    .slice(0, SHOWN_VOCABULARY)
    .map(([id, count]) => ({ id, text: tokenizer.decode(Uint32Array.of(id)), count }));
}
