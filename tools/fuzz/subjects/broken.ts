/** A reader that does everything that a reader must not, by the name of the file: the fuzzer has to notice each. */
import process from 'node:process';
import { UserError } from '../../../shared/errors.js';
import { limits as usual } from '../protocol.js';
import { slowness } from '../slowness.js';
import type { Subject } from '../subject.js';

const fault = { code: 'file_damaged', message: 'it is damaged', hint: 'Use another copy.' } as const;

/** A quarter of the time that others have: it is used up four times. */
const limits = { ...usual, cpuMs: usual.cpuMs / 4 };

const deeds: Readonly<Record<string, () => string>> = {
  'throws what is no error of ours': () => {
    throw new RangeError('out of range');
  },
  'gives no hint': () => {
    throw new UserError({ ...fault, hint: '' });
  },
  'says far too much': () => {
    throw new UserError({ ...fault, message: 'x'.repeat(5000) });
  },
  'reads what it must refuse': () => 'nothing',
  'changes a prototype': () => {
    Object.defineProperty(Object.prototype, 'polluted', { value: 1, configurable: true });
    throw new UserError(fault);
  },
  'takes its time': () => {
    // Twice what is allowed, on this processor: the bound follows how slow it is.
    const long = 2 * limits.cpuMs * 1000 * slowness();
    const { user } = process.cpuUsage();
    // Computes most of the time: to ask for the time is the system's work, of which seconds would go by.
    let sum = 0;
    while (process.cpuUsage().user - user < long) for (let i = 0; i < 1e6; i++) sum += i;
    throw new UserError({ ...fault, message: `its sum is ${sum}` });
  },
  'takes memory': () => {
    const held = Array.from({ length: 10 }, () => Buffer.alloc(8 << 20, 1));
    throw new UserError({ ...fault, message: `it has ${held.length} pieces` });
  },
  'ends the process': () => process.exit(3),
  'runs out of memory': () => {
    for (const held: number[][] = []; ; held.push(new Array<number>(1 << 20).fill(0.5)));
  },
  hangs: () => {
    // Waits for what never comes, which takes nothing of the processor meanwhile.
    for (const never = new Int32Array(new SharedArrayBuffer(4)); ;) Atomics.wait(never, 0, 0);
  },
};

export const broken: Subject = {
  name: 'broken',
  limits,
  samples: [{ name: 'good', bytes: Buffer.from('good') }],
  bombs: Object.fromEntries(Object.keys(deeds).map((name) => [name, () => Buffer.from(name)])),
  words: [],
  read(bytes, name) {
    const deed = deeds[name];
    if (deed !== undefined) return deed();
    if (bytes.length === 4) return bytes.subarray(0, 1).toString('latin1');
    throw new UserError(fault);
  },
  // Of the four letters, it only looks at the first, and sees what is wrong with none.
  again: (bytes) => (bytes.toString('latin1') === 'good' ? 'g' : null),
};
