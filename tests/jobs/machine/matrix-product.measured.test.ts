/** The machine's best matrix product: measured once with the real TensorFlow, kept, and not known without it. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { bfloat16Pays, matrixPeaks, measurePeaks } from '../../../main/jobs/machine/matrix-product.js';
import { testRuntime } from '../../support/runtime.js';
import { temporaryFolder } from '../context.js';

const folder = temporaryFolder();
afterAll(() => rmSync(folder, { recursive: true }));

describe('the peak of the machine', () => {
  it('is measured once and then read', async () => {
    const runtime = await testRuntime();
    const file = join(folder, 'deep', 'matrix-product.json');
    const { f32, bf16 } = await matrixPeaks(runtime, null, file);
    expect(f32).toBeGreaterThan(1e9);
    expect(bf16).toBeUndefined();
    const kept = JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>;
    const [key = ''] = Object.keys(kept);
    expect(kept[key]).toBe((f32 ?? NaN) / 1e9);
    writeFileSync(file, JSON.stringify({ ...kept, [key]: 123 }));
    expect(await matrixPeaks(runtime, null, file)).toEqual({ f32: 123e9 });
  });

  it('is the best ever seen: what was measured in a busy moment is corrected, by nothing worse', async () => {
    const runtime = await testRuntime();
    const file = join(folder, 'best.json');
    await matrixPeaks(runtime, null, file);
    const [key = ''] = Object.keys(JSON.parse(readFileSync(file, 'utf8')) as object);
    writeFileSync(file, JSON.stringify({ [key]: 0.001 }));
    expect(await matrixPeaks(runtime, null, file)).toEqual({ f32: 1e6 });
    const { f32 = 0 } = await measurePeaks(runtime, null, file);
    expect(f32).toBeGreaterThan(1e9);
    expect(await matrixPeaks(runtime, null, file)).toEqual({ f32 });
    writeFileSync(file, JSON.stringify({ [key]: 1e6 }));
    expect(await measurePeaks(runtime, null, file)).toEqual({ f32: 1e15 });
  });

  it('is another for another number of threads, and is measured again when the file is no use', async () => {
    const runtime = await testRuntime();
    const file = join(folder, 'damaged.json');
    writeFileSync(file, '{"half":');
    expect((await matrixPeaks(runtime, 1, file)).f32).toBeGreaterThan(1e9);
    await matrixPeaks(runtime, 2, file);
    expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')) as object)).toHaveLength(2);
  });

  it('is returned even if it cannot be stored', async () => {
    writeFileSync(join(folder, 'a file'), '');
    const peaks = await matrixPeaks(await testRuntime(), null, join(folder, 'a file', 'x.json'));
    expect(peaks.f32).toBeGreaterThan(1e9);
  });

  it('is not known without TensorFlow, and nothing is written', async () => {
    const file = join(folder, 'none.json');
    expect(await matrixPeaks({ ...(await testRuntime()), kind: 'wasm' }, null, file)).toEqual({});
    expect((await measurePeaks({ ...(await testRuntime()), kind: 'wasm' }, null, file)).f32).toBeGreaterThan(0);
    expect(existsSync(file)).toBe(false);
  });

  it('chooses bfloat16 only if its products were clearly faster at the same time', async () => {
    const runtime = { ...(await testRuntime()), precision: 'auto' } as const;
    const file = join(folder, 'both.json');
    await matrixPeaks(runtime, null, file);
    const [half = '', ratio = '', single = '', ...rest] = Object.keys(
      JSON.parse(readFileSync(file, 'utf8')) as object,
    ).sort();
    expect([half, ratio, single]).toEqual(
      [/, bf16$/, /, bf16_per_f32$/, /, f32$/].map((end) => expect.stringMatching(end)),
    );
    expect(rest).toEqual([]);
    const pays = (f32: number, together: number) => {
      writeFileSync(file, JSON.stringify({ [single]: f32, [half]: 2 * f32, [ratio]: together }));
      return bfloat16Pays(runtime, null, file);
    };
    expect(await pays(200, 1.1)).toBe(false);
    expect(await pays(97, 0.06)).toBe(false);
    expect(await pays(104, 2)).toBe(true);
    // A float32 product that was disturbed makes the ratio large, and no plan faster.
    expect(await pays(104, 8.5)).toBe(true);
    expect(await matrixPeaks(runtime, null, file)).toEqual({ f32: 104e9, bf16: 208e9 });
    // The ratio is measured if only float32 is known, and not needed without a choice.
    writeFileSync(file, JSON.stringify({ [single]: 200 }));
    expect(await bfloat16Pays({ ...runtime, precision: 'f32' }, null, file)).toBe(false);
    await bfloat16Pays(runtime, null, file);
    expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')) as object)).toHaveLength(3);
  });
});
