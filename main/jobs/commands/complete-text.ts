/** Completes a prompt for another program: tokens with log-probabilities, ended by given texts. The model stays loaded. */
import type { z } from 'zod';
import type { CompletionChoice } from '../../../shared/contract/endpoint.js';
import type { CallOutput, trainerCalls } from '../../../shared/contract/trainer.js';
import { writeOn, type Written } from '../../engine/generate/generate.js';
import { streams } from '../../engine/rng.js';
import { type Tokenizer, tokenTexts } from '../../engine/tokenizer/index.js';
import { interrupted, type JobContext } from '../types.js';
import { encodeBefore, endOf, loadedModel, ruleOf } from '../writing/loaded-writer.js';

type Request = z.output<(typeof trainerCalls)['completeText']['input']>;

/** @throws UserError for an unknown character */
export async function completeText(
  request: Request,
  context: JobContext,
  onProgress: (value: unknown) => void,
): Promise<CallOutput<'completeText'>> {
  const { n, max_tokens, seed, stop } = request;
  let choices: CompletionChoice[] = [];
  const stopping = {
    get requested() {
      return context.stop.requested || (choices.length > 0 && choices.every((one) => one.finish_reason === 'stop'));
    },
  };
  const loaded = await loadedModel(request, { ...context, stop: stopping });
  const { tokenizer, window } = loaded;
  const { ids, skipsBlank } = encodeBefore(loaded, request.prompt);
  const prompt = endOf(ids, max_tokens, loaded);
  const prompts = Array.from({ length: n }, () => prompt);
  const show = (rows: readonly Written[], isWhole: boolean) => {
    choices = rows.map((row) => choiceOf(tokenizer, row, { from: prompt.length, skipsBlank, stop, isWhole }));
  };
  const onTokens = (rows: readonly Written[]) => {
    show(rows, false);
    onProgress({ choices });
  };
  const noise = { seed, stream: streams.sample };
  const reader = { onTokens, rule: ruleOf(request) };
  const { texts, logProbs, done } = await writeOn(loaded.writerOf(n), prompts, max_tokens, window, noise, reader);
  if (context.stop.requested) throw interrupted();
  if (done) {
    show(
      texts.map((row, at) => ({ ids: row, logProbs: logProbs[at] ?? new Float32Array() })),
      true,
    );
  }
  return { choices, prompt_tokens: ids.length };
}

interface Place {
  /** Tokens of the prompt. */
  readonly from: number;
  readonly skipsBlank: boolean;
  readonly stop: readonly string[];
  readonly isWhole: boolean;
}

/** Ends a completion before the first text that stops it; while it is written, without what the next tokens can change. */
function choiceOf(tokenizer: Tokenizer, { ids, logProbs }: Written, { from, skipsBlank, stop, isWhole }: Place) {
  const texts = tokenTexts(tokenizer, ids).slice(from);
  if (skipsBlank) texts[0] = texts[0]?.replace(/^ /u, '') ?? '';
  const text = texts.join('');
  const ends = stop.map((one) => text.indexOf(one)).filter((at) => at >= 0);
  let end = Math.min(text.length, ...ends);
  if (ends.length === 0 && !isWhole) {
    // A character may not be whole yet, and a text that stops may have started.
    end = text.replace(/\uFFFD+$/u, '').length - Math.max(0, ...stop.map((one) => one.length - 1));
  }
  const tokens: CompletionChoice['tokens'] = [];
  let at = 0;
  for (const [index, piece] of texts.entries()) {
    if (at + piece.length > end && (ends.length === 0 || at >= end)) break;
    tokens.push({ text: piece.slice(0, end - at), log_prob: logProbs[from + index] ?? 0 });
    at += piece.length;
  }
  return { tokens, finish_reason: ends.length > 0 ? ('stop' as const) : isWhole ? ('length' as const) : null };
}
