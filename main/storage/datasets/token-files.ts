/** Reads and writes train.bin and val.bin: uint16 ids as nanoGPT's, or uint32 after llm.c's header for Llama 3. */
import { UserError } from '../../../shared/errors.js';
import { localized, type Message } from '../../../shared/messages/message.js';
import { checkRange } from '../../engine/train/dataset.js';
import type { TokenIds, TokenSource } from '../../engine/types.js';
import { type OpenFile, openFile } from '../disk/file-bytes.js';
import { kindAt } from '../disk/file-operations.js';

export interface TokenFile extends TokenSource {
  readonly path: string;
  readonly note: Message | null;
  close(): void;
}

export interface OpenTokenFileOptions {
  /** Every id must be below this; the whole file is read. */
  readonly vocabSize?: number;
  /** Which file of a dataset it is, for messages. */
  readonly split?: 'train' | 'val';
  /** Width of an id in a file without a header; omit to read it from the file. */
  readonly bytesPerId?: 2 | 4;
}

/** Small enough to stay in the processor's cache while it is checked. */
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
  const field = split === undefined ? {} : { field: `${split}_bin` };
  const refuse = (why: Message, hint: Message): UserError => {
    const message = localized('datasets.token_file', { path, why });
    return new UserError({ code: 'binary_file', message, hint, ...field });
  };
  const kind = kindAt(path);
  if (kind !== 'file') throw notAFile(path, kind === 'none', split);
  const file = openFile(path);
  try {
    const { start, width, note } = findTokens(path, file, options.bytesPerId, refuse);
    const length = (file.byteLength - start) / width;
    const read = (position: number, count: number): TokenIds => {
      const ids = roomFor(count, width);
      file.read(start + width * position, bytesOf(ids));
      return ids;
    };
    const outside = vocabSize === undefined ? null : firstOutside(length, read, vocabSize);
    if (outside !== null) {
      throw new UserError({
        code: 'binary_file',
        message: localized('datasets.token_range_incompatible_split_select', { split, path, ...outside, vocabSize }),
        hint: localized('datasets.use_tokenization_meta_pkl_file'),
        ...field,
      });
    }
    return {
      path,
      length,
      note,
      read(position, count) {
        checkRange(position, count, length);
        return read(position, count);
      },
      close: () => file.close(),
    };
  } catch (error) {
    file.close();
    throw error;
  }
}

/** Finds where the tokens begin and how wide they are, without reading them. */
function findTokens(
  path: string,
  file: OpenFile,
  known: 2 | 4 | undefined,
  refuse: (why: Message, hint: Message) => UserError,
): { start: number; width: 2 | 4; note: Message | null } {
  const size = file.byteLength;
  if (size === 0) throw refuse(localized('datasets.tokens_empty'), localized('datasets.prepare_data_again'));
  if (size % (known ?? 2) !== 0) {
    const why = localized('datasets.tokens_odd_size', { size, width: known ?? 2 });
    throw refuse(why, localized('datasets.file_cut_short_another_kind'));
  }
  if (known !== undefined || size < LLM_C_HEADER) return { start: 0, width: known ?? 2, note: null };
  const head = Buffer.alloc(12);
  file.read(0, head);
  const magic = head.readInt32LE(0);
  if (magic !== LLM_C_MAGIC && magic !== LLM_C_MAGIC_32) return { start: 0, width: 2, note: null };
  const [version, count] = [head.readInt32LE(4), head.readUInt32LE(8)];
  const width = magic === LLM_C_MAGIC ? 2 : 4;
  if (version !== (width === 2 ? 1 : LLM_C_VERSION_32)) {
    throw refuse(
      localized('datasets.llm_c_version', { version: String(version), wide: String(LLM_C_VERSION_32) }),
      localized('datasets.prepare_text_input_mode_text'),
    );
  }
  if (size !== LLM_C_HEADER + width * count) {
    const found = (size - LLM_C_HEADER) / width;
    throw refuse(localized('datasets.llm_c_count', { count, found }), localized('datasets.file_cut_short_use_another'));
  }
  const skipped = localized('datasets.llm_c_header_skipped', { path, header: String(LLM_C_HEADER), count });
  return { start: LLM_C_HEADER, width, note: width === 4 ? null : skipped };
}

function firstOutside(length: number, read: (position: number, count: number) => TokenIds, vocabSize: number) {
  for (let position = 0; position < length; position += SCAN_TOKENS) {
    const ids = read(position, Math.min(SCAN_TOKENS, length - position));
    for (let i = 0; i < ids.length; i++) {
      if ((ids[i] ?? 0) >= vocabSize) return { id: String(ids[i]), position: String(position + i) };
    }
  }
  return null;
}

/** Returns the bytes of ids as stored; mostly a view. @param width bytes of an id, as in memory by default */
export function tokenBytes(ids: TokenIds, width: number = ids.BYTES_PER_ELEMENT): Uint8Array {
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

export const roomFor = (count: number, width: number): TokenIds =>
  width === 2 ? new Uint16Array(count) : new Uint32Array(count);

const bytesOf = (ids: TokenIds): Uint8Array => new Uint8Array(ids.buffer, ids.byteOffset, ids.byteLength);

function notAFile(path: string, isMissing: boolean, split: 'train' | 'val' | undefined): UserError {
  return new UserError({
    code: isMissing ? 'file_not_found' : 'file_not_readable',
    message: isMissing
      ? localized('datasets.token_file_not_found', { split, path })
      : localized('datasets.is_not_a_file', { path }),
    hint: localized('datasets.check_path_use_input_mode'),
    ...(split === undefined ? {} : { field: `${split}_bin` }),
  });
}
