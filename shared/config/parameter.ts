/**
 * One configuration parameter, declared once: the wizard's field, the command line's flag, the validation message and the
 * reference in docs/ are derived from the zod schema. Its texts are in the catalogues: `setting.<key>.label`, `.help` and
 * `.choices.<value>` of a project's settings, `option.<name>.label` and `.help` of what only commands have.
 */
import { z } from 'zod';
import type { MessageCode } from '../messages/message.js';

/** The part of a code between `option.` and `.help`. */
export type OptionName = MessageCode extends infer Code
  ? Code extends `option.${infer Name}.help`
    ? Name
    : never
  : never;

interface ParameterInfo {
  /** Names the texts of a parameter that is no setting of a project. */
  readonly option?: OptionName;
  /** Is shown only among the advanced settings. */
  readonly advanced?: boolean;
  /** A path on this machine; forms give a file dialog, main checks it. */
  readonly path?: 'file' | 'folder';
  /** The names that a list consists of. */
  readonly of?: readonly string[];
}

/** Attaches what a schema cannot say. The key of the parameter is also its flag: `n_layer` is `--n_layer`. */
export const parameter = <T extends z.ZodType>(schema: T, info: ParameterInfo = {}): T => schema.meta({ ...info }) as T;

export const parameterInfo = (schema: z.ZodType): ParameterInfo => (schema.meta() ?? {}) as ParameterInfo;

/** A whole number from `min` to `max`. */
export const whole = (min: number, max: number = Number.MAX_SAFE_INTEGER) => z.int().min(min).max(max);

/** A finite number from `min` to `max`, both allowed. */
export const real = (min: number, max: number = Number.MAX_VALUE) => z.number().min(min).max(max);

/** A finite number above zero. */
export const positive = () => z.number().positive();

/** Some of these names, separated by commas, or `nothing`. */
export const listOf = (names: readonly string[]) =>
  z
    .string()
    .regex(new RegExp(`^(?:nothing|(?:${names.join('|')})(?:,(?:${names.join('|')}))*)$`))
    .default('nothing');
