// Work that is resumed in another environment is reported and recorded.
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  environmentNow,
  describeProcessor,
  isExact,
  noteEnvironment,
} from '../../../main/storage/projects/environment-record.js';
import { inEnglish } from '../../support/messages.js';
import { temporaryFolder } from '../faults.js';

let folder: string;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = path.join(folder, 'circumstances.json');
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

const tensorflow = { kind: 'tensorflow', version: '2.21.0', device: 'cpu', precision: 'f32' } as const;
const here = environmentNow('0.1.0', tensorflow, null);

describe('the environment record', () => {
  it('names the processor as far as the system does', () => {
    fs.writeFileSync(file, 'processor: 0\nFeatures\t: fp asimd bf16 asimd\n');
    expect(describeProcessor(' A chip ', file)).toBe('A chip (asimd bf16)');
    expect(describeProcessor(undefined, path.join(folder, 'none'))).toBe(os.arch());
    fs.writeFileSync(file, 'nothing of that kind');
    expect(describeProcessor('A chip', file)).toBe('A chip ()');
  });

  it('that stays the same leaves a run exact', () => {
    expect(isExact(file)).toBe(true);
    expect(noteEnvironment(file, here, 'then')).toEqual([]);
    const text = fs.readFileSync(file, 'utf8');
    expect(noteEnvironment(file, here, 'later')).toEqual([]);
    expect(fs.readFileSync(file, 'utf8')).toBe(text);
    expect(isExact(file)).toBe(true);
  });

  it('that changes is reported, and the run is not exact from then on', () => {
    noteEnvironment(file, here, 'then');
    const newer = { ...here, verisim: '0.2.0', threads: here.threads + 1 };
    const changes = noteEnvironment(file, newer, 'later');
    expect(changes.map((change) => inEnglish(change))).toEqual([
      'Verisim was 0.1.0, is 0.2.0 now',
      `the number of threads was ${here.threads}, is ${here.threads + 1} now`,
    ]);
    expect(isExact(file)).toBe(false);
    expect(noteEnvironment(file, here, 'back again')).toHaveLength(2);
    expect(isExact(file)).toBe(false);
  });

  it('that cannot be read is written again', () => {
    fs.writeFileSync(file, '{"entries":');
    expect(noteEnvironment(file, here, 'now')).toEqual([]);
    expect(isExact(file)).toBe(true);
  });
});
