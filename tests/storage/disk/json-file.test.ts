/** Small JSON files: what is written is read again; what cannot be understood is none, or the error that was asked for. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { readJson, writeJson } from '../../../main/storage/disk/json-file.js';
import { temporaryFolder } from '../faults.js';

const schema = z.object({ n: z.int() });
let folder: string;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder, 'a.json');
});
afterEach(() => rmSync(folder, { recursive: true }));

it('reads what was written', () => {
  expect(readJson(file, schema)).toBeNull();
  writeJson(file, { n: 3 });
  expect(readJson(file, schema)).toEqual({ n: 3 });
});

it.each(['{"n":', '{"n": 0.5}', '['.repeat(100) + ']'.repeat(100)])('takes %s for none, or tells', (text) => {
  writeFileSync(file, text);
  expect(readJson(file, schema)).toBeNull();
  const damaged = (cause: unknown) => new Error('damaged', { cause });
  expect(() => readJson(file, schema, { damaged })).toThrow('damaged');
});
