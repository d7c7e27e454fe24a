/** One damage of a file, as copies, disks and downloads make them, and how many files each test damages. */
import process from 'node:process';
import * as fc from 'fast-check';
import { expect } from 'vitest';
import type { UserError } from '../../shared/errors.js';
import { plainFault } from './messages.js';

/** More by the environment; then each run has other files. */
const given = process.env['VERISIM_DAMAGED_FILES'];
export const damagedRuns = given === undefined ? { numRuns: 20, seed: 41 } : { numRuns: Number(given) };
/** The longest that one file may take, in milliseconds. */
export const LONGEST = 10_000;

const damages = {
  cut: (bytes: Buffer, at: number) => bytes.subarray(0, at),
  removed: (bytes: Buffer, at: number, length: number) =>
    Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]),
  zeros: (bytes: Buffer, at: number, length: number) =>
    Buffer.from(bytes).fill(0, at, Math.min(bytes.length, at + length)),
  ones: (bytes: Buffer, at: number, length: number) =>
    Buffer.from(bytes).fill(0xff, at, Math.min(bytes.length, at + length)),
  quote: (bytes: Buffer, at: number) => Buffer.concat([bytes.subarray(0, at), Buffer.from('"'), bytes.subarray(at)]),
  trailing: (bytes: Buffer, at: number, length: number) => Buffer.concat([bytes, Buffer.alloc(length, at & 255)]),
} as const;

export const damage = fc.record({
  kind: fc.constantFrom(...(Object.keys(damages) as (keyof typeof damages)[])),
  place: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.integer({ min: 1, max: 40 }),
});
type Damage = typeof damage extends fc.Arbitrary<infer T> ? T : never;

/** @param within bytes from the start in which the damage is */
export function damaged(bytes: Buffer, { kind, place, length }: Damage, within = bytes.length): Buffer {
  const at = Math.floor(place * (within - 1));
  return damages[kind](bytes, at, Math.min(length, within - at));
}

/** A refusal names the file and a way on, in sentences of ours. */
export function expectSentence(error: UserError, name: string): void {
  const { message, hint } = plainFault(error.toFault());
  expect(message).toContain(name);
  expect(hint).not.toBe('');
  expect(`${message} ${hint}`).not.toMatch(/TypeError|RangeError|undefined|is not a function|\n\s+at /);
}
