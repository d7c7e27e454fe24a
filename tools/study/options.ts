/** The command line of `npm run study -- …`. Pure: text to options, or one line that says what is wrong. */
import { parseArgs } from 'node:util';
import { presetNames, type PresetName } from '../../shared/config/presets.js';

export interface StudyOptions {
  readonly quick: boolean;
  readonly seeds: readonly number[];
  readonly data: string | null;
  readonly tokenization: 'char' | 'bpe';
  readonly preset: PresetName;
  readonly threads: number | null;
  /** Train the base model on instead, for as long as GRPO took, and judge that too. */
  readonly supervised: boolean;
  /** Settings of GRPO and ways to a critic, tried one at a time on the first seed. */
  readonly variants: boolean;
  /** A folder with critic_model_v1 and judge_model_v1, trained already, for all seeds; null: each seed trains its own. */
  readonly readers: string | null;
  /** Where the projects are kept: a study that was stopped resumes there. */
  readonly folder: string | null;
  /** Settings of the project that are tried in place of the preset's. */
  readonly set: Readonly<Record<string, unknown>>;
  readonly json: string | null;
}

export class UsageError extends Error {}

export const usage = `npm run study [-- options]
  --quick           less training of everything: one seed in under 20 minutes on two cores
  --seed S          this seed only, or several: 4,5,6 (default: 1,2,3; 1 with --quick)
  --data_path F     the text (default: the bundled sample)
  --tokenization T  char or bpe (default char)
  --preset P        ${presetNames.join(', ')} (default tiny)
  --threads N       default: all cores
  --no_supervised   leave out training on instead of GRPO (as --quick does)
  --variants        and, on the first seed, settings of GRPO and ways to a critic, one at a time
  --readers DIR     take critic_model_v1 and judge_model_v1 from there for all seeds, instead of training them for each
  --folder DIR      keep the projects there; the same command keeps what is finished
  --set JSON        settings of the project to try, such as '{"beta":0.1}'
  --json FILE       write the result there`;

/** @throws UsageError for what is not understood */
export function parseOptions(args: readonly string[]): StudyOptions {
  const text = { type: 'string' } as const;
  const parse = () =>
    parseArgs({
      args: [...args],
      options: {
        quick: { type: 'boolean', default: false },
        no_supervised: { type: 'boolean', default: false },
        variants: { type: 'boolean', default: false },
        seed: text,
        data_path: text,
        tokenization: text,
        preset: text,
        threads: text,
        folder: text,
        set: text,
        json: text,
        readers: text,
      },
    }).values;
  let values: ReturnType<typeof parse>;
  try {
    values = parse();
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
  const preset = presetNames.find((name) => name === (values.preset ?? 'tiny'));
  if (!preset) throw new UsageError(`--preset: there is no "${values.preset}"; known: ${presetNames.join(', ')}`);
  const { tokenization = 'char' } = values;
  if (tokenization !== 'char' && tokenization !== 'bpe') throw new UsageError('--tokenization takes char or bpe');
  const seeds = values.seed?.split(',').map((one) => counted(one, 'seed', 0) ?? 0);
  return {
    quick: values.quick,
    supervised: !values.quick && !values.no_supervised,
    variants: values.variants,
    seeds: seeds ?? (values.quick ? [1] : [1, 2, 3]),
    data: values.data_path ?? null,
    tokenization,
    preset,
    threads: counted(values.threads, 'threads', 1),
    readers: values.readers ?? null,
    folder: values.folder ?? null,
    set: settings(values.set),
    json: values.json ?? null,
  };
}

function counted(text: string | undefined, flag: string, least: number): number | null {
  if (text === undefined) return null;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= least && text.trim() !== '') return value;
  throw new UsageError(`--${flag} takes a whole number from ${String(least)}, not "${text}"`);
}

function settings(text: string | undefined): Readonly<Record<string, unknown>> {
  if (text === undefined) return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Told below.
  }
  throw new UsageError('--set takes a JSON object of settings');
}
