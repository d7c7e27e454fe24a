/** The command line of `npm run bench -- …`. Pure: text to options, or one line that says what is wrong. */
import { parseArgs } from 'node:util';
import { measures, precisions, shapeNames, type Measure, type Precision, type ShapeName } from './shapes.js';

export interface BenchOptions {
  readonly only: readonly Measure[];
  readonly shapes: readonly ShapeName[];
  /** Null: f32, and bf16 where the processor multiplies it. */
  readonly precisions: readonly Precision[] | null;
  readonly repeats: number;
  readonly quick: boolean;
  readonly peers: boolean;
  readonly python: string | null;
  readonly threads: number | null;
  /** Also measure Verisim without XLA. */
  readonly withoutXla: boolean;
  readonly json: string | null;
  /** Add to what `json` has: a whole run in pieces. */
  readonly keep: boolean;
}

export class UsageError extends Error {}

export const usage = `npm run bench [-- options]
  --only a,b       ${measures.join(', ')}
  --shape a,b      ${shapeNames.join(', ')}; all but the first two only with --peers or by name, the last two with 4 to 10 GB of memory and minutes of time
  --precision a,b  ${precisions.join(', ')}; default: f32, and bf16 where the processor has it
  --repeats N      at most this many repeats of each contender (default 9; 3 with --quick)
  --quick          fewer repeats, less work in the longest measures
  --peers          beside PyTorch, transformers and TRL, in a Python environment of their own
  --python FILE    a Python that has them; nothing is installed (also VERISIM_PEERS_PYTHON)
  --threads N      for every contender; default: all cores
  --no-xla         also Verisim with plain TensorFlow graphs
  --json FILE      write the result there
  --keep           and keep the rows of earlier runs that FILE has, where they were not measured again`;

function listed<T extends string>(text: string | undefined, known: readonly T[], flag: string): readonly T[] | null {
  if (text === undefined) return null;
  return text.split(',').map((name) => {
    const found = known.find((one) => one === name.trim());
    if (found === undefined) throw new UsageError(`--${flag}: there is no "${name}"; known: ${known.join(', ')}`);
    return found;
  });
}

function counted(text: string | undefined, flag: string): number | null {
  if (text === undefined) return null;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new UsageError(`--${flag} takes a whole number from 1, not "${text}"`);
  return value;
}

/** @throws UsageError for what is not understood */
export function parseOptions(args: readonly string[]): BenchOptions {
  const flag = { type: 'boolean', default: false } as const;
  const text = { type: 'string' } as const;
  const parse = () =>
    parseArgs({
      args: [...args],
      options: {
        only: text,
        shape: text,
        precision: text,
        repeats: text,
        quick: flag,
        peers: flag,
        python: text,
        threads: text,
        'no-xla': flag,
        json: text,
        keep: flag,
      },
    });
  let values: ReturnType<typeof parse>['values'];
  try {
    ({ values } = parse());
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  return {
    only: listed(values.only, measures, 'only') ?? measures,
    shapes: listed(values.shape, shapeNames, 'shape') ?? (values.peers ? shapeNames : ['tiny', 'baby']),
    precisions: listed(values.precision, precisions, 'precision'),
    repeats: counted(values.repeats, 'repeats') ?? (values.quick ? 3 : 9),
    quick: values.quick,
    peers: values.peers,
    python: values.python ?? null,
    threads: counted(values.threads, 'threads'),
    withoutXla: values['no-xla'],
    json: values.json ?? null,
    keep: values.keep,
  };
}
