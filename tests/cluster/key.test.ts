/** The secret of this machine and user: one, whole, and for nobody else; and one that the person gives. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { keyOf } from '../../main/cluster/key.js';
import { faultOf } from '../storage/fault-of.js';

const folder = mkdtempSync(join(tmpdir(), 'verisim-key-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('is made once, and can be read by its owner alone', () => {
  const file = join(folder, 'new', 'cluster-key');
  const key = keyOf({}, file);
  expect(key.isGiven).toBe(false);
  expect(keyOf({}, file).bytes).toEqual(key.bytes);
  expect(readFileSync(file, 'utf8')).toMatch(/^[0-9a-f]{64}$/);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(folder, 'new'))).toEqual(['cluster-key']);
});

it.each(['', 'c0ffee'])('is made anew where a full disk has left "%s" of it, which anybody could guess', (left) => {
  const file = join(folder, `left-${left}`);
  writeFileSync(file, left);
  const key = keyOf({}, file);
  expect(readFileSync(file, 'utf8')).toHaveLength(64);
  expect(keyOf({}, file).bytes).toEqual(key.bytes);
});

it('says where it could not be kept', () => {
  writeFileSync(join(folder, 'file'), '');
  expect(faultOf(() => keyOf({}, join(folder, 'file', 'cluster-key')))).toMatchObject({ code: 'file_not_writable' });
});

it('is what the person gives, of some length', () => {
  const file = join(folder, 'never');
  expect(keyOf({ VERISIM_CLUSTER_KEY: 'a secret of many letters' }, file).isGiven).toBe(true);
  expect(faultOf(() => keyOf({ VERISIM_CLUSTER_KEY: 'short' }, file))).toMatchObject({ code: 'bad_input' });
});
