/**
 * A disk that is really full: the cycle without an engine on a small file system in memory, mounted in a name space of its
 * own, with 20 amounts of room. Where this user may not mount, files may really not grow past a limit instead.
 */
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { faultSchema } from '../../shared/errors.js';
import { temporaryFolder } from '../storage/faults.js';
import { onSmallDisk } from '../support/small-disk.js';

const LEVELS = 20;
let folder: string;
let program: string;
beforeAll(() => {
  folder = temporaryFolder();
  program = path.join(folder, 'child.mjs');
  fs.symlinkSync(path.resolve('node_modules'), path.join(folder, 'node_modules'));
  buildSync({
    entryPoints: [path.join(import.meta.dirname, 'full-disk-child.ts')],
    outfile: program,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
  });
});
afterAll(() => fs.rmSync(folder, { recursive: true }));

const outcome = z.object({
  room: z.number(),
  fault: faultSchema.nullable(),
  afterwards: z.null(),
  same: z.literal(true),
});

const limited = (kilobytes: number | null, project: string) => {
  const limit = kilobytes === null ? '' : `ulimit -f ${kilobytes}; `;
  const { stdout } = spawnSync('bash', ['-c', `${limit}exec "$0" "$@"`, process.execPath, program, project], {
    encoding: 'utf8',
  });
  return z
    .object({ fault: faultSchema.nullable(), contents: z.record(z.string(), z.string()) })
    .parse(JSON.parse(stdout));
};

it(
  'a full disk is said to be full, nothing is half there, and with room again it goes on to the same end',
  { timeout: 300_000 },
  () => {
    const disk = path.join(folder, 'disk');
    fs.mkdirSync(disk);
    const lines = onSmallDisk(disk, 4, [program, disk, String(LEVELS)]);
    if (lines !== null) {
      const outcomes = lines.map((line) => outcome.parse(JSON.parse(line)));
      expect(outcomes).toHaveLength(LEVELS);
      for (const { fault } of outcomes) if (fault !== null) expect(fault.code).toBe('disk_full');
      expect(outcomes.filter(({ fault }) => fault !== null).length).toBeGreaterThan(LEVELS / 2);
      return;
    }
    const place = (name: number) => {
      const made = path.join(folder, `limit-${name}`);
      fs.mkdirSync(made);
      return made;
    };
    const { contents: whole } = limited(null, place(0));
    const codes = Array.from({ length: LEVELS }, (_, level) => {
      const project = place(level + 1);
      const { fault } = limited(level, project);
      expect(limited(null, project)).toEqual({ fault: null, contents: whole });
      return fault?.code ?? null;
    });
    expect(codes.slice(0, 2)).toEqual(['disk_full', 'disk_full']);
    expect(codes.filter((code) => code !== null && code !== 'disk_full')).toEqual([]);
  },
);
