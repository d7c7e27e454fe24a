/** Reads Python pickles as data (protocols 2 to 5). Names reach only a format's rules; other instructions that could run code are refused. */
import type { UserError } from '../../../shared/errors.js';
import { PickleBytes } from './pickle-bytes.js';
import {
  OrderedDict,
  PickleGlobal,
  PickleObject,
  PickleRecord,
  type PickleRules,
  type PickleValue,
} from './pickle-values.js';
import { quoted } from '../shorten.js';

export * from './pickle-values.js';

/** Three times what the largest vocabulary needs (65,536 characters), thirty times what a checkpoint of 48 layers does. */
export const MAX_PICKLE = 1 << 22;
const MAX_STACK = 1 << 18;
/** Bytes that the values may take, by a rough count that is never given back: bounds memory and time alike. */
const MAX_MEMORY = 1 << 25;
const cost = { value: 32, container: 200, item: 24, entry: 96 } as const;
/** Keys that a file could choose so that a Map's places for them are all the same: beyond small whole numbers, only a few. */
const USUAL_KEYS = 1 << 22;
const UNUSUAL_KEYS = 1000;

/** Instructions that no list makes acceptable. */
const forbidden: Readonly<Record<number, string>> = {
  0x69: 'INST',
  0x6f: 'OBJ',
  0x92: 'NEWOBJ_EX',
  0x82: 'EXT1',
  0x83: 'EXT2',
  0x84: 'EXT4',
  0x50: 'PERSID',
};

/** Reads a pickle with bounded time and memory. @throws UserError as the rules make it */
export function readPickle(bytes: Uint8Array, rules: PickleRules): PickleValue {
  if (bytes.length > MAX_PICKLE) throw rules.refuse(`larger than ${MAX_PICKLE} bytes`, 0);
  return new PickleMachine(bytes, rules).run();
}

class PickleMachine {
  private readonly stack: PickleValue[] = [];
  private readonly marks: number[] = [];
  private readonly memo = new Map<number, PickleValue>();
  private readonly input: PickleBytes;
  private spent = 0;
  private unusualKeys = 0;

  constructor(
    bytes: Uint8Array,
    private readonly rules: PickleRules,
  ) {
    this.input = new PickleBytes(bytes, (why, at) => rules.refuse(why, at));
  }

  run(): PickleValue {
    for (;;) {
      const opcode = this.input.instruction();
      if (opcode === 0x2e) {
        // STOP
        if (this.stack.length !== 1 || this.marks.length > 0) throw this.error('it ends with something left over');
        return this.pop();
      }
      this.step(opcode);
      if (this.stack.length + this.marks.length > MAX_STACK) throw this.error('too much on the stack');
    }
  }

  private step(opcode: number): void {
    switch (opcode) {
      case 0x80: // PROTO
        if (this.input.byte() > 5) throw this.error('a protocol above 5');
        return;
      case 0x95: // FRAME: only a hint for buffering
        this.input.unsigned8();
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
        if (this.number(opcode) || this.text(opcode) || this.container(opcode)) return;
        if (this.remember(opcode) || this.object(opcode)) return;
        throw this.error(
          opcode in forbidden
            ? `the instruction ${forbidden[opcode]}, which could run code; nothing was run`
            : `the unknown instruction 0x${opcode.toString(16).padStart(2, '0')}`,
        );
    }
  }

  private number(opcode: number): boolean {
    const { input } = this;
    switch (opcode) {
      case 0x4b: // BININT1
        return this.push(input.byte());
      case 0x4d: // BININT2
        return this.push(input.unsigned2());
      case 0x4a: // BININT
        return this.push(input.signed4());
      case 0x8a: // LONG1
        return this.push(input.integer(input.byte()));
      case 0x8b: // LONG4
        return this.push(input.integer(input.unsigned4()));
      case 0x47: // BINFLOAT
        return this.push(input.float8());
      default:
        return false;
    }
  }

  private text(opcode: number): boolean {
    const { input } = this;
    switch (opcode) {
      case 0x8c: // SHORT_BINUNICODE
        return this.push(input.utf8(input.byte()));
      case 0x58: // BINUNICODE
        return this.push(input.utf8(input.unsigned4()));
      case 0x8d: // BINUNICODE8
        return this.push(input.utf8(input.unsigned8()));
      case 0x43: // SHORT_BINBYTES
        return this.push(input.slice(input.byte()));
      case 0x42: // BINBYTES
        return this.push(input.slice(input.unsigned4()));
      case 0x8e: // BINBYTES8
      case 0x96: // BYTEARRAY8
        return this.push(input.slice(input.unsigned8()));
      default:
        return false;
    }
  }

  private container(opcode: number): boolean {
    switch (opcode) {
      case 0x7d: // EMPTY_DICT
        return this.push(new Map());
      case 0x73: {
        // SETITEM
        const value = this.pop();
        const key = this.pop();
        this.fill([key, value]);
        return true;
      }
      case 0x75: // SETITEMS
        this.fill(this.popMark());
        return true;
      case 0x5d: // EMPTY_LIST
      case 0x29: // EMPTY_TUPLE
        return this.push([]);
      case 0x74: // TUPLE
        return this.push(this.popMark());
      case 0x85: // TUPLE1
      case 0x86: // TUPLE2
      case 0x87: // TUPLE3
        return this.push(this.popLast(opcode - 0x84));
      case 0x61: // APPEND
        this.append([this.pop()]);
        return true;
      case 0x65: // APPENDS
        this.append(this.popMark());
        return true;
      case 0x8f: // EMPTY_SET
        return this.push(new Set());
      case 0x91: {
        // FROZENSET
        const items = this.popMark();
        this.push(new Set());
        this.addItems(items);
        return true;
      }
      case 0x90: // ADDITEMS
        this.addItems(this.popMark());
        return true;
      default:
        return false;
    }
  }

  private remember(opcode: number): boolean {
    const { input } = this;
    switch (opcode) {
      case 0x94: // MEMOIZE
        return this.keep(this.memo.size);
      case 0x71: // BINPUT
        return this.keep(input.byte());
      case 0x72: // LONG_BINPUT
        return this.keep(input.unsigned4());
      case 0x68: // BINGET
        return this.recall(input.byte());
      case 0x6a: // LONG_BINGET
        return this.recall(input.unsigned4());
      default:
        return false;
    }
  }

  /** The instructions that would run code in Python; here they reach what the rules list and nothing else. */
  private object(opcode: number): boolean {
    switch (opcode) {
      case 0x63: // GLOBAL
        return this.push(this.global(this.input.line(), this.input.line()));
      case 0x93: {
        // STACK_GLOBAL
        const name = this.pop();
        return this.push(this.global(this.pop(), name));
      }
      case 0x52: // REDUCE
      case 0x81: {
        // NEWOBJ
        const args = this.pop();
        const callable = this.pop();
        const isCallable = callable instanceof PickleGlobal && Array.isArray(args);
        const value = isCallable ? callable.make(args) : null;
        if (value === null) {
          const name =
            callable instanceof PickleGlobal ? `${callable.name} with such arguments` : 'what is not callable';
          throw this.error(`it calls ${name}, which could run code; nothing was run`);
        }
        return this.push(value);
      }
      case 0x62: {
        // BUILD
        const state = this.pop();
        const target = this.top();
        if (target instanceof PickleRecord && state instanceof Map) this.spend(cost.entry * state.size);
        const isAttributes = target instanceof OrderedDict && state instanceof Map;
        if (!isAttributes && !(target instanceof PickleObject && target.build(state))) {
          throw this.error('it sets the state of something, which could run code; nothing was run');
        }
        return true;
      }
      case 0x51: {
        // BINPERSID
        const value = this.rules.persistent(this.pop());
        if (value === null) throw this.error('a reference to something outside of it');
        return this.push(value);
      }
      default:
        return false;
    }
  }

  private global(module: PickleValue, name: PickleValue): PickleGlobal {
    if (typeof module !== 'string' || typeof name !== 'string') throw this.error('a name that is none');
    const found = this.rules.global(module, name);
    if (found === null) {
      throw this.error(
        `it asks for Python’s ${quoted(`${module}.${name}`, 100)}, which could run code; nothing was run`,
      );
    }
    return found;
  }

  private push(value: PickleValue): true {
    if (typeof value === 'string') this.spend(cost.value + 2 * value.length);
    else if (value instanceof Uint8Array) this.spend(cost.container + value.length);
    else if (typeof value === 'bigint') this.spend(2 * cost.value);
    else if (typeof value !== 'object' || value === null) this.spend(cost.item);
    else this.spend(cost.container + (Array.isArray(value) ? cost.item * value.length : 0));
    this.stack.push(value);
    return true;
  }

  private spend(bytes: number): void {
    this.spent += bytes;
    if (this.spent > MAX_MEMORY) throw this.error('it makes more values than such a file needs');
  }

  private keep(index: number): true {
    if (!(index >= 0 && index < USUAL_KEYS)) throw this.error('a note under an impossible number');
    this.spend(cost.entry);
    this.memo.set(index, this.top());
    return true;
  }

  private recall(index: number): true {
    const value = this.memo.get(index);
    if (value === undefined) throw this.error('a reference to nothing');
    this.stack.push(value);
    return true;
  }

  /** Puts keys and values, one after the other, into the dictionary on the stack. */
  private fill(items: readonly PickleValue[]): void {
    const target = this.top();
    if (!(target instanceof Map) || items.length % 2 !== 0) throw this.error('keys for something that is not a dict');
    this.spend((cost.entry * items.length) / 2);
    for (let i = 0; i < items.length; i += 2) {
      const key = items[i] ?? null;
      if (typeof key === 'object' && key !== null) throw this.error('a dict key that is not a number or a text');
      this.checkKey(key);
      target.set(key, items[i + 1] ?? null);
    }
  }

  private checkKey(key: PickleValue): void {
    const isUsual =
      typeof key === 'number' ? Number.isInteger(key) && Math.abs(key) < USUAL_KEYS : typeof key !== 'bigint';
    if (!isUsual && ++this.unusualKeys > UNUSUAL_KEYS) throw this.error('too many large or broken numbers as keys');
  }

  private append(items: readonly PickleValue[]): void {
    const list = this.top();
    if (!Array.isArray(list)) throw this.error('items for something that is not a list');
    this.spend(cost.item * items.length);
    for (const item of items) list.push(item);
  }

  private addItems(items: readonly PickleValue[]): void {
    const set = this.top();
    if (!(set instanceof Set)) throw this.error('members for something that is not a set');
    this.spend(cost.entry * items.length);
    for (const item of items) {
      this.checkKey(item);
      set.add(item);
    }
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

  private popLast(count: number): PickleValue[] {
    const items: PickleValue[] = [];
    while (items.length < count) items.unshift(this.pop());
    return items;
  }

  private popMark(): PickleValue[] {
    const mark = this.marks.pop();
    if (mark === undefined) throw this.error('a missing mark');
    return this.stack.splice(mark);
  }

  private error(why: string): UserError {
    return this.input.error(why);
  }
}
