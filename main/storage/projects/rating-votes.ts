/**
 * What people said, kept with the project: `ratings/ratings.jsonl`, which is only ever added to. Taking something back is
 * a line of its own, so that nothing is rewritten and nothing is lost. Lines of the first versions are votes on single
 * passages.
 */
import { createHash } from 'node:crypto';
import * as path from 'node:path';
import { z } from 'zod';
import { never, ownRater, verdicts, type RatingTask } from '../../../shared/rating.js';
import type { PairVote } from '../../engine/judging/votes.js';
import { type FileOperations, nodeFileOperations } from '../disk/file-operations.js';
import { openJsonLines, readJsonLines } from '../disk/json-lines.js';
import { createKept } from '../disk/kept.js';

const common = {
  /** Its own name, by which it is taken back. */
  vote: z.string(),
  rater: z.string(),
  /** From the question's appearance to the answer. */
  seconds: z.number(),
  /** ISO 8601. */
  at: z.string(),
  /** The exported task that it came back with. */
  from: z.string().optional(),
};

/** By what its question is about; a source is `natural` or the name of a generator. */
const voteSchema = z.discriminatedUnion('task', [
  z.object({
    ...common,
    task: z.literal('single'),
    passage: z.string(),
    source: z.string(),
    verdict: z.enum(verdicts),
  }),
  z.object({
    ...common,
    task: z.literal('pair'),
    pair: z.string(),
    first: z.string(),
    second: z.string(),
    /** Of the two as they are named here, not as they were shown. */
    outcome: z.enum(['first', 'second', 'tie', 'both_bad']),
    shown_first: z.enum(['first', 'second']),
    repeat_of: z.string().exactOptional(),
    check: z.enum(['first', 'second']).exactOptional(),
    /** What tells its prompt from others: votes on one prompt are not independent. */
    prompt: z.string().exactOptional(),
  }),
  z.object({
    ...common,
    task: z.literal('boundary'),
    passage: z.string(),
    source: z.string(),
    said: z.int().nullable(),
    truth: z.int().nullable(),
    words: z.int(),
    /** The passage that was shown again. */
    repeat_of: z.string().optional(),
  }),
]);
export type StoredVote = z.infer<typeof voteSchema>;
export type StoredVoteOf<T extends RatingTask> = Extract<StoredVote, { task: T }>;

/** As the first versions wrote them: one person, single passages. */
const earlierSchema = z
  .object({ passage: z.string(), source: z.string(), verdict: z.enum(verdicts), at: z.string() })
  .transform((row): StoredVote => ({
    ...row,
    task: 'single',
    rater: ownRater,
    seconds: 0,
    vote: voteName('single', row.passage, ownRater, 0),
  }));

const undoSchema = z.object({ undo: z.string(), at: z.string() });
const rowSchema = z.union([undoSchema, voteSchema, earlierSchema]);

/** What was said, and what of it was taken back, in order. */
export interface VoteLog {
  /** Those that stand. */
  readonly votes: readonly StoredVote[];
  /** Those that were taken back, the last one last. */
  readonly undone: readonly StoredVote[];
  /** When, by the vote's name; also of votes that never came. */
  readonly undos: ReadonlyMap<string, string>;
}

/** A vote, or that one is taken back. */
export type VoteRow = StoredVote | z.infer<typeof undoSchema>;

/** What a vote is called: the same question answered anew by the same person, after an undo, is another vote. */
export const voteName = (task: RatingTask, question: string, rater: string, before: number): string =>
  createHash('sha256')
    .update(JSON.stringify([task, question, rater, before]))
    .digest('hex')
    .slice(0, 16);

/** The question that a vote answers. */
export const questionOf = (vote: StoredVote): string => (vote.task === 'pair' ? vote.pair : vote.passage);

const votesFile = (folder: string): string => path.join(folder, 'ratings.jsonl');

/** @param folder the project's `ratings`. @throws UserError `file_damaged` */
export const readVotes = (folder: string, ops: FileOperations = nodeFileOperations): VoteLog =>
  lately.of(votesFile(folder), ops, () => readLog(folder, ops));

const lately = createKept<VoteLog>({ most: 4, onlyGrows: true });

function readLog(folder: string, ops: FileOperations): VoteLog {
  const standing = new Map<string, StoredVote>();
  const undone: StoredVote[] = [];
  const undos = new Map<string, string>();
  for (const row of readJsonLines(votesFile(folder), (value) => rowSchema.parse(value), ops)) {
    if (!('undo' in row)) {
      standing.set(row.vote, row);
      continue;
    }
    undos.set(row.undo, row.at);
    const taken = standing.get(row.undo);
    if (taken) undone.push(taken);
    standing.delete(row.undo);
  }
  return { votes: [...standing.values()], undone, undos };
}

/** Everybody's votes on pairs, in the order in which they were cast. @throws UserError `file_damaged` */
export const readPairVotes = (folder: string, ops: FileOperations = nodeFileOperations): readonly PairVote[] =>
  readVotes(folder, ops).votes.filter((vote) => vote.task === 'pair');

/** Keeps these, in order; they are on the disk when this returns. @throws UserError `disk_full`, `file_not_writable` */
export function addVotes(folder: string, rows: readonly VoteRow[], ops: FileOperations = nodeFileOperations): void {
  const log = openJsonLines(votesFile(folder), ops);
  try {
    for (const row of rows) log.append(row);
    log.sync();
  } finally {
    log.close();
  }
}

/** A boundary as it is kept: null for a passage that is natural to its end. */
export const boundaryAt = (said: number | typeof never): number | null => (said === never ? null : said);
