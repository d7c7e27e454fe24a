/** Reads Python pickles as data (protocols 2 to 5). Names reach only a format's rules; other instructions that could run code are refused. */
import { bytes, localized } from '../../../shared/messages/message.js';
import { quoted } from '../shorten.js';
import { PickleBytes } from './pickle-bytes.js';
import { OrderedDict, PickleGlobal, PickleRecord, type PickleRules, type PickleValue } from './pickle-values.js';

export * from './pickle-values.js';

/** Three times the largest vocabulary (65,536 characters), thirty times a checkpoint of 48 layers. */
export const MAX_PICKLE = 1 << 22;
const MAX_STACK = 1 << 18;
/** Bytes of all values by a rough count that never decreases: bounds memory and time alike. */
const MAX_MEMORY = 1 << 25;
const cost = { value: 32, container: 200, item: 24, entry: 96 } as const;
/** Other keys than small integers could be chosen to collide in a Map: only a few are allowed. */
const USUAL_KEYS = 1 << 22;
const UNUSUAL_KEYS = 1000;

/** Reads a pickle with bounded time and memory. @throws UserError as the rules make it */
export function readPickle(data: Uint8Array, rules: PickleRules): PickleValue {
  if (data.length > MAX_PICKLE) throw rules.refuse(localized('damage.tooLarge', { most: bytes(MAX_PICKLE) }), 0);
  return new PickleMachine(data, rules).run();
}

class PickleMachine extends PickleBytes {
  private readonly stack: PickleValue[] = [];
  private readonly marks: number[] = [];
  private readonly memo = new Map<number, PickleValue>();
  private spent = 0;
  private unusualKeys = 0;

  constructor(
    data: Uint8Array,
    private readonly rules: PickleRules,
  ) {
    super(data, (why, at) => rules.refuse(why, at));
  }

  run(): PickleValue {
    for (;;) {
      const opcode = this.instruction();
      if (opcode === STOP) {
        if (this.stack.length !== 1 || this.marks.length > 0) throw this.invalid();
        return this.pop();
      }
      const step = instructions[opcode];
      if (step === undefined) {
        const name = forbidden[opcode];
        if (name !== undefined) throw this.codeError(name);
        throw this.error(localized('pickle.unknown', { opcode: `0x${opcode.toString(16).padStart(2, '0')}` }));
      }
      step(this);
      if (this.stack.length + this.marks.length > MAX_STACK) throw this.invalid();
    }
  }

  checkProtocol(): void {
    if (this.byte() > 5) throw this.invalid();
  }

  mark(): void {
    this.marks.push(this.stack.length);
  }

  /** Removes the top value, or a mark on top of it. */
  discard(): void {
    if (this.stack.length === this.marks.at(-1)) this.marks.pop();
    else this.pop();
  }

  push(value: PickleValue): void {
    if (typeof value === 'string') this.spend(cost.value + 2 * value.length);
    else if (value instanceof Uint8Array) this.spend(cost.container + value.length);
    else if (typeof value === 'bigint') this.spend(2 * cost.value);
    else if (typeof value !== 'object' || value === null) this.spend(cost.item);
    else this.spend(cost.container + (Array.isArray(value) ? cost.item * value.length : 0));
    this.stack.push(value);
  }

  top(): PickleValue {
    const value = this.stack.at(-1);
    if (value === undefined || this.stack.length <= (this.marks.at(-1) ?? 0)) throw this.invalid();
    return value;
  }

  private pop(): PickleValue {
    const value = this.top();
    this.stack.length -= 1;
    return value;
  }

  popLast(count: number): PickleValue[] {
    const items: PickleValue[] = [];
    while (items.length < count) items.unshift(this.pop());
    return items;
  }

  popMark(): PickleValue[] {
    const mark = this.marks.pop();
    if (mark === undefined) throw this.invalid();
    return this.stack.splice(mark);
  }

  /** Stores the top value in the memo; by default under the next number. */
  memoize(index = this.memo.size): void {
    if (index >= USUAL_KEYS) throw this.invalid();
    this.spend(cost.entry);
    this.memo.set(index, this.top());
  }

  recall(index: number): void {
    const value = this.memo.get(index);
    if (value === undefined) throw this.invalid();
    this.stack.push(value);
  }

  /** Adds alternating keys and values to the dictionary on the stack. */
  fill(items: readonly PickleValue[]): void {
    const target = this.top();
    if (!(target instanceof Map) || items.length % 2 !== 0) throw this.invalid();
    this.spend((cost.entry * items.length) / 2);
    for (let i = 0; i < items.length; i += 2) {
      const key = items[i] ?? null;
      if (typeof key === 'object' && key !== null) throw this.invalid();
      const isUsual =
        typeof key === 'number' ? Number.isInteger(key) && Math.abs(key) < USUAL_KEYS : typeof key !== 'bigint';
      if (!isUsual && ++this.unusualKeys > UNUSUAL_KEYS) throw this.invalid();
      target.set(key, items[i + 1] ?? null);
    }
  }

  append(items: readonly PickleValue[]): void {
    const list = this.top();
    if (!Array.isArray(list)) throw this.invalid();
    this.spend(cost.item * items.length);
    for (const item of items) list.push(item);
  }

  /** Resolves a name by the rules; no name from a file is ever looked up. */
  findGlobal([module, name]: readonly PickleValue[]): void {
    if (typeof module !== 'string' || typeof name !== 'string') throw this.invalid();
    const found = this.rules.global(module, name);
    if (found === null) throw this.codeError(quoted(`${module}.${name}`, 100));
    this.push(found);
  }

  call(): void {
    const [callable, args] = this.popLast(2);
    if (!(callable instanceof PickleGlobal)) throw this.codeError('REDUCE');
    const value = Array.isArray(args) ? callable.make(args) : null;
    if (value === null) throw this.codeError(callable.name);
    this.push(value);
  }

  build(): void {
    const state = this.pop();
    const target = this.top();
    if (target instanceof OrderedDict && state instanceof Map) return;
    if (target instanceof PickleRecord && state instanceof Map) this.spend(cost.entry * state.size);
    if (!(target instanceof PickleRecord && target.build(state))) throw this.codeError('BUILD');
  }

  findPersistent(): void {
    const value = this.rules.persistent(this.pop());
    if (value === null) throw this.invalid();
    this.push(value);
  }

  private spend(amount: number): void {
    this.spent += amount;
    if (this.spent > MAX_MEMORY) throw this.error(localized('pickle.tooMuch'));
  }

  private codeError(name: string) {
    return this.error(localized('pickle.code', { name }));
  }
}

const STOP = 0x2e;

/** Every allowed instruction. (CPython, Lib/pickle.py) */
const instructions: Readonly<Record<number, (machine: PickleMachine) => void>> = {
  0x80: (machine) => machine.checkProtocol(), // PROTO
  0x95: (machine) => void machine.unsigned8(), // FRAME: only a hint for buffering
  0x28: (machine) => machine.mark(), // MARK
  0x30: (machine) => machine.discard(), // POP
  0x31: (machine) => void machine.popMark(), // POP_MARK
  0x32: (machine) => machine.push(machine.top()), // DUP
  0x4e: (machine) => machine.push(null), // NONE
  0x88: (machine) => machine.push(true), // NEWTRUE
  0x89: (machine) => machine.push(false), // NEWFALSE
  0x4b: (machine) => machine.push(machine.byte()), // BININT1
  0x4d: (machine) => machine.push(machine.unsigned2()), // BININT2
  0x4a: (machine) => machine.push(machine.signed4()), // BININT
  0x8a: (machine) => machine.push(machine.integer(machine.byte())), // LONG1
  0x8b: (machine) => machine.push(machine.integer(machine.unsigned4())), // LONG4
  0x47: (machine) => machine.push(machine.float8()), // BINFLOAT
  0x8c: (machine) => machine.push(machine.utf8(machine.byte())), // SHORT_BINUNICODE
  0x58: (machine) => machine.push(machine.utf8(machine.unsigned4())), // BINUNICODE
  0x8d: (machine) => machine.push(machine.utf8(machine.unsigned8())), // BINUNICODE8
  0x43: (machine) => machine.push(machine.slice(machine.byte())), // SHORT_BINBYTES
  0x42: (machine) => machine.push(machine.slice(machine.unsigned4())), // BINBYTES
  0x8e: (machine) => machine.push(machine.slice(machine.unsigned8())), // BINBYTES8
  0x96: (machine) => machine.push(machine.slice(machine.unsigned8())), // BYTEARRAY8
  0x7d: (machine) => machine.push(new Map()), // EMPTY_DICT
  0x73: (machine) => machine.fill(machine.popLast(2)), // SETITEM
  0x75: (machine) => machine.fill(machine.popMark()), // SETITEMS
  0x5d: (machine) => machine.push([]), // EMPTY_LIST
  0x29: (machine) => machine.push([]), // EMPTY_TUPLE
  0x74: (machine) => machine.push(machine.popMark()), // TUPLE
  0x85: (machine) => machine.push(machine.popLast(1)), // TUPLE1
  0x86: (machine) => machine.push(machine.popLast(2)), // TUPLE2
  0x87: (machine) => machine.push(machine.popLast(3)), // TUPLE3
  0x61: (machine) => machine.append(machine.popLast(1)), // APPEND
  0x65: (machine) => machine.append(machine.popMark()), // APPENDS
  0x94: (machine) => machine.memoize(), // MEMOIZE
  0x71: (machine) => machine.memoize(machine.byte()), // BINPUT
  0x72: (machine) => machine.memoize(machine.unsigned4()), // LONG_BINPUT
  0x68: (machine) => machine.recall(machine.byte()), // BINGET
  0x6a: (machine) => machine.recall(machine.unsigned4()), // LONG_BINGET
  // These would run code in Python; here they reach the rules and nothing else.
  0x63: (machine) => machine.findGlobal([machine.line(), machine.line()]), // GLOBAL
  0x93: (machine) => machine.findGlobal(machine.popLast(2)), // STACK_GLOBAL
  0x52: (machine) => machine.call(), // REDUCE
  0x81: (machine) => machine.call(), // NEWOBJ
  0x62: (machine) => machine.build(), // BUILD
  0x51: (machine) => machine.findPersistent(), // BINPERSID
};

/** Instructions that no rules can allow. */
const forbidden: Readonly<Record<number, string>> = {
  0x69: 'INST',
  0x6f: 'OBJ',
  0x92: 'NEWOBJ_EX',
  0x82: 'EXT1',
  0x83: 'EXT2',
  0x84: 'EXT4',
  0x50: 'PERSID',
};
