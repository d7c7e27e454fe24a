/** The command line of `npm run study -- …`. Pure: text to options, or one line that says what is wrong. */
import { parseArgs } from 'node:util';
import { presetNames, type PresetName } from '../../shared/config/presets.js';

export interface StudyOptions {
  readonly quick: boolean;
  readonly seeds: readonly number[];
  readonly data: string | null;
  /** Null: the preset's. */
  readonly tokenization: 'char' | 'bpe' | 'learned' | null;
  readonly preset: PresetName;
  readonly threads: number | null;
  /** Train the base model on instead, for as long as GRPO took, and judge that too. */
  readonly supervised: boolean;
  /** Settings of GRPO and ways to a critic, tried one at a time on the first seed. */
  readonly variants: boolean;
  /** A folder with critic_model_v1 and judge_model_v1, trained already, for all seeds; null: each seed trains its own. */
  readonly readers: string | null;
  /** A text of the same kind that the project does not learn from: a judge of it draws the frontier. Null: no frontier. */
  readonly judge: string | null;
  /** A model that knows such a text already, as the judge in place of one that is trained on `judge`. */
  readonly judgeModel: string | null;
  /** Only the frontier: no judge of the project's own text, no other kinds of reward model. */
  readonly frontierOnly: boolean;
  /** What the cycles are held against: every way, or those alone that the app offers, which its advice is about. */
  readonly rivals: 'all' | 'offered';
  /** Settings of the judge of the other text, in place of its own. */
  readonly judgeSet: Readonly<Record<string, unknown>>;
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
  --judge_path G    a text of the same kind: judged by a model of it, do the cycles gain more than what costs as much?
  --judge_model DIR the judge is this model, of any kind of tokens, in place of one that is trained on G
  --frontier_only   with it: nothing else is measured
  --rivals offered  only what the app offers in place of cycles: training on, a lower temperature, top-p
  --judge_set JSON  settings of that judge to try
  --tokenization T  char, bpe or learned (default: char; with --judge_path the preset's)
  --preset P        ${presetNames.join(', ')} (default classic; with --judge_path tiny)
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
        frontier_only: { type: 'boolean', default: false },
        judge_path: text,
        judge_model: text,
        judge_set: text,
        rivals: text,
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
  const judgeModel = values.judge_model ?? null;
  const judge = values.judge_path ?? null;
  if (judge !== null && judgeModel !== null) throw new UsageError('--judge_path or --judge_model, not both');
  const isJudged = judge !== null || judgeModel !== null;
  const preset = presetNames.find((name) => name === (values.preset ?? (isJudged ? 'tiny' : 'classic')));
  if (!preset) throw new UsageError(`--preset: there is no "${values.preset}"; known: ${presetNames.join(', ')}`);
  if (values.frontier_only && !isJudged) throw new UsageError('--frontier_only needs --judge_path or --judge_model');
  const seeds = values.seed?.split(',').map((one) => counted(one, 'seed', 0) ?? 0);
  return {
    quick: values.quick,
    supervised: !values.quick && !values.no_supervised,
    variants: values.variants,
    seeds: seeds ?? (values.quick ? [1] : [1, 2, 3]),
    data: values.data_path ?? null,
    tokenization: tokenizationIn(values.tokenization, isJudged),
    judge,
    judgeModel,
    frontierOnly: values.frontier_only,
    judgeSet: settings(values.judge_set, 'judge_set'),
    rivals: rivalsIn(values.rivals, isJudged),
    preset,
    threads: counted(values.threads, 'threads', 1),
    readers: values.readers ?? null,
    folder: values.folder ?? null,
    set: settings(values.set, 'set'),
    json: values.json ?? null,
  };
}

function counted(text: string | undefined, flag: string, least: number): number | null {
  if (text === undefined) return null;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= least && text.trim() !== '') return value;
  throw new UsageError(`--${flag} takes a whole number from ${String(least)}, not "${text}"`);
}

function tokenizationIn(given: string | undefined, isJudged: boolean): StudyOptions['tokenization'] {
  if (given === undefined) return isJudged ? null : 'char';
  const known = (['char', 'bpe', 'learned'] as const).find((name) => name === given);
  if (known === undefined) throw new UsageError('--tokenization takes char, bpe or learned');
  return known;
}

function rivalsIn(given: string | undefined, isJudged: boolean): StudyOptions['rivals'] {
  if (given === undefined) return 'all';
  const known = (['all', 'offered'] as const).find((name) => name === given);
  if (known === undefined) throw new UsageError('--rivals takes all or offered');
  if (!isJudged) throw new UsageError('--rivals needs --judge_path or --judge_model');
  return known;
}

function settings(text: string | undefined, flag: string): Readonly<Record<string, unknown>> {
  if (text === undefined) return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Told below.
  }
  throw new UsageError(`--${flag} takes a JSON object of settings`);
}
