/** A preview as the window shows it: what `verisim preview` tells, and the text's beginning and vocabulary in tokens. */
import { previewCommandShape } from '../../../shared/config/commands.js';
import type { PreviewView } from '../../../shared/contract/drafts.js';
import type { CallOutput } from '../../../shared/contract/trainer.js';
import { trainerCalls } from '../../../shared/contract/trainer.js';
import type { Tokenizer } from '../../engine/tokenizer/index.js';
import { givenSettings } from '../run/given-settings.js';
import { previewWithTokens } from './preview.js';
import { interrupted, type JobContext } from '../types.js';
import { UNKNOWN } from '../../engine/tokenizer/types.js';
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
  const { results, warnings, ids, tokenizer, made } = await previewWithTokens(config, context);
  if (context.stop.requested) throw interrupted();
  onProgress({ done: 1, total: 1 });
  const shape = trainerCalls.preview.output.shape;
  const whole: Readonly<Record<string, unknown>> = {
    ...results,
    warnings,
    tokenization: made ?? tokenizer.method,
    pieces: piecesOf(ids.subarray(0, SHOWN_PIECES), (some) => tokenizer.decode(some)),
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
    .map(([id, count]) => {
      const text = tokenizer.decode(Uint32Array.of(id));
      // Of a part of a character alone nothing can be shown.
      return text.includes(UNKNOWN) ? { id, text: '', part: true as const, count } : { id, text, count };
    });
}

/** A character has at most four bytes, and a token at least one. */
const MAX_TOKENS = 4;

/**
 * Tokens with the text that each stands for. Where a character is cut into several, the first of them has all that they
 * stand for together, and the others nothing.
 */
export function piecesOf(ids: TokenIds, decode: (ids: TokenIds) => string): PreviewView['pieces'] {
  const pieces: PreviewView['pieces'] = [];
  for (let at = 0; at < ids.length;) {
    const lengths = Array.from({ length: Math.min(MAX_TOKENS, ids.length - at) }, (_, more) => more + 1);
    const whole = lengths.find((length) => !decode(ids.subarray(at, at + length)).includes(UNKNOWN)) ?? 1;
    const [first = 0, ...rest] = ids.subarray(at, at + whole);
    const text = decode(ids.subarray(at, at + whole));
    // At the end of what is shown the rest of a character may be missing.
    if (text.includes(UNKNOWN)) pieces.push({ id: first, text: '', part: true });
    else pieces.push(rest.length > 0 ? { id: first, text, part: true } : { id: first, text });
    for (const id of rest) pieces.push({ id, text: '', part: true });
    at += whole;
  }
  return pieces;
}
