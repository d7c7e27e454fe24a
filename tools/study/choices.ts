/**
 * `npm run study -- choices`: users of known taste choose among a model's continuations, the model learns from that, and both versions
 * continue fresh prompts, which the taste without its noise compares. A user without a taste must gain nothing.
 */
import { cpSync, existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { passageShape } from '../../shared/config/voice.js';
import { tasteFeatures, type TasteFeature } from '../../shared/writing-taste.js';
import { tunedAndUntrained } from '../../main/engine/cycle/cycle-voice.js';
import { streams, uniforms } from '../../main/engine/rng.js';
import { mean, shareInterval } from '../../main/engine/statistics/statistics.js';
import { distinctN } from '../../main/engine/statistics/text-statistics.js';
import { featuresOf } from '../../main/engine/taste/features.js';
import { decodeContinued } from '../../main/engine/tokenizer/index.js';
import type { Environment, LanguageModel, TokenIds, TokenSource } from '../../main/engine/types.js';
import { continuationsOf, createReader } from '../../main/engine/voice/passages.js';
import { cycleJob } from '../../main/jobs/project/cycle.js';
import { sampleSettings } from '../../main/jobs/project/project-settings.js';
import { requestLearning } from '../../main/jobs/writing/request.js';
import { readReports } from '../../main/storage/projects/project-facts.js';
import { addPick } from '../../main/storage/projects/writing.js';
import { context, openWriters } from './writers.js';

const usage = `npm run study -- choices [options]
  --project DIR   a trained project; a copy of it learns (default: the sample, trained first)
  --tastes A,B    of style, talk, sound, none (default: all)
  --seeds A,B     default: 1
  --picks N       default: 100
  --prompts N     fresh prompts (default: 150)
`;

interface Passage {
  readonly prompt: string;
  readonly text: string;
  /** By how many nats per token it is likelier for the tuned model than for the untrained one; NaN without one. */
  readonly voice: number;
}
const feature = (name: TasteFeature, { prompt, text }: Passage) =>
  featuresOf(prompt, text)[tasteFeatures.indexOf(name)] ?? 0;
const tastes: Readonly<Record<string, (passage: Passage) => number>> = {
  style: ({ voice }) => voice,
  talk: (passage) => 8 * feature('dialogue', passage) - feature('sentence_length', passage),
  sound: (passage) => feature('variety', passage) - 5 * feature('repeats', passage),
  none: () => 0,
};
/** A user who follows the taste so often, and otherwise keeps any of three, decides 80 % of repeated choices alike. */
const FOLLOWS = 0.835;
/** Continuations of a prompt that a user chooses among. */
const OFFERED = 3;

/** The passages that a version writes, with how much of the author's voice each has. */
async function passagesOf(
  { text, env, version, untrained, write }: Awaited<ReturnType<typeof openWriters>>,
  number: number,
  tokens: TokenSource,
  how: { readonly prompts: number; readonly each?: number; readonly seed: number },
) {
  const generator = version(number);
  const shape = passageShape(generator.model);
  const ids = await write(generator, tokens, how);
  const voices = untrained ? await voicesOf(version(1), untrained, ids, env) : null;
  const passages = Array.from({ length: ids.length / shape.length }, (_, row): Passage => {
    const passage = ids.subarray(row * shape.length, (row + 1) * shape.length);
    const { prompt, completion } = decodeContinued(text.tokenizer, passage, shape.prompt);
    return { prompt, text: completion, voice: voices?.[row] ?? NaN };
  });
  return { passages, distinct: distinctN(continuationsOf(ids, shape), 3) };
}

async function voicesOf(tuned: LanguageModel, untrained: LanguageModel, ids: TokenIds, env: Environment) {
  const session = env.runtime.createSession();
  try {
    const read = await createReader(session, tunedAndUntrained(session, tuned, untrained), env)(ids);
    const ratio = (row: number) => (read[2 * row] ?? NaN) - (read[2 * row + 1] ?? NaN);
    return Array.from({ length: read.length / 2 }, (_, row) => ratio(row) / passageShape(tuned.model).continuation);
  } finally {
    session.dispose();
  }
}

/** Adds a user's picks to a project. */
async function choose(folder: string, taste: string, picks: number, seed: number): Promise<void> {
  const writers = await openWriters(folder);
  const { passages } = await passagesOf(writers, 1, writers.text.train, { prompts: picks, each: OFFERED, seed });
  writers.close();
  const chances = uniforms(seed, streams.sample, 1, 0, 2 * picks);
  for (let at = 0; at < picks; at++) {
    const offered = passages.slice(at * OFFERED, (at + 1) * OFFERED);
    const scores = offered.map((passage) => tastes[taste]?.(passage) ?? 0);
    const follows = taste !== 'none' && (chances[2 * at] ?? 0) < FOLLOWS;
    const kept = follows ? scores.indexOf(Math.max(...scores)) : Math.floor((chances[2 * at + 1] ?? 0) * OFFERED);
    const { prompt = '', text: chosen = '' } = offered[kept] ?? {};
    const others = offered.filter((_, other) => other !== kept).map((passage) => passage.text);
    const drawing = { model: 'base_model_v1', temperature: 1, top_p: 0.9, min_p: 0, repetition_penalty: 1 };
    const id = at.toString(16).padStart(32, '0');
    addPick(folder, { id, context: prompt, kept: chosen, chosen, others, ...drawing, at: new Date().toISOString() });
  }
}

/** Both versions continue fresh prompts. */
async function compare(folder: string, taste: string, prompts: number, seed: number) {
  const writers = await openWriters(folder);
  const [before, after] = [
    await passagesOf(writers, 1, writers.text.val, { prompts, seed: seed + 1 }),
    await passagesOf(writers, 2, writers.text.val, { prompts, seed: seed + 2 }),
  ];
  writers.close();
  // A user without a taste gains what another one does by chance.
  const judge = tastes[taste === 'none' ? 'talk' : taste] ?? (() => 0);
  const won = after.passages.map((passage, at) => {
    const other = before.passages[at];
    return other ? (Math.sign(judge(passage) - judge(other)) + 1) / 2 : NaN;
  });
  const wins = mean(won);
  return { wins, interval: shareInterval(wins * prompts, prompts), distinct: [before.distinct, after.distinct] };
}

async function learned(
  base: string,
  taste: string,
  seed: number,
  { picks, prompts }: Record<'picks' | 'prompts', number>,
) {
  const folder = join(mkdtempSync(join(tmpdir(), 'verisim-choices-')), 'project');
  cpSync(base, folder, { recursive: true });
  await choose(folder, taste, picks, seed);
  const startedAt = Date.now();
  requestLearning(folder);
  await cycleJob({ folder, settings: null, given: {} }, context);
  const minutes = (Date.now() - startedAt) / 60_000;
  const [first, learned] = readReports(folder);
  const loss = (learned?.val_loss ?? NaN) - (first?.val_loss ?? NaN);
  const { wins, interval, distinct } = await compare(folder, taste, prompts, seed);
  return { taste, seed, wins, interval, loss, distinct, minutes, ...learned?.choices };
}

export async function study(args: readonly string[]): Promise<number> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      project: text,
      tastes: { ...text, default: Object.keys(tastes).join() },
      seeds: { ...text, default: '1' },
      picks: { ...text, default: '100' },
      prompts: { ...text, default: '150' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  const project = values.project
    ? resolve(values.project)
    : join(mkdtempSync(join(tmpdir(), 'verisim-choices-')), 'base');
  if (!existsSync(project)) {
    const settings = sampleSettings({ project, max_cycles: 0 });
    await cycleJob({ folder: project, settings, given: {} }, context);
  }
  const sizes = { picks: Number(values.picks), prompts: Number(values.prompts) };
  for (const taste of values.tastes.split(','))
    for (const seed of values.seeds.split(','))
      process.stdout.write(`${JSON.stringify(await learned(project, taste, Number(seed), sizes))}\n`);
  return 0;
}
