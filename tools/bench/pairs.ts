/** `npm run bench -- --pairs`: whether TRL's DPOTrainer reads preference pairs as `rating_report` writes them. By hand: it needs the peers. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { preferencePairs, type PairTexts } from '../../main/formats/ratings/preference-pairs.js';
import { lastLines, run } from '../../scripts/setup/run.mjs';
import { peersEnvironment } from './peers.js';

const answerSchema = z.object({ rows: z.array(z.unknown()), losses: z.array(z.number()), trl: z.string() });

/** What a format could stumble over: quotes, lines, other scripts, a space that belongs to the answer, nothing at all. */
const endings = [' "he said"', '\n\nAnd\tthen', ' größer als 鲸 🐋', '\\n ', '</script>', ' plain', '', ' \u2028 line'];

function pairs(): string {
  const texts = endings.map((text, at): PairTexts => {
    const versions = { first: 'base_model_v2', second: 'base_model_v1' };
    return {
      pair: `pair-${at}`,
      prompt: `Call me ${at}`,
      ...versions,
      first_text: text,
      second_text: `${text} worse`,
    };
  });
  const votes = texts.map(({ pair, first, second }, at) => ({
    ...{ task: 'pair' as const, pair, first, second, vote: `vote-${at}`, rater: 'you', seconds: 1, at: '' },
    ...{ outcome: at % 2 === 0 ? ('first' as const) : ('second' as const), shown_first: 'first' as const },
  }));
  return preferencePairs(votes, texts);
}

/** @returns the line that says so @throws Error where it does not */
export async function readPairs(root: string, python: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'verisim-pairs-'));
  try {
    const file = join(folder, 'pairs.jsonl');
    const written = pairs();
    writeFileSync(file, written);
    const script = join(root, 'tools/bench/peers/read_pairs.py');
    const { code, stdout, stderr } = await run(python, [script, file], { env: peersEnvironment() });
    if (code !== 0) throw new Error(`DPOTrainer did not train on the pairs: ${lastLines(stderr, 3)}`);
    const { rows, losses, trl } = answerSchema.parse(JSON.parse(stdout.trim().split('\n').at(-1) ?? ''));
    const expected: unknown[] = written.trimEnd().split('\n').map((line) => JSON.parse(line) as unknown); // oxfmt-ignore
    if (!isDeepStrictEqual(rows, expected)) throw new Error('DPOTrainer was given other rows than were written.');
    if (losses.length !== 2 || !losses.every(Number.isFinite)) throw new Error(`Losses: ${losses.join(', ')}`);
    return `TRL ${trl}: DPOTrainer read ${rows.length} pairs as they were written and trained 2 steps (losses ${losses.map((loss) => loss.toFixed(4)).join(', ')}).`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
