/** Every judgement as a row of CSV (RFC 4180): one table for all tasks, columns that a task has not are empty. */
import type { BoundaryVote, PairVote } from '../../engine/judging/votes.js';
import { cell } from '../../../shared/base/cells.js';

interface SingleJudgement {
  readonly passage: string;
  readonly source: string;
  readonly verdict: string;
}

interface Judgements {
  readonly votes: readonly PairVote[];
  readonly boundary: readonly BoundaryVote[];
  readonly singles: readonly SingleJudgement[];
}

const columns = [
  ...['task', 'id', 'rater', 'seconds', 'first', 'second', 'outcome', 'shown_first', 'repeat_of', 'check', 'prompt'],
  ...['source', 'said', 'truth', 'words', 'verdict'],
] as const;
type Row = Readonly<Partial<Record<(typeof columns)[number], string | number | null>>>;

/** @returns with a heading; lines end in CRLF, as the format wants. `said` and `truth` are `never` where it never stops. */
export function judgementRows({ votes, boundary, singles }: Judgements): string {
  const rows: Row[] = [
    ...votes.map(({ pair, ...vote }): Row => ({ task: 'pair', id: pair, ...vote })),
    ...boundary.map(({ passage, said, truth, ...vote }): Row => {
      const [told, known] = [said ?? 'never', truth ?? 'never'];
      return { task: 'boundary', id: passage, ...vote, said: told, truth: known };
    }),
    ...singles.map(({ passage, source, verdict }): Row => ({ task: 'single', id: passage, source, verdict })),
  ];
  const lines = [columns.join(','), ...rows.map((row) => columns.map((column) => cell(row[column])).join(','))];
  return lines.map((line) => `${line}\r\n`).join('');
}
