/** Loads llama.cpp: node-llama-cpp's prebuilt module for this system. Nothing is built or downloaded. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { llamaSystem } from '../installation/locations.mjs';

/** A model's context; a token's scores are valid until the next `decodeBatch`. */
export interface LlamaContext {
  init(): Promise<boolean>;
  dispose(): Promise<void>;
  initBatch(tokens: number): void;
  /** @returns places of the scores after the tokens at `scored` */
  addToBatch(sequence: number, position: number, tokens: Uint32Array, scored: Uint32Array): Uint32Array;
  decodeBatch(): Promise<void>;
  /** @returns a token, and all that may be drawn, the likeliest first: id, probability, id, … */
  sampleToken(place: number, sampler: LlamaSampler, probabilities: true): Promise<[number, number[] | undefined]>;
  removeTokenCellsFromSequence(sequence: number, from: number, end: number): boolean;
  saveSequenceStateToFile(file: string, sequence: number, tokens: Uint32Array): Promise<number>;
  loadSequenceStateFromFile(file: string, sequence: number, longest: number): Promise<Uint32Array>;
  setThreads(threads: number): void;
}

export interface LlamaModel {
  init(): Promise<boolean>;
  dispose(): Promise<void>;
}

/** Applied in this order; `seed` is of a draw that is not used. */
export interface SamplerSettings {
  readonly tokenBiasKeys?: Uint32Array;
  readonly tokenBiasValues?: Float32Array;
  readonly repeatPenalty?: number;
  readonly repeatPenaltyMaxTokens?: number;
  readonly repeatPenaltyTokens?: Uint32Array;
  readonly topK?: number;
  readonly topP?: number;
  readonly minP?: number;
  readonly temperature: number;
  readonly seed: number;
}
export interface LlamaSampler {
  applyConfig(settings: SamplerSettings): void;
  dispose(): void;
}

interface ContextSettings {
  readonly contextSize: number;
  readonly batchSize: number;
  readonly sequences: number;
  readonly threads: number;
  readonly flashAttention: boolean;
}

export interface Llama {
  readonly AddonModel: new (
    file: string,
    settings: { readonly gpuLayers: number; readonly useMmap: boolean; readonly addonExports: Llama },
  ) => LlamaModel;
  readonly AddonContext: new (model: LlamaModel, settings: ContextSettings) => LlamaContext;
  readonly AddonSampler: new (model: LlamaModel) => LlamaSampler;
  setLoggerLogLevel(level: number): void;
  loadBackends(folder?: string): void;
  init(): Promise<void>;
}

/** Only errors are logged. */
const ERRORS = 2;
let loading: Promise<Llama> | null = null;

/** @param bundled the folder of a packaged app's own files; null in a checkout. @throws if there is none for this system */
export async function loadLlama(bundled: string | null): Promise<Llama> {
  if (process.env['VERISIM_LLAMA'] === 'none') throw new Error('VERISIM_LLAMA=none');
  return (loading ??= load(bundled));
}

async function load(bundled: string | null): Promise<Llama> {
  // A CommonJS bundle has no import.meta.url.
  const require = createRequire(typeof __filename === 'string' ? __filename : import.meta.url);
  const folder = bundled ?? join(require.resolve(`@node-llama-cpp/${llamaSystem}`), '../../bins', llamaSystem);
  const llama = require(join(folder, 'llama-addon.node')) as Llama;
  llama.setLoggerLogLevel(ERRORS);
  llama.loadBackends();
  llama.loadBackends(folder);
  await llama.init();
  return llama;
}
