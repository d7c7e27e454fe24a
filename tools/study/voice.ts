/**
 * `npm run study -- voice DIR`: how a project's versions sound, by more passages than its own yardsticks have: these are cheap, and
 * uncertain by some 7 %. Continuations of 512 tokens show what ends in a loop, which short passages never do.
 */
import { parseArgs } from 'node:util';
import { passageShape, VOICE_CLASSIFIERS } from '../../shared/config/voice.js';
import { createWriter, noLongerThan } from '../../main/engine/generate/generate.js';
import { createParameters } from '../../main/engine/model/model.js';
import { streams } from '../../main/engine/rng.js';
import { withSession } from '../../main/engine/runtime/session.js';
import { createCopyIndex, longestRepeatedRun, shortCopyLength } from '../../main/engine/statistics/text-statistics.js';
import type { LanguageModel, TokenIds } from '../../main/engine/types.js';
import { continuationsOf, spreadPassages } from '../../main/engine/voice/passages.js';
import { countsOf, freshDetector, trainEar, voiceShares } from '../../main/engine/voice/yardsticks.js';
import { openWriters } from './writers.js';

const usage = `npm run study -- voice DIR [options]
  --versions A,B  default: 1,2
  --passages N    of each version, and of the untrained model (default: 512)
  --loops N       prompts for continuations of 512 tokens (default: 0)
`;

const LONG = { prompt: 64, tokens: 576 } as const;
const TEMPERATURES = [1e-3, 0.3, 0.7, 1] as const;
/** A passage loops if its last tokens repeat with one period. */
const LAST = 128;

type Writers = Awaited<ReturnType<typeof openWriters>>;

async function soundsOf({ text, untrained, version, write }: Writers, versions: readonly number[], count: number) {
  if (!untrained) throw new Error('the project began from nothing: it has no voice to follow');
  const shape = passageShape(untrained.model);
  const parts = (ids: TokenIds) => continuationsOf(ids, shape);
  const textsOf = (ids: TokenIds) => parts(ids).map((ids) => text.tokenizer.decode(ids));
  const prompts = count;
  const ear = trainEar(
    textsOf(spreadPassages(text.train, VOICE_CLASSIFIERS * count, shape)),
    textsOf(await write(untrained, text.train, { prompts, seed: 1 })),
  );
  const copies = createCopyIndex(text.train);
  const own = spreadPassages(text.val, count, shape);
  const rowOf = (name: string, ids: TokenIds) => ({
    name,
    ...voiceShares(ear, textsOf(ids)),
    detector: ids === own ? null : freshDetector(textsOf(ids), textsOf(own)),
    ...countsOf(parts(ids), copies, shortCopyLength[text.tokenizer.method]),
  });
  const rows = [rowOf('text', own), rowOf('untrained', await write(untrained, text.val, { prompts, seed: 2 }))];
  for (const number of versions)
    rows.push(rowOf(`version ${number}`, await write(version(number), text.val, { prompts, seed: 2 })));
  return rows;
}

/** Of long continuations, how many end in a loop, by temperature. */
async function loopsOf({ text, env }: Writers, { model, weights }: LanguageModel, prompts: number) {
  return withSession(env.runtime, async (session) => {
    const { vocabSize: vocabLimit, special: excluded } = text.tokenizer;
    const rule = { temperature: 1, topP: 0.9, vocabLimit, excluded };
    const long = noLongerThan({ ...model, dropout: 0 }, LONG.tokens);
    const writer = createWriter(session, long, createParameters(session, weights), prompts, rule, env);
    const passages = Array.from({ length: prompts }, (_, index) => {
      const first = Math.floor((index * (text.val.length - LONG.prompt)) / prompts);
      return { prefix: text.val.read(first, LONG.prompt), index };
    });
    const shares: number[] = [];
    for (const temperature of TEMPERATURES) {
      const noise = { seed: 3, stream: streams.sample };
      const reader = { onTokens: () => undefined, rule: { temperature, topP: 0.9 } };
      const written = (await writer.complete(passages, noise, LONG.tokens, reader)) ?? [];
      shares.push(written.filter(({ ids }) => isLoop(ids.subarray(LONG.tokens - LAST, LONG.tokens))).length / prompts);
    }
    return shares;
  });
}

/** Whether half of the tokens, at least, are a run that occurs twice. */
const isLoop = (ids: TokenIds): boolean => longestRepeatedRun(ids) >= LAST / 2;

export async function study(args: readonly string[]): Promise<number> {
  const text = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      versions: { ...text, default: '1,2' },
      passages: { ...text, default: '512' },
      loops: { ...text, default: '0' },
      help: { type: 'boolean', default: false },
    },
  });
  const [folder] = positionals;
  if (values.help || folder === undefined) {
    process.stdout.write(usage);
    return folder === undefined ? 2 : 0;
  }
  const versions = values.versions.split(',').map(Number);
  const writers = await openWriters(folder);
  for (const row of await soundsOf(writers, versions, Number(values.passages)))
    process.stdout.write(`${JSON.stringify(row)}\n`);
  for (const number of Number(values.loops) > 0 ? versions : []) {
    const loops = await loopsOf(writers, writers.version(number), Number(values.loops));
    process.stdout.write(`${JSON.stringify({ name: `version ${number}`, loops })}\n`);
  }
  writers.close();
  return 0;
}
