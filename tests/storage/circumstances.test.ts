// Work that goes on under other circumstances is told in words, and remembered.
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  changesBetween,
  circumstancesNow,
  describeProcessor,
  isExact,
  noteCircumstances,
} from '../../main/storage/circumstances.js';
import { temporaryFolder } from './faults.js';

let folder: string;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = path.join(folder, 'circumstances.json');
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

const tensorflow = { kind: 'tensorflow', version: '2.21.0', device: 'cpu', precision: 'f32' } as const;
const here = circumstancesNow('0.1.0', tensorflow, null);

describe('circumstances', () => {
  it('are the same in every process on one machine', () => {
    expect(circumstancesNow('0.1.0', tensorflow, null)).toEqual(here);
    expect(here).toMatchObject({ verisim: '0.1.0', runtime: 'tensorflow 2.21.0', threads: os.availableParallelism() });
    expect(here.processor).toContain(os.cpus()[0]?.model.trim() ?? '');
    expect(circumstancesNow('0.1.0', { ...tensorflow, kind: 'javascript' }, 7).threads).toBe(1);
  });

  it('name the processor as far as the system does', () => {
    fs.writeFileSync(file, 'processor: 0\nFeatures\t: fp asimd bf16 asimd\n');
    expect(describeProcessor(' A chip ', file)).toBe('A chip (asimd bf16)');
    expect(describeProcessor(undefined, path.join(folder, 'none'))).toBe(os.arch());
    fs.writeFileSync(file, 'nothing of that kind');
    expect(describeProcessor('A chip', file)).toBe('A chip ()');
  });

  it('that stay the same leave a run exact', () => {
    expect(isExact(file)).toBe(true);
    expect(noteCircumstances(file, here, 'then')).toEqual([]);
    const text = fs.readFileSync(file, 'utf8');
    expect(noteCircumstances(file, here, 'later')).toEqual([]);
    expect(fs.readFileSync(file, 'utf8')).toBe(text);
    expect(isExact(file)).toBe(true);
  });

  it('that change are told, and the run is not exact from then on', () => {
    noteCircumstances(file, here, 'then');
    const newer = { ...here, verisim: '0.2.0', threads: here.threads + 1 };
    expect(noteCircumstances(file, newer, 'later')).toEqual([
      'Verisim was 0.1.0, is 0.2.0 now',
      `the number of threads was ${here.threads}, is ${here.threads + 1} now`,
    ]);
    expect(isExact(file)).toBe(false);
    expect(noteCircumstances(file, here, 'back again')).toHaveLength(2);
    expect(isExact(file)).toBe(false);
    expect(changesBetween(here, { ...here, processor: 'another' })).toEqual([
      `the processor was ${here.processor}, is another now`,
    ]);
  });

  it('that cannot be read are noted anew', () => {
    fs.writeFileSync(file, '{"entries":');
    expect(noteCircumstances(file, here, 'now')).toEqual([]);
    expect(isExact(file)).toBe(true);
  });
});
