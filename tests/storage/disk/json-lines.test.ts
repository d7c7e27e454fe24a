// Logs keep every whole line through crashes and faults, and are cut back exactly to where a checkpoint was.
import * as fs from 'node:fs';
import * as path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeFileOperations } from '../../../main/storage/disk/file-operations.js';
import { cutBack, openJsonLines, readJsonLines } from '../../../main/storage/disk/json-lines.js';
import { faultyFiles, temporaryFolder, withEveryFault } from '../faults.js';

let folder: string;
let log: string;
beforeEach(() => {
  folder = temporaryFolder();
  log = path.join(folder, 'cycles', '00', 'metrics.jsonl');
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const read = (file = log) => [...readJsonLines(file, (row) => row)];

function write(rows: readonly object[], file = log): number {
  const writer = openJsonLines(file);
  rows.forEach((row) => writer.append(row));
  writer.sync();
  writer.close();
  return writer.byteLength;
}

describe('openJsonLines', () => {
  it('appends a line a row, keys in their order, and knows how long the log is', () => {
    const first = write([{ step: 1, loss: 4.1, lr: 1e-7 }]);
    const second = write([{ step: 2, loss: NaN, rate: Infinity, text: 'a\nb' }]);
    const text = fs.readFileSync(log, 'utf8');
    expect(text).toBe('{"step":1,"loss":4.1,"lr":1e-7}\n{"step":2,"loss":null,"rate":null,"text":"a\\nb"}\n');
    expect([first, second]).toEqual([text.indexOf('\n') + 1, text.length]);
  });

  it('cuts off what a crash left of a last line, wherever it was cut', () => {
    write([{ a: 1 }, { b: '𝒳' }]);
    const whole = fs.readFileSync(log);
    for (let length = 0; length <= whole.length; length += 1) {
      fs.writeFileSync(log, whole.subarray(0, length));
      write([{ c: 3 }]);
      expect(read().at(-1)).toEqual({ c: 3 });
      expect(read()).toHaveLength(length < 8 ? 1 : length < whole.length ? 2 : 3);
    }
  });

  it('cuts off the zeros that a power cut can leave, however many', () => {
    write([{ a: 1 }]);
    fs.appendFileSync(log, Buffer.alloc(300_000));
    expect(openJsonLines(log).byteLength).toBe(8);
  });

  it('goes on after a failed append as if it had not been tried', () => {
    let failed = false;
    const ops = faultyFiles();
    const writer = openJsonLines(log, {
      ...ops,
      write(handle, bytes) {
        if (failed) return ops.write(handle, bytes);
        failed = true;
        ops.write(handle, bytes.subarray(0, 3));
        throw Object.assign(new Error('full'), { code: 'ENOSPC', syscall: 'write' });
      },
    });
    expect(() => writer.append({ a: 1 })).toThrow(expect.objectContaining({ code: 'disk_full' }));
    expect(read()).toEqual([]);
    writer.append({ b: 2 });
    writer.append({ c: 3 });
    writer.close();
    expect(read()).toEqual([{ b: 2 }, { c: 3 }]);
  });

  it('has the lines before the fault, and maybe the one it happened to', () => {
    const file = (root: string) => path.join(root, 'x.jsonl');
    withEveryFault(
      (root) => write([{ row: 1 }], file(root)),
      (root, ops) => {
        const writer = openJsonLines(file(root), ops);
        writer.append({ row: 2 });
        writer.sync();
        writer.append({ row: 3 });
        writer.close();
      },
      (root, { error }) => {
        write([{ row: 'next' }], file(root));
        const rows = read(file(root)).slice(0, -1);
        const all = [{ row: 1 }, { row: 2 }, { row: 3 }];
        expect(rows).toEqual(all.slice(0, Math.max(1, error === null ? 3 : rows.length)));
      },
    );
  });
});

describe('readJsonLines', () => {
  it('gives no rows for a log that has not begun, and skips a line that is not whole', () => {
    expect(read()).toEqual([]);
    write([{ a: 1 }]);
    fs.appendFileSync(log, '{"b":');
    expect(read()).toEqual([{ a: 1 }]);
  });

  it('reads any rows back, over the borders of what it reads at a time', () => {
    const row = fc.record({
      n: fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0),
      t: fc.string({ unit: 'binary' }),
    });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 5 }), fc.integer({ min: -30, max: 3 }), (rows, offset) => {
        fs.rmSync(log, { force: true });
        const long = { t: '€'.repeat(Math.floor((2 ** 16 + offset) / 3)) };
        write([long, ...rows]);
        expect(read()).toEqual(JSON.parse(JSON.stringify([long, ...rows])));
      }),
      { numRuns: 15 },
    );
  });

  it('does not take for a log what has no line ends', () => {
    fs.mkdirSync(path.dirname(log), { recursive: true });
    fs.writeFileSync(log, Buffer.alloc(5 * 2 ** 20, 'x'));
    expect(() => read()).toThrow(expect.objectContaining({ code: 'file_damaged' }));
  });

  it('names the line that is damaged', () => {
    write([{ a: 1 }, { a: 2 }]);
    fs.appendFileSync(log, 'rubbish\n');
    expect(() => read()).toThrow(
      expect.objectContaining({ code: 'file_damaged', message: `${log} line 3 is damaged` }),
    );
    const parse = (row: unknown) => {
      if (JSON.stringify(row) === '{"a":2}') throw new Error('not a row');
    };
    expect(() => [...readJsonLines(log, parse)]).toThrow(/line 2/);
  });
});

describe('cutBack', () => {
  const rows = [{ step: 10 }, { step: 20 }, { step: 30 }];

  it('cuts before the first row that is not to stay', () => {
    write(rows);
    fs.appendFileSync(log, '{"st');
    expect(cutBack(log, { keep: (row) => (row as { step: number }).step <= 20 })).toBe(24);
    expect(read()).toEqual(rows.slice(0, 2));
    expect(cutBack(log, { keep: () => true })).toBe(24);
    expect(cutBack(log, { keep: () => false })).toBe(0);
  });

  it('keeps what comes before a row that cannot be read, and everything before a noted length', () => {
    write(rows.slice(0, 2));
    fs.appendFileSync(log, '\0\0\0\n{"step":40}\n');
    expect(cutBack(log, { after: 12, keep: () => true })).toBe(24);
    expect(cutBack(log, { after: 24, keep: () => false })).toBe(24);
    expect(read()).toEqual(rows.slice(0, 2));
  });

  it('does not take a disk that cannot read for a log that is damaged', () => {
    write(rows);
    const ops = {
      ...nodeFileOperations,
      read() {
        throw Object.assign(new Error('EIO'), { code: 'EIO', syscall: 'read' });
      },
    };
    expect(() => cutBack(log, { keep: () => true }, ops)).toThrow(/could not read/);
    expect(read()).toEqual(rows);
  });

  it('says when the log is shorter than its checkpoint says', () => {
    write(rows);
    expect(() => cutBack(log, 100)).toThrow(/has 36 bytes; its checkpoint was saved when it had 100/);
  });
});
