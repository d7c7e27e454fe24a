/** The options of `npm run study:recipe`, read and checked before anything is trained. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { sampleTextPath } from '../../../main/installation/locations.mjs';
import { settingsOf, variants } from './variants.js';

export const usage = `npm run study:recipe [-- options]
  --only A,B        these variants (default: all of ${Object.keys(variants).join(', ')})
  --seeds 1,2,3     default: 1
  --seconds N       processor seconds of each trial (default 110)
  --steps N         steps of each trial instead, whatever they take
  --data_path F     the text (default: the bundled sample)
  --folder DIR      where trials are kept (default dist/study-recipe/trials)
  --json FILE       write the result there`;

export interface Options {
  readonly names: readonly string[];
  readonly seeds: readonly number[];
  readonly seconds: number;
  /** Null: as many as fit the seconds. */
  readonly steps: number | null;
  readonly text: string;
  readonly folder: string;
}

const isAbove0 = (value: number): boolean => value > 0 && Number.isFinite(value);

/** @returns the options, and where the result goes; a sentence where something is wrong with them */
export function readOptions(root: string, args: readonly string[]): (Options & { json: string | null }) | string {
  const text = { type: 'string' } as const;
  const options = { only: text, seeds: text, seconds: text, steps: text, data_path: text, folder: text, json: text };
  try {
    const { values } = parseArgs({ args: [...args], options });
    const names = values.only?.split(',') ?? Object.keys(variants);
    names.forEach((name) => settingsOf(name));
    const seeds = (values.seeds ?? '1').split(',').map(Number);
    const seconds = Number(values.seconds ?? 110);
    const steps = values.steps === undefined ? null : Number(values.steps);
    if (!seeds.every((seed) => Number.isInteger(seed) && seed >= 0))
      return `--seeds takes whole numbers, such as 1,2,3; got ${String(values.seeds)}`;
    if (!isAbove0(seconds)) return `--seconds takes a number above 0; got ${String(values.seconds)}`;
    if (steps !== null && !(isAbove0(steps) && Number.isInteger(steps)))
      return `--steps takes a whole number above 0; got ${String(values.steps)}`;
    return {
      ...{ names, seeds, seconds, steps },
      text: resolve(values.data_path ?? sampleTextPath()),
      folder: resolve(root, values.folder ?? 'dist/study-recipe/trials'),
      json: values.json === undefined ? null : resolve(root, values.json),
    };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
