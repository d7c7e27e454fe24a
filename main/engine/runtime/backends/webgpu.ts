/**
 * Loads tfjs's WebGPU backend with npm's `webgpu` (Dawn), for GPUs of any make. It computes eagerly. Weights stay on the device;
 * what is read is copied (reading.ts).
 */
import { createRequire } from 'node:module';
import process from 'node:process';
import * as tf from '@tensorflow/tfjs';
import { UserError } from '../../../../shared/errors.js';
import { bytes, localized, type Message } from '../../../../shared/messages/message.js';
import { sizeOf, type Shape } from '../tensorflow.js';
import type { FallibleBackend } from '../reading.js';

const TFJS_BACKEND = '@tensorflow/tfjs-backend-webgpu';
const DAWN = 'webgpu';

/** Empty where a browser hides them. */
interface AdapterInfo {
  readonly vendor: string;
  readonly architecture: string;
  readonly description: string;
  readonly device: string;
}

interface Adapter {
  readonly info?: AdapterInfo;
  /** Chromium's before 121, in place of `info`. */
  requestAdapterInfo?(): Promise<AdapterInfo>;
  readonly limits: Readonly<Record<string, number>>;
  requestDevice(descriptor: { readonly requiredLimits: Readonly<Record<string, number>> }): Promise<Device>;
}

interface Device {
  readonly limits: Readonly<Record<string, number>>;
  readonly lost: Promise<{ readonly message: string }>;
  destroy(): void;
  addEventListener(type: 'uncapturederror', listener: (event: { readonly error: Error }) => void): void;
}

/** tfjs's WebGPUBackend. */
interface WebgpuBackend extends tf.KernelBackend, FallibleBackend {
  readonly tensorMap: { get(id: object): { readonly dtype: string; readonly shape: Shape; readonly values: unknown } };
  readonly bufferManager: { acquireBuffer(size: number, ...how: readonly unknown[]): unknown };
  shouldExecuteOnCPU: (inputs: readonly tf.TensorInfo[], most?: number) => boolean;
}

export interface Gpu {
  /** As the driver names it. */
  readonly name: string;
  /** Whether its driver computes on the processor. */
  readonly isSoftware: boolean;
  /** The bytes of the largest array. */
  readonly most: number;
  /** Ends the device, as when a driver crashes. */
  lose(): void;
}

/** Limits that a large model needs and a device has no more of than it must unless they are requested. */
const LIMITS = [
  ...['maxStorageBufferBindingSize', 'maxBufferSize', 'maxComputeWorkgroupStorageSize', 'maxComputeWorkgroupSizeX'],
  ...['maxComputeInvocationsPerWorkgroup', 'maxComputeWorkgroupsPerDimension'],
] as const;

const unnamed: AdapterInfo = { vendor: '', architecture: '', description: '', device: '' };
/** Mesa's, Chromium's and Windows' drivers without a graphics card. */
const SOFTWARE = /swiftshader|llvmpipe|lavapipe|softpipe|software|basic render/i;

let loading: Promise<Gpu> | null = null;

/** Selects the backend. @throws UserError `runtime_missing` */
export async function selectWebgpu(): Promise<Gpu> {
  const gpu = await (loading ??= loadWebgpu());
  await tf.setBackend('webgpu');
  return gpu;
}

async function loadWebgpu(): Promise<Gpu> {
  const { WebGPUBackend } = createRequire(here())(TFJS_BACKEND) as {
    WebGPUBackend: new (device: Device, info: AdapterInfo) => WebgpuBackend;
  };
  // In a page tfjs registers a backend of its own, which ignores failures.
  if (tf.findBackendFactory('webgpu') !== null) tf.removeBackend('webgpu');
  const adapter = await requestAdapter();
  const info = adapter.info ?? (await adapter.requestAdapterInfo?.()) ?? unnamed;
  const requiredLimits = Object.fromEntries(LIMITS.map((name) => [name, adapter.limits[name] ?? 0]));
  const device = await adapter.requestDevice({ requiredLimits });
  const backend = new WebGPUBackend(device, info);
  reportFailures(backend, device);
  limitReads(backend);
  keepIntegersOnHost(backend);
  tf.registerBackend('webgpu', () => backend);
  addOneByOne(backend);
  const { vendor, architecture, description, device: model } = info;
  const most = device.limits['maxStorageBufferBindingSize'] ?? 0;
  refuseLargeBuffers(backend, most);
  return {
    name: description || model || `${vendor} ${architecture}`.trim(),
    isSoftware: SOFTWARE.test([vendor, architecture, description, model].join(' ')),
    most,
    lose: () => {
      device.destroy();
    },
  };
}

// A CommonJS bundle has no import.meta.url.
const here = () => (typeof __filename === 'string' ? __filename : import.meta.url);

/** A page's own WebGPU. */
const pageGpu = () => (globalThis as { readonly navigator?: { readonly gpu?: WebgpuEntry } }).navigator?.gpu ?? null;

/** Whether this process can use WebGPU. Electron refuses Dawn, whose buffers are outside of V8's sandbox. */
export const canUseWebgpu = (): boolean => !('electron' in process.versions) || pageGpu() !== null;

async function loadDawn(): Promise<WebgpuEntry> {
  const { create, globals } = await importDawn();
  Object.assign(globalThis, globals);
  const gpu = create([]);
  // Where tfjs looks for it; Node has no `navigator` before 21, and a read-only one since.
  Object.defineProperty(globalThis, 'navigator', {
    value: { gpu, userAgent: 'node', platform: process.platform },
    configurable: true,
    writable: true,
  });
  return gpu;
}

async function requestAdapter(): Promise<Adapter> {
  const gpu = pageGpu() ?? (await loadDawn());
  const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
  if (!adapter) throw missing(localized('runtime.no_gpu'), undefined, isLinuxPage() ? startWithVulkan : undefined);
  return adapter;
}

interface WebgpuEntry {
  requestAdapter(options: object): Promise<Adapter | null>;
}

interface Dawn {
  create(flags: readonly string[]): WebgpuEntry;
  readonly globals: object;
}

async function importDawn(): Promise<Dawn> {
  try {
    return (await import(DAWN)) as Dawn;
  } catch (error) {
    throw missing(localized('runtime.webgpu_is_not_installed'), error);
  }
}

/** Chromium uses no GPU for WebGPU on Linux without its Vulkan feature. */
const isLinuxPage = () => process.platform === 'linux' && pageGpu() !== null && 'electron' in process.versions;

const startWithVulkan = localized('runtime.start_with_vulkan', { flag: '--enable-features=Vulkan' });

const missing = (message: Message, cause?: unknown, hint = localized('runtime.choose_another_device')) =>
  new UserError({ code: 'runtime_missing', message, hint, field: 'device' }, { cause });

/** WebGPU reports failures to listeners, and goes on with wrong numbers. */
function reportFailures(backend: WebgpuBackend, device: Device): void {
  let failure: Error | null = null;
  let lost: string | null = null;
  device.addEventListener('uncapturederror', ({ error }) => (failure ??= error));
  void device.lost.then(({ message }) => (lost = message));
  backend.check = (cause) => {
    const error = failure ?? cause;
    failure = null;
    if (lost === null && error === undefined) return;
    if (lost === null && error instanceof UserError) throw error;
    if (lost === null && (error as Error).constructor.name === 'GPUOutOfMemoryError') throw full(error);
    const reason = lost ?? (error instanceof Error ? error.message : String(error));
    throw failed(localized('runtime.gpu_failed', { reason: reason.split('\n')[0] ?? '' }), error);
  };
}

const failed = (message: Message, cause?: unknown) =>
  new UserError(
    { code: 'runtime_missing', message, hint: localized('runtime.resume_on_processor'), field: 'device' },
    { cause },
  );

const full = (cause: unknown, message = localized('runtime.gpu_is_full')) =>
  new UserError(
    { code: 'out_of_memory', message, hint: localized('runtime.smaller_for_gpu'), field: 'device' },
    { cause },
  );

/** A device counts as hanging after so many minutes; drivers usually end a program after seconds. */
const MINUTES = 10;

/** Ends reads that a hanging device never answers. */
function limitReads(backend: WebgpuBackend): void {
  const read = backend.read.bind(backend);
  backend.read = async (id) => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const end = () => reject(failed(localized('runtime.gpu_hangs', { minutes: MINUTES })));
      timer = setTimeout(end, 60_000 * MINUTES);
    });
    try {
      return await Promise.race([read(id), late]);
    } finally {
      clearTimeout(timer);
    }
  };
}

/**
 * Computes few whole numbers on the processor if it has them, so that loops know their position without a read. Others stay on the
 * device even if they were read, or a resumed run would round differently.
 */
function keepIntegersOnHost(backend: WebgpuBackend): void {
  backend.shouldExecuteOnCPU = (inputs, most = 1000) =>
    inputs.every(({ dataId, dtype, shape }) => {
      const { values } = backend.tensorMap.get(dataId);
      return values !== null && values !== undefined && (dtype === 'int32' || dtype === 'bool') && sizeOf(shape) < most;
    });
}

/** A program may read eight buffers; tfjs's sum of many tensors reads one for each. */
function addOneByOne(backend: WebgpuBackend): void {
  const { kernelFunc: add } = tf.getKernel('Add', 'webgpu');
  tf.unregisterKernel('AddN', 'webgpu');
  tf.registerKernel({
    kernelName: 'AddN',
    backendName: 'webgpu',
    kernelFunc({ inputs }) {
      const [first, ...others] = Object.values(inputs) as [tf.TensorInfo, ...tf.TensorInfo[]];
      backend.incRef(first.dataId);
      return others.reduce((sum, x) => {
        const next = add({ inputs: { a: sum, b: x }, backend, attrs: {} }) as tf.TensorInfo;
        backend.disposeData(sum.dataId);
        return next;
      }, first);
    },
  });
}

function refuseLargeBuffers({ bufferManager }: WebgpuBackend, most: number): void {
  const acquire = bufferManager.acquireBuffer.bind(bufferManager);
  bufferManager.acquireBuffer = (size, ...how) => {
    if (size <= most) return acquire(size, ...how);
    throw full(undefined, localized('runtime.gpu_buffer_too_large', { needed: bytes(size), most: bytes(most) }));
  };
}
