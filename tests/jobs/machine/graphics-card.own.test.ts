/** The choice between graphics card and processor, and cards that are missing, small, full, hang or err. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as tf from '@tensorflow/tfjs';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { JobEvent } from '../../../shared/phases/events.js';
import type { MachineConfig } from '../../../shared/config/machine.js';
import { useCard } from '../../support/made-up-card.js';
import { swiftshader } from '../../support/swiftshader.js';

const folder = mkdtempSync(join(tmpdir(), 'verisim-card-'));
const figures = join(folder, 'verisim', 'graphics-card.json');
// SwiftShader is in the cache folder that the tests leave.
swiftshader();
afterAll(() => rmSync(folder, { recursive: true }));

/** The modules of a new process: a process has one device. */
beforeEach(() => {
  vi.resetModules();
  rmSync(figures, { force: true });
});

const machine = { device: 'auto', threads: null, precision: 'auto', seed: 1, n_embd: 256 } as const;

/** What a process trains on. */
async function chosen(changes: Partial<MachineConfig> & { readonly n_embd?: number } = {}, trains = true) {
  vi.stubEnv('XDG_CACHE_HOME', folder);
  vi.stubEnv('VERISIM_TENSORFLOW', 'none');
  const { createRuntimeLoader } = await import('../../../main/jobs/machine/runtime-loader.js');
  const events: JobEvent[] = [];
  const load = createRuntimeLoader({}, (event) => void events.push(event));
  const runtime = await load({ ...machine, ...changes }, trains);
  const codes = events.flatMap((event) => (event.event === 'notice' ? [event.code] : []));
  return { kind: runtime.kind, codes };
}

const stored = () => Object.values(JSON.parse(readFileSync(figures, 'utf8')) as object) as { card: unknown }[];

/** Stores a card that is so many times as fast as the processor. */
async function storeCard(times: number) {
  vi.stubEnv('XDG_CACHE_HOME', folder);
  vi.stubEnv('VERISIM_TENSORFLOW', 'none');
  const { cardFigures } = await import('../../../main/jobs/machine/graphics-card.js');
  cardFigures(null).storeProcessor({ f32: 1e10 });
  cardFigures(null).storeCard({ name: 'Made-up 1', gflops: 10 * times });
}

describe('auto', () => {
  it('requests an adapter once, and trains on the processor if there is none', async () => {
    const requests = useCard(null);
    expect((await chosen()).kind).toBe('wasm');
    expect(stored()).toMatchObject([{ card: null }]);
    vi.resetModules();
    expect((await chosen()).kind).toBe('wasm');
    expect(requests()).toBe(1);
  });

  it('never takes a software driver', async () => {
    useCard({});
    expect((await chosen()).kind).toBe('wasm');
    expect(stored()).toMatchObject([{ card: null }]);
  });

  it('takes a card that is twice as fast, for training wide models', async () => {
    useCard({ name: 'Made-up 1' });
    await storeCard(3);
    expect(await chosen()).toMatchObject({ kind: 'webgpu', codes: ['graphics_card'] });
    expect((await chosen({ n_embd: 128 })).kind).toBe('wasm');
    expect((await chosen({ device: 'cpu' })).kind).toBe('wasm');
    expect((await chosen({}, false)).kind).toBe('wasm');
    await storeCard(1.5);
    expect((await chosen()).kind).toBe('wasm');
  });

  it('opens the window for a card that is unknown or faster', async () => {
    vi.stubEnv('XDG_CACHE_HOME', folder);
    const { trainsOnCard } = await import('../../../main/jobs/machine/graphics-card.js');
    expect(trainsOnCard(machine)).toBe(true);
    expect(trainsOnCard({ ...machine, n_embd: 128 })).toBe(false);
    expect(trainsOnCard({ ...machine, device: 'webgpu', n_embd: 8 })).toBe(true);
    await storeCard(1);
    expect(trainsOnCard(machine)).toBe(false);
    await storeCard(2);
    expect(trainsOnCard(machine)).toBe(true);
    expect(trainsOnCard({ ...machine, precision: 'bf16' })).toBe(false);
    writeFileSync(figures, '{');
    expect(trainsOnCard(machine)).toBe(true);
  });

  it('measures a card whose results are right, and refuses one that errs', async () => {
    const { loadRuntime } = await import('../../../main/engine/runtime/native.js');
    const { measureCard } = await import('../../../main/jobs/machine/card-check.js');
    // SwiftShader compiles each program for a third of a second: far longer than WASM.
    const card = { name: 'Made-up 1', isSoftware: false };
    const load = async () => ({ ...(await loadRuntime({ bindingPath: null })), card });
    expect(await measureCard(load, 64)).toEqual({ name: 'Made-up 1', gflops: expect.any(Number) });
    const { kernelFunc } = tf.getKernel('Sqrt', 'wasm');
    tf.unregisterKernel('Exp', 'wasm');
    tf.registerKernel({ kernelName: 'Exp', backendName: 'wasm', kernelFunc });
    expect(await measureCard(load, 64)).toBeNull();
  });
});

/** The fault of `work`, in short. */
async function faultOf(work: () => Promise<unknown>) {
  const { toFault } = await import('../../../shared/errors.js');
  try {
    await work();
    return null;
  } catch (error) {
    const { code, message, field } = toFault(error);
    return { code, message: message.code, field };
  }
}

async function read(x: tf.Tensor) {
  const { valuesOf } = await import('../../../main/engine/runtime/reading.js');
  await valuesOf(x);
}
const sum = () => read(tf.add(tf.zeros([4]), 1));

async function loadCard(card: Parameters<typeof useCard>[0]) {
  useCard(card);
  const { loadRuntime } = await import('../../../main/engine/runtime/native.js');
  return loadRuntime({ bindingPath: null, device: 'webgpu' });
}

describe('a card', () => {
  it('that is missing is reported', async () => {
    const message = 'runtime.no_gpu';
    expect(await faultOf(() => loadCard(null))).toEqual({ code: 'runtime_missing', message, field: 'device' });
  });

  it('with 128 MB per buffer refuses more in words, and computes on', async () => {
    const most = 128 * 2 ** 20;
    await loadCard({ name: 'Small', limits: { maxStorageBufferBindingSize: most, maxBufferSize: 2 * most } });
    const message = 'runtime.gpu_buffer_too_large';
    const fill = async () => read(tf.fill([most / 4 + 1], 1));
    expect(await faultOf(fill)).toEqual({ code: 'out_of_memory', message, field: 'device' });
    expect(await faultOf(sum)).toBeNull();
  });

  it('that is full or hangs is reported', async () => {
    const devices: GPUDevice[] = [];
    await loadCard({ name: 'Made-up 1', onDevice: (device) => void devices.push(device) });
    const error = new GPUOutOfMemoryError('no memory');
    devices[0]?.dispatchEvent(Object.assign(new Event('uncapturederror'), { error }));
    const message = 'runtime.gpu_is_full';
    expect(await faultOf(sum)).toEqual({ code: 'out_of_memory', message, field: 'device' });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    vi.spyOn(GPUBuffer.prototype, 'mapAsync').mockReturnValue(new Promise(() => undefined));
    const hanging = faultOf(sum);
    await vi.advanceTimersByTimeAsync(11 * 60_000);
    expect(await hanging).toEqual({ code: 'runtime_missing', message: 'runtime.gpu_hangs', field: 'device' });
    vi.useRealTimers();
  });
});
