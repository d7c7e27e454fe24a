/** Parses the command line of `npm run bench -- …`. Pure. */
import { parseArgs } from 'node:util';
import { measures, precisions, shapeNames, type Measure, type Precision, type ShapeName } from './shapes.js';

export interface BenchOptions {
  readonly only: readonly Measure[];
  readonly shapes: readonly ShapeName[];
  /** Null: f32, and bf16 if the processor multiplies it. */
  readonly precisions: readonly Precision[] | null;
  readonly repeats: number;
  readonly quick: boolean;
  readonly peers: boolean;
  readonly threads: number | null;
  /** Where the engine computes; the peers compute on CUDA next to WebGPU. */
  readonly device: BenchDevice;
  readonly json: string | null;
}

export const benchDevices = ['cpu', 'webgpu'] as const;
export type BenchDevice = (typeof benchDevices)[number];

export class UsageError extends Error {}

export const usage = `npm run bench [-- options]
  --only a,b       ${measures.join(', ')}
  --shape a,b      ${shapeNames.join(', ')}; the first two by default, all with --peers; the last two take 4 to 10 GB of memory
  --precision a,b  ${precisions.join(', ')}; default: f32, and bf16 if the processor has it
  --repeats N      at most this many repeats of each contender (default 9; 3 with --quick)
  --quick          fewer repeats, less work in the longest measures
  --peers          also PyTorch, transformers and TRL, in their own Python environment (or VERISIM_PEERS_PYTHON)
  --threads N      for every contender; default: all cores
  --device NAME    cpu (default), or webgpu with its peers on CUDA
  --json FILE      write the result there`;

function parseNames<T extends string>(text: string | undefined, known: readonly T[], flag: string): T[] | null {
  if (text === undefined) return null;
  return text.split(',').map((name) => {
    const found = known.find((one) => one === name.trim());
    if (found === undefined) throw new UsageError(`--${flag}: there is no "${name}"; known: ${known.join(', ')}`);
    return found;
  });
}

function parseCount(text: string | undefined, flag: string): number | null {
  if (text === undefined) return null;
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1) return value;
  throw new UsageError(`--${flag} takes a whole number from 1, not "${text}"`);
}

const [flag, text] = [{ type: 'boolean', default: false } as const, { type: 'string' } as const];
const flags = {
  ...{ only: text, shape: text, precision: text, repeats: text, threads: text, json: text, device: text },
  ...{ quick: flag, peers: flag },
};

/** @throws UsageError */
export function parseOptions(args: readonly string[]): BenchOptions {
  const parse = () => {
    try {
      return parseArgs({ args: [...args], options: flags }).values;
    } catch (error) {
      throw new UsageError((error as Error).message);
    }
  };
  const values = parse();
  return {
    only: parseNames(values.only, measures, 'only') ?? measures,
    shapes: parseNames(values.shape, shapeNames, 'shape') ?? (values.peers ? shapeNames : ['tiny', 'baby']),
    precisions: parseNames(values.precision, precisions, 'precision'),
    repeats: parseCount(values.repeats, 'repeats') ?? (values.quick ? 3 : 9),
    quick: values.quick,
    peers: values.peers,
    threads: parseCount(values.threads, 'threads'),
    device: parseNames(values.device, benchDevices, 'device')?.[0] ?? 'cpu',
    json: values.json ?? null,
  };
}
