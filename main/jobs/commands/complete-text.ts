/** Completes a prompt for another program: tokens with log-probabilities, ended by given texts. The model stays loaded. */
import type { z } from 'zod';
import type { CompletionChoice } from '../../../shared/contract/endpoint.js';
import type { CallOutput, trainerCalls } from '../../../shared/contract/trainer.js';
import { interrupted, type JobContext } from '../types.js';
import { type Continuation, continueWith, encodeBefore, loadedModel } from '../writing/loaded-writer.js';

type Request = z.output<(typeof trainerCalls)['completeText']['input']>;

/** @throws UserError for an unknown character */
export async function completeText(
  request: Request,
  context: JobContext,
  onProgress: (value: unknown) => void,
): Promise<CallOutput<'completeText'>> {
  const { n, max_tokens, stop } = request;
  let choices: CompletionChoice[] = [];
  const stopping = {
    get requested() {
      return context.stop.requested || (choices.length > 0 && choices.every((one) => one.finish_reason === 'stop'));
    },
  };
  const loaded = await loadedModel(request, { ...context, stop: stopping });
  const encoded = encodeBefore(loaded, request.prompt);
  const show = (all: readonly Continuation[], isWhole: boolean) => {
    choices = all.map((one) => choiceOf(one, stop, isWhole));
  };
  const drawing = { ...request, count: n, tokens: max_tokens };
  const { rows, done } = await continueWith(loaded, encoded, drawing, (all) => {
    show(all, false);
    onProgress({ choices });
  });
  if (context.stop.requested) throw interrupted();
  if (done) show(rows, true);
  return { choices, prompt_tokens: encoded.ids.length };
}

/** Ends a completion before the first text that stops it; while it is written, without what the next tokens can change. */
function choiceOf({ pieces, logProbs }: Continuation, stop: readonly string[], isWhole: boolean) {
  const text = pieces.join('');
  const ends = stop.map((one) => text.indexOf(one)).filter((at) => at >= 0);
  let end = Math.min(text.length, ...ends);
  if (ends.length === 0 && !isWhole) {
    // A character may not be whole yet, and a text that stops may have started.
    end = text.replace(/\uFFFD+$/u, '').length - Math.max(0, ...stop.map((one) => one.length - 1));
  }
  const tokens: CompletionChoice['tokens'] = [];
  let at = 0;
  for (const [index, piece] of pieces.entries()) {
    if (at + piece.length > end && (ends.length === 0 || at >= end)) break;
    tokens.push({ text: piece.slice(0, end - at), log_prob: logProbs[index] ?? 0 });
    at += piece.length;
  }
  return { tokens, finish_reason: ends.length > 0 ? ('stop' as const) : isWhole ? ('length' as const) : null };
}
