/** Formats every vote as a row of CSV (RFC 4180), in one table for both tasks. */
import type { BoundaryVote, PairVote } from '../../engine/judging/votes.js';
import { cell } from '../../../shared/base/cells.js';

const columns = [
  ...['task', 'id', 'rater', 'seconds', 'first', 'second', 'outcome', 'shown_first', 'repeat_of'],
  ...['source', 'said', 'truth', 'words'],
] as const;
type Row = Readonly<Partial<Record<(typeof columns)[number], string | number | null>>>;

/** @returns heading and rows ending in CRLF; `said` and `truth` are `never` for a passage that is natural to its end */
export function judgementRows(votes: readonly PairVote[], boundary: readonly BoundaryVote[]): string {
  const rows: Row[] = [
    ...votes.map(({ pair, ...vote }): Row => ({ ...vote, task: 'pair', id: pair })),
    ...boundary.map(({ passage, said: answer, truth, ...vote }): Row => ({
      ...vote,
      task: 'boundary',
      id: passage,
      said: answer ?? 'never',
      truth: truth ?? 'never',
    })),
  ];
  const lines = [columns.join(','), ...rows.map((row) => columns.map((column) => cell(row[column])).join(','))];
  return lines.map((line) => `${line}\r\n`).join('');
}
