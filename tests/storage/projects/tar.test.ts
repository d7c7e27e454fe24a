// The tar format: what is written is read back, by the system's tar too, and nothing else is believed.
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tarEnd, tarHeader, tarMembers, tarPadding } from '../../../main/storage/projects/tar.js';
import { UserError } from '../../../shared/errors.js';
import { temporaryFolder } from '../faults.js';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

const archiveOf = (files: Readonly<Record<string, string>>) =>
  Buffer.concat([
    ...Object.entries(files).flatMap(([name, text]) => {
      const bytes = Buffer.from(text);
      return [tarHeader({ path: name, size: bytes.length }), bytes, tarPadding(bytes.length)];
    }),
    tarEnd,
  ]);
const sourceOf = (bytes: Uint8Array) => ({
  byteLength: bytes.length,
  read: (position: number, into: Uint8Array) => into.set(bytes.subarray(position, position + into.length)),
});
const read = (bytes: Buffer) =>
  Object.fromEntries(
    [...tarMembers('x.tar', sourceOf(bytes))].map(({ path: name, size, position }) => [
      name,
      bytes.toString('utf8', position, position + size),
    ]),
  );

const strange = {
  'p/plain.txt': 'a',
  'p/empty': '',
  'p/ünïcödé – naïve.txt': 'é'.repeat(600),
  [`p/${'long/'.repeat(40)}name`]: 'x'.repeat(512),
};

describe('tar', () => {
  it('reads back what it wrote', () => {
    expect(read(archiveOf(strange))).toEqual(strange);
    const name = fc
      .stringMatching(/^[^\0/]{1,60}$/u)
      .filter((one) => Buffer.from(one).toString() === one && one !== '__proto__');
    fc.assert(
      fc.property(fc.dictionary(name, fc.string({ maxLength: 700, unit: 'grapheme' })), (files) => {
        expect(read(archiveOf(files))).toEqual({ ...files });
      }),
      { numRuns: 50 },
    );
  });

  it('is read by the system’s tar, and reads what that wrote', () => {
    fs.writeFileSync(path.join(folder, 'ours.tar'), archiveOf(strange));
    expect(spawnSync('tar', ['-xf', 'ours.tar'], { cwd: folder, encoding: 'utf8' })).toMatchObject({ status: 0 });
    for (const [name, text] of Object.entries(strange)) {
      expect(fs.readFileSync(path.join(folder, name), 'utf8')).toBe(text);
    }
    spawnSync('tar', ['--format=pax', '-cf', 'theirs.tar', 'p'], { cwd: folder });
    expect(read(fs.readFileSync(path.join(folder, 'theirs.tar')))).toEqual(strange);
  });

  it('carries sizes that eight gigabytes do not hold', () => {
    const size = 2 ** 40;
    const bytes = tarHeader({ path: 'big', size });
    const source = { ...sourceOf(bytes), byteLength: bytes.length + size + 1024 };
    const [member] = tarMembers('x.tar', source);
    expect(member).toEqual({ path: 'big', size, position: bytes.length });
  });

  it.each([
    ['is too long', 'x'.repeat(70_000)],
    ['does not say its length', 'path=x\n'],
    ['says too little', '3 a'],
  ])('refuses an extended header that %s', (_, records) => {
    const bytes = Buffer.from(tarHeader({ path: 'x', size: records.length }));
    bytes.write('x', 156, 'latin1');
    bytes.fill(' ', 148, 156);
    const sum = bytes.reduce((total, byte) => total + byte, 0);
    bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
    const whole = Buffer.concat([bytes, Buffer.from(records), tarPadding(records.length), tarEnd]);
    expect(() => read(whole)).toThrow(/an extended header is damaged/);
  });

  it('refuses links, and anything cut or changed, and never hangs or crashes', () => {
    fs.symlinkSync('/etc/passwd', path.join(folder, 'link'));
    spawnSync('tar', ['-cf', 'link.tar', 'link'], { cwd: folder });
    expect(() => read(fs.readFileSync(path.join(folder, 'link.tar')))).toThrow(/other than files/);
    const whole = archiveOf(strange);
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), fc.boolean(), (at, byte, cut) => {
        const bytes = cut ? Buffer.from(whole.subarray(0, at)) : Buffer.from(whole);
        if (!cut) bytes[at] = byte;
        try {
          read(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(UserError);
        }
      }),
      { numRuns: 400 },
    );
  });
});
