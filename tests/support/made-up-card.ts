/** Graphics cards that a test makes up, behind the interface of WebGPU: nothing, or SwiftShader with another name and other limits. */
import * as dawn from 'webgpu';
import { useSwiftshader } from './swiftshader.js';

interface MadeUp {
  readonly name?: string;
  readonly limits?: Readonly<Record<string, number>>;
  /** Receives each device as it is made. */
  readonly onDevice?: (device: GPUDevice) => void;
}

/** Replaces the page's WebGPU, which a process uses before its own. @returns how often an adapter was requested */
export function useCard(card: MadeUp | null): () => number {
  useSwiftshader();
  Object.assign(globalThis, dawn.globals);
  const gpu = dawn.create([]);
  let requests = 0;
  const requestAdapter = async (options: GPURequestAdapterOptions) => {
    requests += 1;
    const adapter = card && (await gpu.requestAdapter(options));
    if (!adapter) return null;
    const { name, limits = {}, onDevice } = card;
    const { description, vendor, architecture, device } = adapter.info;
    const named = { description: name ?? description, ...(name ? {} : { vendor, architecture, device }) };
    return {
      info: { vendor: '', architecture: '', device: '', ...named },
      limits: new Proxy(adapter.limits, {
        get: (all, key) => limits[String(key)] ?? (all as unknown as Record<string, number>)[String(key)],
      }),
      async requestDevice(descriptor: GPUDeviceDescriptor) {
        const made = await adapter.requestDevice(descriptor);
        onDevice?.(made);
        return made;
      },
    };
  };
  const value = { gpu: { requestAdapter }, userAgent: 'node', platform: process.platform };
  Object.defineProperty(globalThis, 'navigator', { value, configurable: true, writable: true });
  return () => requests;
}
