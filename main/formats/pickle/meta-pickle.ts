/** Reads and writes nanoGPT's meta.pkl {vocab_size, itos, stoi}, byte for byte as prepare.py under Python 3.8 or newer. */
import { localized, type Message } from '../../../shared/messages/message.js';
import { UserError } from '../../../shared/errors.js';
import { MAX_VOCABULARY, nameCharacter } from '../../engine/tokenizer/char.js';
import { type PickleRules, type PickleValue, readPickle } from './pickle.js';

/** Allows plain data only. */
export const metaRules: PickleRules = {
  global: () => null,
  persistent: () => null,
  refuse: (why, at) =>
    new UserError({
      code: 'meta_file',
      message: localized('pickle.acceptable_pickle_byte', { why, at }),
      hint: localized('pickle.use_meta_pkl_nanogpt_verisim'),
      field: 'meta_path',
    }),
};

/** Returns the characters in order of their ids; ignores other keys. @throws UserError `meta_file` */
export function readMetaPickle(bytes: Uint8Array): string[] {
  const meta = readPickle(bytes, metaRules);
  if (!(meta instanceof Map)) throw damaged(localized('pickle.metaDictionary', { name: 'meta.pkl' }));
  const vocabSize = meta.get('vocab_size');
  const itos = meta.get('itos');
  const stoi = meta.get('stoi');
  if (!isId(vocabSize) || vocabSize < 1 || vocabSize > MAX_VOCABULARY) {
    throw damaged(localized('pickle.metaSize', { most: MAX_VOCABULARY }));
  }
  if (!(itos instanceof Map)) throw damaged(localized('pickle.metaDictionary', { name: 'itos' }));
  if (!(stoi instanceof Map)) throw damaged(localized('pickle.metaDictionary', { name: 'stoi' }));
  if (itos.size !== vocabSize || stoi.size !== vocabSize) {
    const sizes = { size: vocabSize, itos: itos.size, stoi: stoi.size };
    throw damaged(localized('pickle.metaSizes', sizes));
  }
  return Array.from({ length: vocabSize }, (_, id) => {
    const character = itos.get(id);
    if (!isCharacter(character)) throw damaged(localized('pickle.metaCharacter', { id }));
    if (stoi.get(character) !== id)
      throw damaged(localized('pickle.metaDisagree', { character: nameCharacter(character) }));
    return character;
  });
}

function isId(value: PickleValue | undefined): value is number {
  return typeof value === 'number' && Number.isInteger(value);
}

function isCharacter(value: PickleValue | undefined): value is string {
  if (typeof value !== 'string' || value === '') return false;
  const code = value.codePointAt(0) ?? 0;
  return value.length === (code > 0xffff ? 2 : 1) && (code < 0xd800 || code > 0xdfff);
}

function damaged(why: Message): UserError {
  return new UserError({
    code: 'meta_file',
    message: localized('pickle.nanogpts_meta_pkl', { why }),
    hint: localized('pickle.use_meta_pkl_belongs_data'),
    field: 'meta_path',
  });
}

/** The bytes of a meta.pkl. @param characters in the order of their ids */
export function writeMetaPickle(characters: readonly string[]): Uint8Array {
  const out = new PickleWriter();
  out.byte(0x7d, 0x94, 0x28); // EMPTY_DICT MEMOIZE MARK
  out.memoized++;
  out.text('vocab_size');
  out.integer(characters.length);
  out.text('itos');
  out.dictionary(characters.map((character, id) => [id, character]));
  out.text('stoi');
  out.dictionary(characters.map((character, id) => [character, id]));
  out.byte(0x75, 0x2e); // SETITEMS STOP
  return out.finish();
}

const fourBytes = (value: number) => new Uint8Array(Uint32Array.of(value).buffer);

/** The part of CPython's pickler, protocol 4, that such a dictionary needs. */
class PickleWriter {
  memoized = 0;
  private readonly bytes: number[] = [];
  private readonly memo = new Map<string, number>();

  byte(...values: readonly number[]): void {
    this.bytes.push(...values);
  }

  integer(value: number): void {
    if (value < 256) this.byte(0x4b, value);
    else if (value < 65536) this.byte(0x4d, value & 255, value >> 8);
    else this.byte(0x4a, ...fourBytes(value));
  }

  /** A short text; the second time, a reference to the first. */
  text(value: string): void {
    const known = this.memo.get(value);
    if (known === undefined) {
      const utf8 = new TextEncoder().encode(value);
      this.byte(0x8c, utf8.length, ...utf8, 0x94);
      this.memo.set(value, this.memoized++);
    } else if (known < 256) {
      this.byte(0x68, known);
    } else {
      this.byte(0x6a, ...fourBytes(known));
    }
  }

  /** A dictionary, in batches of 1,000 as CPython writes them; a full last batch is followed by an empty one. */
  dictionary(entries: readonly (readonly [number | string, number | string])[]): void {
    this.byte(0x7d, 0x94);
    this.memoized++;
    const put = (value: number | string) => (typeof value === 'string' ? this.text(value) : this.integer(value));
    if (entries.length === 1) {
      entries[0]?.forEach(put);
      this.byte(0x73);
      return;
    }
    if (entries.length === 0) return;
    for (let first = 0; first <= entries.length; first += 1000) {
      this.byte(0x28);
      for (const entry of entries.slice(first, first + 1000)) entry.forEach(put);
      this.byte(0x75);
    }
  }

  finish(): Uint8Array {
    const header = new Uint8Array(11); // PROTO 4, FRAME with the length of the rest
    header.set([0x80, 4, 0x95]);
    new DataView(header.buffer).setBigUint64(3, BigInt(this.bytes.length), true);
    return Uint8Array.from([...header, ...this.bytes]);
  }
}
