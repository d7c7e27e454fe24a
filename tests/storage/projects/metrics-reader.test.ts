// A run's numbers as windows: what was logged, whatever way it came, and quickly.
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMetricsReader } from '../../../main/storage/projects/metrics-reader.js';
import { type FileOperations, nodeFileOperations } from '../../../main/storage/disk/file-operations.js';
import { cutBack, openJsonLines } from '../../../main/storage/disk/json-lines.js';
import { eventSchema } from '../../../shared/phases/events.js';
import { temporaryFolder } from '../faults.js';

let folder: string;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = path.join(folder, 'metrics.jsonl');
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

const row = (step: number, values: Record<string, number | null>, phase: 'grpo' | 'base_training' = 'grpo') =>
  eventSchema.parse({ event: 'metrics', phase, cycle: 1, step, values });
function log(rows: readonly object[]): void {
  const writer = openJsonLines(file);
  for (const one of rows) writer.append(one);
  writer.close();
}
const all = { names: ['loss'], points: 1000 };

describe('a metrics reader', () => {
  it('knows nothing of a log that is not there, and follows one that begins, grows and goes', () => {
    const reader = createMetricsReader(file);
    reader.refresh();
    expect(reader.window('grpo', all)).toEqual({ series: {}, lastStep: 0, total: 0, unplaced: 0 });
    log([row(1, { loss: 2, kl: 0 })]);
    reader.refresh();
    log([row(2, { loss: null }), row(2, { val_loss: 5 }), row(3, { loss: 1 }, 'base_training')]);
    fs.appendFileSync(file, '{"event":"metrics","phase":"grpo","step":3,"val');
    reader.refresh();
    expect(reader.names('grpo')).toEqual(['loss', 'kl', 'val_loss']);
    expect(reader.window('grpo', { names: ['loss', 'val_loss', 'nothing'], points: 4 })).toEqual({
      series: { loss: { steps: [1, 2], values: [2, null] }, val_loss: { steps: [2], values: [5] } },
      lastStep: 2,
      total: 3,
      unplaced: 0,
    });
    expect(reader.window('base_training', all).series).toEqual({ loss: { steps: [3], values: [1] } });
    fs.rmSync(file);
    reader.refresh();
    expect(reader.names('grpo')).toEqual([]);
  });

  it('reads only what is new', () => {
    log(Array.from({ length: 1000 }, (_, step) => row(step, { loss: step })));
    let bytes = 0;
    const counting: FileOperations = {
      ...nodeFileOperations,
      read(handle, into, position) {
        bytes += into.byteLength;
        return nodeFileOperations.read(handle, into, position);
      },
    };
    const reader = createMetricsReader(file, counting);
    reader.refresh();
    expect(bytes).toBe(fs.statSync(file).size);
    bytes = 0;
    log([row(1000, { loss: 1000 })]);
    reader.refresh();
    expect(bytes).toBeLessThan(300);
    expect(reader.window('grpo', all).total).toBe(1001);
  });

  it('places what was measured on the tokens, the computing time and the time by the clock', () => {
    const seconds = [3, 2, 2, 4, 2];
    // Between the second and the third the user paused for a minute; an evaluation was logged with the fourth.
    const at = [3, 5, 67, 71, 73].map((second) => new Date(1_700_000_000_000 + 1000 * second).toISOString());
    const rows = [10, 20, 30, 30, 40].map((step, index) => ({
      ...{ at: at[index], event: 'metrics', phase: 'base_training', step, seconds_computed: seconds[index] },
      values: { [index === 3 ? 'val_loss' : 'loss']: step / 10, num_tokens: 5 * step },
    }));
    log(rows);
    const reader = createMetricsReader(file);
    reader.refresh();
    const over = (axis: 'tokens' | 'compute' | 'wall', from: number | null = null, to: number | null = null) => {
      const { series, unplaced } = reader.window('base_training', { names: ['loss'], axis, from, to, points: 99 });
      return { places: series['loss']?.positions, steps: series['loss']?.steps, unplaced };
    };
    expect(over('tokens')).toEqual({ places: [50, 100, 150, 200], steps: [10, 20, 30, 40], unplaced: 0 });
    // Where a step was logged twice, it is over with the second.
    expect(over('compute').places).toEqual([3, 5, 11, 13]);
    expect(over('wall').places).toEqual([3, 5, 71, 73]);
    expect(over('wall', 4, 72)).toMatchObject({ places: [5, 71], steps: [20, 30] });
    expect(over('tokens', 101, 149).steps).toEqual([]);
    // What comes after a row that says nothing of its time is not known either; tokens are.
    log([row(50, { loss: 1 }, 'base_training'), { ...rows[0], step: 60, values: { loss: 1, num_tokens: 300 } }]);
    reader.refresh();
    expect(over('compute')).toMatchObject({ steps: [10, 20, 30, 40], unplaced: 2 });
    expect(over('wall')).toMatchObject({ steps: [10, 20, 30, 40], unplaced: 2 });
    expect(over('tokens')).toMatchObject({ steps: [10, 20, 30, 40, 60], unplaced: 1 });
  });

  it('skips rows of a variant, which earlier versions trained', () => {
    log([undefined, 'head'].map((variant, at) => ({ ...row(10, { loss: at }), ...(variant && { variant }) })));
    const reader = createMetricsReader(file);
    reader.refresh();
    expect(reader.window('grpo', all)).toMatchObject({ series: { loss: { values: [0] } }, total: 1 });
  });

  it('is right after any mixture of growing and being cut back', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(40), fc.nat(20), fc.boolean()), { maxLength: 8 }), (changes) => {
        fs.rmSync(file, { force: true });
        const reader = createMetricsReader(file);
        let wanted: number[] = [];
        let count = 0;
        for (const [cut, more, looks] of changes) {
          wanted = wanted.slice(0, wanted.length - cut);
          if (fs.existsSync(file)) cutBack(file, { keep: (one) => (one as { step: number }).step < wanted.length });
          const added = Array.from({ length: more }, () => ++count);
          log(added.map((loss, index) => row(wanted.length + index, { loss })));
          wanted = [...wanted, ...added];
          if (looks) reader.refresh();
        }
        reader.refresh();
        expect(reader.window('grpo', all).series['loss']?.values ?? []).toEqual(wanted);
      }),
      { numRuns: 60 },
    );
  });

  it('passes over what is no row, and counts it', () => {
    log([row(1, { loss: 1 })]);
    fs.appendFileSync(file, '\0\0\0\n[]\n{"phase":1}\nnull\n');
    log([row(2, { loss: 2 })]);
    const reader = createMetricsReader(file);
    reader.refresh();
    expect(reader.unreadable).toBe(4);
    expect(reader.window('grpo', all).series['loss']?.steps).toEqual([1, 2]);
  });

  it('reads a long log in pieces', () => {
    const count = 20_000;
    log(Array.from({ length: count }, (_, step) => row(step, { loss: step % 997 })));
    const reader = createMetricsReader(file);
    let pieces = 1;
    while (!reader.refresh(1 << 18)) pieces += 1;
    expect(pieces).toBeGreaterThan(5);
    const { series, total } = reader.window('grpo', { names: ['loss'], from: 7001, to: 7100, points: 400 });
    expect(total).toBe(count);
    expect(series['loss']?.values).toEqual(Array.from({ length: 100 }, (_, at) => (7001 + at) % 997));
  });

  it('answers for a million points in under 100 ms', () => {
    const names = Array.from({ length: 10 }, (_, index) => `series_${index}`);
    const lines = Array.from({ length: 100_000 }, (_, step) => {
      const values = names.map((name, index) => `"${name}":${Math.sin(step * (index + 1)).toFixed(4)}`);
      return `{"event":"metrics","phase":"grpo","cycle":1,"step":${step},"values":{${values.join()}}}\n`;
    });
    fs.writeFileSync(file, lines.join(''));
    const reader = createMetricsReader(file);
    reader.refresh();
    const started = process.cpuUsage();
    const { series, total } = reader.window('grpo', { names, points: 2000 });
    const { user, system } = process.cpuUsage(started);
    expect(total).toBe(100_000);
    for (const name of names) expect(series[name]?.steps.length).toBeGreaterThan(1000);
    // In processor time, so that a busy machine does not decide.
    expect((user + system) / 1000).toBeLessThan(process.env['CI'] ? 200 : 100);
  });
});
