/**
 * Reads Python pickles as data. A pickle is a program for a small stack machine, some of whose instructions run code;
 * here only those that make numbers, texts and containers exist, and any other is refused before it could mean anything.
 * Dictionaries become Maps, so no key can reach an object's prototype. (CPython, Lib/pickletools.py; protocols 0 to 5.)
 */
import { UserError } from '../../../shared/errors.js';

export type PickleValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | PickleValue[]
  | Map<PickleValue, PickleValue>
  | Set<PickleValue>;

const LARGEST_FILE = 1 << 24;
const LARGEST_STACK = 1 << 20;
const LARGEST_INTEGER_BYTES = 64;

/** Names of the instructions that would run code, for the message. */
const forbidden: Readonly<Record<number, string>> = {
  0x63: 'GLOBAL',
  0x93: 'STACK_GLOBAL',
  0x52: 'REDUCE',
  0x62: 'BUILD',
  0x69: 'INST',
  0x6f: 'OBJ',
  0x81: 'NEWOBJ',
  0x92: 'NEWOBJ_EX',
  0x82: 'EXT1',
  0x83: 'EXT2',
  0x84: 'EXT4',
  0x50: 'PERSID',
  0x51: 'BINPERSID',
};

/** Why a pickle was not read, and at which byte. */
function refuse(why: string, at: number): UserError {
  return new UserError({
    code: 'meta_file',
    message: `not an acceptable pickle: ${why} (byte ${at})`,
    hint: 'Use the meta.pkl that nanoGPT or Verisim wrote, or leave it out and have a vocabulary made from the text.',
    field: 'meta_path',
  });
}

/**
 * The value of a pickle. Takes at most time and memory in proportion to its length.
 * @throws UserError `meta_file` for whatever is not a complete pickle of plain data
 */
export function readPickle(bytes: Uint8Array): PickleValue {
  return new PickleMachine(bytes).run();
}

class PickleMachine {
  private position = 0;
  /** Where the current instruction is, for messages. */
  private at = 0;
  private stack: PickleValue[] = [];
  private readonly marks: number[] = [];
  private readonly memo = new Map<number, PickleValue>();
  private readonly view: DataView;

  constructor(private readonly bytes: Uint8Array) {
    if (bytes.length > LARGEST_FILE) throw refuse(`larger than ${LARGEST_FILE} bytes`, 0);
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  run(): PickleValue {
    for (;;) {
      this.at = this.position;
      const opcode = this.byte();
      if (opcode === 0x2e) {
        // STOP
        if (this.stack.length !== 1 || this.marks.length > 0) throw this.error('it ends with something left over');
        return this.pop();
      }
      this.step(opcode);
      if (this.stack.length > LARGEST_STACK) throw this.error('too much on the stack');
    }
  }

  private step(opcode: number): void {
    switch (opcode) {
      case 0x80: // PROTO
        if (this.byte() > 5) throw this.error('a protocol above 5');
        return;
      case 0x95: // FRAME: only a hint for buffering
        this.length8();
        return;
      case 0x28: // MARK
        this.marks.push(this.stack.length);
        return;
      case 0x30: // POP
        if (this.stack.length === this.marks.at(-1)) this.marks.pop();
        else this.pop();
        return;
      case 0x31: // POP_MARK
        this.popMark();
        return;
      case 0x32: // DUP
        this.stack.push(this.top());
        return;
      case 0x4e: // NONE
        this.stack.push(null);
        return;
      case 0x88: // NEWTRUE
        this.stack.push(true);
        return;
      case 0x89: // NEWFALSE
        this.stack.push(false);
        return;
      default:
        if (this.number(opcode) || this.text(opcode) || this.container(opcode) || this.remember(opcode)) return;
        throw this.error(
          opcode in forbidden
            ? `the instruction ${forbidden[opcode]}, which could run code; nothing was run`
            : `the unknown instruction 0x${opcode.toString(16).padStart(2, '0')}`,
        );
    }
  }

  private number(opcode: number): boolean {
    switch (opcode) {
      case 0x4b: // BININT1
        this.stack.push(this.byte());
        return true;
      case 0x4d: // BININT2
        this.stack.push(this.view.getUint16(this.take(2), true));
        return true;
      case 0x4a: // BININT
        this.stack.push(this.view.getInt32(this.take(4), true));
        return true;
      case 0x8a: // LONG1
        this.stack.push(this.integer(this.byte()));
        return true;
      case 0x8b: // LONG4
        this.stack.push(this.integer(this.length4()));
        return true;
      case 0x47: // BINFLOAT
        this.stack.push(this.view.getFloat64(this.take(8), false));
        return true;
      case 0x49: {
        // INT, and protocol 0's booleans
        const line = this.line();
        this.stack.push(line === '01' ? true : line === '00' ? false : this.decimal(line));
        return true;
      }
      case 0x4c: // LONG
        this.stack.push(this.decimal(this.line().replace(/L$/, '')));
        return true;
      case 0x46: {
        // FLOAT
        const value = Number(this.line());
        if (Number.isNaN(value)) throw this.error('a number that is none');
        this.stack.push(value);
        return true;
      }
      default:
        return false;
    }
  }

  private text(opcode: number): boolean {
    switch (opcode) {
      case 0x8c: // SHORT_BINUNICODE
        this.stack.push(this.utf8(this.byte()));
        return true;
      case 0x58: // BINUNICODE
        this.stack.push(this.utf8(this.length4()));
        return true;
      case 0x8d: // BINUNICODE8
        this.stack.push(this.utf8(this.length8()));
        return true;
      case 0x56: // UNICODE: raw-unicode-escape
        this.stack.push(
          this.line().replace(/\\u([0-9a-fA-F]{4})|\\U00([0-9a-fA-F]{6})/g, (_, short?: string, long?: string) => {
            const code = parseInt(short ?? long ?? '', 16);
            if (code > 0x10ffff) throw this.error('a character that does not exist');
            return String.fromCodePoint(code);
          }),
        );
        return true;
      case 0x53: // STRING: Python 2's repr
        this.stack.push(this.quoted(this.line()));
        return true;
      case 0x55: // SHORT_BINSTRING
        this.stack.push(this.latin1(this.byte()));
        return true;
      case 0x54: // BINSTRING
        this.stack.push(this.latin1(this.length4()));
        return true;
      case 0x43: // SHORT_BINBYTES
        this.stack.push(this.slice(this.byte()));
        return true;
      case 0x42: // BINBYTES
        this.stack.push(this.slice(this.length4()));
        return true;
      case 0x8e: // BINBYTES8
      case 0x96: // BYTEARRAY8
        this.stack.push(this.slice(this.length8()));
        return true;
      default:
        return false;
    }
  }

  private container(opcode: number): boolean {
    switch (opcode) {
      case 0x7d: // EMPTY_DICT
        this.stack.push(new Map());
        return true;
      case 0x64: // DICT
        this.stack.push(this.fill(new Map(), this.popMark()));
        return true;
      case 0x73: {
        // SETITEM
        const value = this.pop();
        const key = this.pop();
        this.fill(this.top(), [key, value]);
        return true;
      }
      case 0x75: {
        // SETITEMS
        const items = this.popMark();
        this.fill(this.top(), items);
        return true;
      }
      case 0x5d: // EMPTY_LIST
      case 0x29: // EMPTY_TUPLE
        this.stack.push([]);
        return true;
      case 0x6c: // LIST
      case 0x74: // TUPLE
        this.stack.push(this.popMark());
        return true;
      case 0x85: // TUPLE1
      case 0x86: // TUPLE2
      case 0x87: {
        // TUPLE3
        const items: PickleValue[] = [];
        for (let i = 0x84; i < opcode; i++) items.unshift(this.pop());
        this.stack.push(items);
        return true;
      }
      case 0x61: // APPEND
        this.append([this.pop()]);
        return true;
      case 0x65: // APPENDS
        this.append(this.popMark());
        return true;
      case 0x8f: // EMPTY_SET
        this.stack.push(new Set());
        return true;
      case 0x91: // FROZENSET
        this.stack.push(new Set(this.popMark()));
        return true;
      case 0x90: {
        // ADDITEMS
        const items = this.popMark();
        const set = this.top();
        if (!(set instanceof Set)) throw this.error('members for something that is not a set');
        for (const item of items) set.add(item);
        return true;
      }
      default:
        return false;
    }
  }

  private remember(opcode: number): boolean {
    switch (opcode) {
      case 0x94: // MEMOIZE
        this.memo.set(this.memo.size, this.top());
        return true;
      case 0x71: // BINPUT
        this.memo.set(this.byte(), this.top());
        return true;
      case 0x72: // LONG_BINPUT
        this.memo.set(this.length4(), this.top());
        return true;
      case 0x70: // PUT
        this.memo.set(Number(this.decimal(this.line())), this.top());
        return true;
      case 0x68: // BINGET
        this.recall(this.byte());
        return true;
      case 0x6a: // LONG_BINGET
        this.recall(this.length4());
        return true;
      case 0x67: // GET
        this.recall(Number(this.decimal(this.line())));
        return true;
      default:
        return false;
    }
  }

  private recall(index: number): void {
    const value = this.memo.get(index);
    if (value === undefined) throw this.error('a reference to nothing');
    this.stack.push(value);
  }

  private fill(target: PickleValue, items: readonly PickleValue[]): PickleValue {
    if (!(target instanceof Map) || items.length % 2 !== 0) throw this.error('keys for something that is not a dict');
    for (let i = 0; i < items.length; i += 2) {
      const key = items[i] ?? null;
      if (typeof key === 'object' && key !== null) throw this.error('a dict key that is not a number or a text');
      target.set(key, items[i + 1] ?? null);
    }
    return target;
  }

  private append(items: readonly PickleValue[]): void {
    const list = this.top();
    if (!Array.isArray(list)) throw this.error('items for something that is not a list');
    for (const item of items) list.push(item);
  }

  private top(): PickleValue {
    const value = this.stack.at(-1);
    if (value === undefined || this.stack.length <= (this.marks.at(-1) ?? 0)) throw this.error('an empty stack');
    return value;
  }

  private pop(): PickleValue {
    const value = this.top();
    this.stack.length -= 1;
    return value;
  }

  private popMark(): PickleValue[] {
    const mark = this.marks.pop();
    if (mark === undefined) throw this.error('a missing mark');
    return this.stack.splice(mark);
  }

  /** Moves past `count` bytes and says where they begin. */
  private take(count: number): number {
    const start = this.position;
    if (count > this.bytes.length - start) throw this.error('it is cut short');
    this.position = start + count;
    return start;
  }

  private byte(): number {
    return this.view.getUint8(this.take(1));
  }

  private length4(): number {
    return this.view.getUint32(this.take(4), true);
  }

  private length8(): number {
    return Number(this.view.getBigUint64(this.take(8), true));
  }

  private slice(count: number): Uint8Array {
    const start = this.take(count);
    return this.bytes.slice(start, start + count);
  }

  private utf8(count: number): string {
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(this.slice(count));
    } catch (error) {
      if (error instanceof UserError) throw error;
      throw this.error('text that is not UTF-8');
    }
  }

  private latin1(count: number): string {
    return Array.from(this.slice(count), (byte) => String.fromCharCode(byte)).join('');
  }

  private line(): string {
    const end = this.bytes.indexOf(0x0a, this.position);
    if (end === -1) throw this.error('it is cut short');
    const text = this.latin1(end - this.position);
    this.position = end + 1;
    return text;
  }

  private quoted(line: string): string {
    const inner = /^(['"])(.*)\1$/s.exec(line)?.[2];
    if (inner === undefined) throw this.error('a text without quotes');
    const named: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '\\': '\\', "'": "'", '"': '"' };
    return inner.replace(/\\(?:x([0-9a-fA-F]{2})|(.))/gs, (_, hex?: string, letter?: string) =>
      hex === undefined ? (named[letter ?? ''] ?? `\\${letter ?? ''}`) : String.fromCharCode(parseInt(hex, 16)),
    );
  }

  private decimal(text: string): number | bigint {
    if (!/^[-+]?\d{1,150}$/.test(text)) throw this.error('a number that is none');
    return narrow(BigInt(text.replace(/^\+/, '')));
  }

  /** A little-endian two's complement integer. */
  private integer(count: number): number | bigint {
    if (count > LARGEST_INTEGER_BYTES) throw this.error('a number that is too large');
    let value = 0n;
    const bytes = this.slice(count);
    for (let i = count - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[i] ?? 0);
    return narrow(BigInt.asIntN(8 * count, value));
  }

  private error(why: string): UserError {
    return refuse(why, this.at);
  }
}

function narrow(value: bigint): number | bigint {
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
}
