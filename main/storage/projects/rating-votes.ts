/** Stores votes in `ratings/ratings.jsonl`. Votes on tasks of earlier versions are counted and ignored. */
import { createHash } from 'node:crypto';
import * as path from 'node:path';
import { z } from 'zod';
import { ownRater, type RatingTask } from '../../../shared/rating.js';
import { nodeFileOperations } from '../disk/file-operations.js';
import { openJsonLines, readJsonLines } from '../disk/json-lines.js';

const common = {
  vote: z.string(),
  rater: z.string(),
  /** Time from the question to the answer. */
  seconds: z.number(),
  at: z.string(),
  /** Hash of the result file that it was imported from. */
  from: z.string().optional(),
};

/** A source is `natural` or the name of a generator. */
const voteSchema = z.discriminatedUnion('task', [
  z.object({
    ...common,
    task: z.literal('pair'),
    pair: z.string(),
    first: z.string(),
    second: z.string(),
    /** Refers to `first` and `second` here, not to the sides. */
    outcome: z.enum(['first', 'second', 'tie', 'both_bad']),
    shown_first: z.enum(['first', 'second']),
    repeat_of: z.string().exactOptional(),
  }),
  z.object({
    ...common,
    task: z.literal('boundary'),
    passage: z.string(),
    source: z.string(),
    /** Number of the first generated word, from 1; null: none. */
    said: z.int().nullable(),
    truth: z.int().nullable(),
    words: z.int(),
    repeat_of: z.string().exactOptional(),
  }),
]);
export type StoredVote = z.infer<typeof voteSchema>;
export type StoredVoteOf<T extends RatingTask> = Extract<StoredVote, { task: T }>;

/** A *natural or not* answer; the first version stored neither task nor name. */
const singleSchema = z
  .object({ passage: z.string(), verdict: z.string(), vote: z.string().optional() })
  .transform(({ passage, vote }) => ({ single: vote ?? voteName('single', passage, ownRater, 0) }));

const undoSchema = z.object({ undo: z.string(), at: z.string() });
const rowSchema = z.union([undoSchema, voteSchema, singleSchema]);
export type VoteRow = StoredVote | z.infer<typeof undoSchema>;

/** Pairs with a known answer compared natural text with its own words in disorder. */
export const isKnownAnswer = (pair: { readonly second: string }): boolean => pair.second === 'shuffled';

export interface VoteLog {
  /** Votes that were not undone, in order. */
  readonly votes: readonly StoredVote[];
  readonly undone: readonly StoredVote[];
  /** Time of each undo by the vote's name, including votes that never arrived. */
  readonly undos: ReadonlyMap<string, string>;
  /** Number of answers to questions that no longer exist. */
  readonly ignored: number;
}

/** Names a vote. @param before how many votes of this rater on this question were undone */
export const voteName = (task: RatingTask | 'single', question: string, rater: string, before: number): string =>
  createHash('sha256')
    .update(JSON.stringify([task, question, rater, before]))
    .digest('hex')
    .slice(0, 16);

/** Returns the id of the question that a vote answers. */
export const questionOf = (vote: StoredVote): string => (vote.task === 'pair' ? vote.pair : vote.passage);

const votesFile = (folder: string): string => path.join(folder, 'ratings.jsonl');

/** @param folder the project's `ratings`. @throws UserError `file_damaged` */
export function readVotes(folder: string, ops = nodeFileOperations): VoteLog {
  const current = new Map<string, StoredVote>();
  const ignored = new Set<string>();
  const undone: StoredVote[] = [];
  const undos = new Map<string, string>();
  for (const row of readJsonLines(votesFile(folder), (value) => rowSchema.parse(value), ops)) {
    if ('undo' in row) {
      undos.set(row.undo, row.at);
      const vote = current.get(row.undo);
      if (vote) undone.push(vote);
      current.delete(row.undo);
      ignored.delete(row.undo);
    } else if ('single' in row) ignored.add(row.single);
    else if (row.task === 'pair' && isKnownAnswer(row)) ignored.add(row.vote);
    else current.set(row.vote, row);
  }
  return { votes: [...current.values()], undone, undos, ignored: ignored.size };
}

/** Reads all votes on pairs, in order. @throws UserError `file_damaged` */
export const readPairVotes = (folder: string, ops = nodeFileOperations): readonly StoredVoteOf<'pair'>[] =>
  readVotes(folder, ops).votes.filter((vote) => vote.task === 'pair');

/** Appends rows; they are on the disk when this returns. @throws UserError `disk_full`, `file_not_writable` */
export function addVotes(folder: string, rows: readonly VoteRow[], ops = nodeFileOperations): void {
  const log = openJsonLines(votesFile(folder), ops);
  try {
    for (const row of rows) log.append(row);
    log.sync();
  } finally {
    log.close();
  }
}
