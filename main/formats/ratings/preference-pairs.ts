/**
 * Preferences as JSON Lines `{"prompt", "chosen", "rejected"}`: TRL's preference format with an explicit prompt (standard, not
 * conversational), which its DPOTrainer reads with `load_dataset("json", data_files=FILE)`; prompt and answer are joined there as
 * they stand, so the space between them belongs to the answer, as it does in the project's passages.
 */
import type { PairVote } from '../../engine/judging/votes.js';

/** What stood in a pair. */
export interface PairTexts {
  readonly pair: string;
  readonly prompt: string;
  /** The versions, and what each made of the prompt. */
  readonly first: string;
  readonly second: string;
  readonly first_text: string;
  readonly second_text: string;
}

/**
 * One line for each pair that more votes preferred one side of than the other: ties and "both bad" prefer none; repeats and
 * known answers do not count. The same texts twice, or nothing to choose between, give no line.
 * @param pairs in the order of the lines; those without votes give none
 */
export function preferencePairs(votes: readonly PairVote[], pairs: readonly PairTexts[]): string {
  const lines = new Set<string>();
  for (const { pair, prompt, first, second, first_text, second_text } of pairs) {
    let lead = 0;
    for (const vote of votes) {
      if (vote.pair !== pair || vote.repeat_of !== undefined || vote.check !== undefined) continue;
      const preferred = vote.outcome === 'first' ? vote.first : vote.outcome === 'second' ? vote.second : null;
      if (preferred === first) lead++;
      else if (preferred === second) lead--;
    }
    if (lead === 0 || first_text === second_text) continue;
    const [chosen, rejected] = lead > 0 ? [first_text, second_text] : [second_text, first_text];
    lines.add(`${JSON.stringify({ prompt, chosen, rejected })}\n`);
  }
  return [...lines].join('');
}
