/** Reads and writes train.bin and val.bin: uint16 ids as nanoGPT's, or uint32 after llm.c's header for Llama 3. */
import { localized } from '../../../shared/messages/message.js';
import { UserError } from '../../../shared/errors.js';
import { type Sentence } from '../../../shared/sentence.js';
import { checkRange } from '../../engine/train/dataset.js';
import type { TokenIds, TokenSource } from '../../engine/types.js';
import { type OpenFile, openFile } from '../disk/file-bytes.js';
import { kindAt } from '../disk/file-operations.js';

export interface TokenFile extends TokenSource {
  readonly path: string;
  readonly note: string | null;
  close(): void;
}

export interface OpenTokenFileOptions {
  /** Every id must be below this; the whole file is looked through. */
  readonly vocabSize?: number;
  /** Which file of a dataset it is, for messages. */
  readonly split?: 'train' | 'val';
  /** What the file is known to hold from elsewhere, without a header; left out, the file itself says it. */
  readonly bytesPerId?: 2 | 4;
}

interface Scan {
  readonly path: string;
  /** In tokens. */
  readonly length: number;
  /** Fills `ids` with what the file holds from a position on. */
  into(position: number, ids: TokenIds): TokenIds;
  room(count: number): TokenIds;
}

/** Small enough to stay in the processor's cache between reading and looking. */
const SCAN_TOKENS = 1 << 16;

/** llm.c (dev/data/data_common.py): 256 32-bit numbers, the first three of them magic, version, number of tokens. */
const LLM_C_MAGIC = 20240520;
/** Its files for Llama 3, whose ids do not fit into 16 bits, and their version. */
const LLM_C_MAGIC_32 = 20240801;
const LLM_C_VERSION_32 = 7;
const LLM_C_HEADER = 1024;

/** Opens a token file; `close` it. @throws UserError `file_not_found`, `file_not_readable`, `binary_file` */
export function openTokenFile(path: string, options: OpenTokenFileOptions = {}): TokenFile {
  const { vocabSize, split } = options;
  const kind = kindAt(path);
  if (kind !== 'file') throw notThere(path, kind === 'none', split);
  const file = openFile(path);
  try {
    const { start, width, note } = findTokens(path, file, split, options.bytesPerId);
    const length = (file.byteLength - start) / width;
    const into = (position: number, ids: TokenIds): TokenIds => {
      file.read(start + width * position, bytesOf(ids));
      return ids;
    };
    const room = (count: number): TokenIds => roomFor(count, width);
    const scan = { path, length, into, room };
    if (vocabSize !== undefined) checkTokens(scan, vocabSize, split);
    return {
      path,
      length,
      note: note ?? (width === 2 ? thirtyTwoBits(scan, vocabSize, split) : null),
      read(position, count) {
        checkRange(position, count, length);
        return into(position, room(count));
      },
      close: () => {
        file.close();
      },
    };
  } catch (error) {
    file.close();
    throw error;
  }
}

/** Where the tokens begin and how wide they are, after the checks that need no look at them. */
function findTokens(
  path: string,
  file: OpenFile,
  split: string | undefined,
  known: 2 | 4 | undefined,
): { start: number; width: 2 | 4; note: string | null } {
  const size = file.byteLength;
  if (size === 0) throw damaged(path, 'it is empty', localized('datasets.prepare_data_again'), split);
  if (size % (known ?? 2) !== 0) {
    throw damaged(
      path,
      `its ${size} bytes are not a whole number of ${known ?? 2}-byte token ids`,
      localized('datasets.file_cut_short_another_kind'),
      split,
    );
  }
  if (known !== undefined || size < LLM_C_HEADER) return { start: 0, width: known ?? 2, note: null };
  const head = Buffer.alloc(12);
  file.read(0, head);
  const magic = head.readInt32LE(0);
  if (magic !== LLM_C_MAGIC && magic !== LLM_C_MAGIC_32) return { start: 0, width: 2, note: null };
  const [version, count] = [head.readInt32LE(4), head.readUInt32LE(8)];
  const width = magic === LLM_C_MAGIC ? 2 : 4;
  if (version !== (width === 2 ? 1 : LLM_C_VERSION_32)) {
    throw damaged(
      path,
      `it is an llm.c token file of version ${version}; only versions 1 (16-bit ids) and ${LLM_C_VERSION_32} (32-bit ids) can be read`,
      localized('datasets.prepare_text_input_mode_text'),
      split,
    );
  }
  if (size !== LLM_C_HEADER + width * count) {
    throw damaged(
      path,
      `it is an llm.c token file whose header promises ${count} tokens, but ${(size - LLM_C_HEADER) / width} follow`,
      localized('datasets.file_cut_short_use_another'),
      split,
    );
  }
  if (width === 4) return { start: LLM_C_HEADER, width, note: null };
  return {
    start: LLM_C_HEADER,
    width,
    note: `${path} is an llm.c token file: its header of ${LLM_C_HEADER} bytes was skipped, ${count} tokens follow.`,
  };
}

/** Finds the first id that is not in the vocabulary, or -1. */
function firstOutOfRange(ids: TokenIds, vocabSize: number): number {
  for (let i = 0; i < ids.length; i++) if ((ids[i] ?? 0) >= vocabSize) return i;
  return -1;
}

function checkTokens({ path, length, into, room }: Scan, vocabSize: number, split: string | undefined): void {
  const buffer = room(Math.min(SCAN_TOKENS, length));
  for (let position = 0; position < length; position += SCAN_TOKENS) {
    const ids = buffer.subarray(0, length - position);
    into(position, ids);
    const bad = firstOutOfRange(ids, vocabSize);
    if (bad === -1) continue;
    throw new UserError({
      code: 'binary_file',
      message: localized('datasets.token_range_incompatible_split_select', {
        split,
        path,
        id: String(ids[bad]),
        position: position + bad,
        vocabSize,
      }),
      hint: localized('datasets.use_tokenization_meta_pkl_file'),
      ...(split === undefined ? {} : { field: `${split}_bin` }),
    });
  }
}

/** Fewer could be so by chance; a text of one letter and one sign in turns has no more. */
const MIN_DIFFERENT = 3;
/** Of a small vocabulary, id 0 may well be every second token: the spaces of "A C G T". */
const SMALL_VOCABULARY = 256;

/** Detects 32-bit ids read as 16-bit ones. @returns a warning if it may be chance. @throws UserError `binary_file` if not */
function thirtyTwoBits(
  { path, length, into, room }: Scan,
  vocabSize: number | undefined,
  split: string | undefined,
): string | null {
  if (length % 2 !== 0) return null;
  const different = new Set<number>();
  const buffer = room(Math.min(SCAN_TOKENS, length));
  for (let position = 0; position < length; position += SCAN_TOKENS) {
    const ids = into(position, buffer.subarray(0, length - position));
    for (let i = 0; i < ids.length; i += 2) {
      if (ids[i + 1] !== 0) return null; // nearly always the first
      different.add(ids[i] ?? 0);
    }
  }
  if (different.size < MIN_DIFFERENT) return null;
  const why = 'every second of its 16-bit ids is 0, as in a file of 32-bit ids';
  if (vocabSize !== undefined && vocabSize <= SMALL_VOCABULARY) return `${path} may not be what it should: ${why}.`;
  throw damaged(path, why, localized('datasets.write_ids_uint16_numpy_array'), split);
}

/** Returns the bytes of ids as stored; mostly a view. @param width bytes of an id */
export function tokenBytes(ids: TokenIds, width = widthOf(ids)): Uint8Array {
  if (ids.BYTES_PER_ELEMENT === width) return bytesOf(ids);
  const same = roomFor(ids.length, width);
  same.set(ids);
  return bytesOf(same);
}

/** Returns the header of 32-bit ids; empty for 16-bit ones. */
export function tokenHeader(width: 2 | 4, count: number): Uint8Array {
  if (width === 2) return new Uint8Array(0);
  if (count >= 2 ** 32) throw new RangeError(`${count} tokens are too many for one file`);
  const header = Buffer.alloc(LLM_C_HEADER);
  [LLM_C_MAGIC_32, LLM_C_VERSION_32, count].forEach((value, i) => header.writeUInt32LE(value, 4 * i));
  return header;
}

export const roomFor = (count: number, width: 2 | 4): TokenIds =>
  width === 2 ? new Uint16Array(count) : new Uint32Array(count);

const widthOf = (ids: TokenIds): 2 | 4 => (ids instanceof Uint16Array ? 2 : 4);
const bytesOf = (ids: TokenIds): Uint8Array => new Uint8Array(ids.buffer, ids.byteOffset, ids.byteLength);

function notThere(path: string, isMissing: boolean, split: string | undefined): UserError {
  const name = split === undefined ? 'Token' : split === 'train' ? 'Train binary' : 'Val binary';
  return new UserError({
    code: isMissing ? 'file_not_found' : 'file_not_readable',
    message: isMissing
      ? localized('datasets.file_found', { name, path })
      : localized('datasets.is_not_a_file', { path }),
    hint: localized('datasets.check_path_use_input_mode'),
    ...(split === undefined ? {} : { field: `${split}_bin` }),
  });
}

function damaged(path: string, why: string, hint: Sentence, split: string | undefined): UserError {
  return new UserError({
    code: 'binary_file',
    message: localized('datasets.token_file', { path, why }),
    hint,
    ...(split === undefined ? {} : { field: `${split}_bin` }),
  });
}
