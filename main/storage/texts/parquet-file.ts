/** What is known of a Parquet file outside of the worker that reads it (parquet.ts): what it begins with, what is told of it. */
import { UserError } from '../../../shared/errors.js';

/** Some texts of its column. */
export interface ParquetTexts {
  readonly texts: readonly string[];
  /** How much of the file has been read, by its rows. */
  readonly fileBytes: number;
}

export const isParquet = (head: Uint8Array): boolean => Buffer.from(head.subarray(0, 4)).toString('latin1') === 'PAR1';

export function damagedParquet(file: string, why: string, cause?: unknown): UserError {
  return new UserError(
    {
      code: 'file_damaged',
      message: `${file} is not a Parquet file that can be read: ${why}`,
      hint: 'It was cut short or damaged; use another copy, or write its text column to a plain text file.',
      field: 'data_path',
    },
    { cause },
  );
}
