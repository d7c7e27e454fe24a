/**
 * One configuration parameter, declared once. The wizard's field, the command line's flag, the validation
 * message and the reference in docs/ are all derived from the zod schema and the words given here.
 */
import { z } from 'zod';

interface ParameterInfo {
  /** What the form calls it. */
  readonly label: string;
  /**
   * One sentence on what it does, without jargon where that is possible. A choice stands in it as `{critic}`, one of another
   * setting as `{reward_kind=critic}`: flags have the value, forms its name.
   */
  readonly help: string;
  /** Shown only when the person asks for everything. */
  readonly advanced?: boolean;
  /** A path on this machine; forms give a file dialog, main checks it. */
  readonly path?: 'file' | 'folder';
  /** What a form calls each value of a choice; flags and files have the values themselves. */
  readonly choices?: Readonly<Record<string, string>>;
}

/** The names of a choice's values, each of them named; nothing for a parameter that is no choice. */
export type Choices<T extends z.ZodType> = ChoicesOf<NonNullable<z.output<T>>>;
type ChoicesOf<Value> = [Value] extends [string]
  ? string extends Value
    ? object
    : { readonly choices: Readonly<Record<Value, string>> }
  : object;

/** Attaches the words to a schema. The key of the parameter is also its flag: `n_layer` is `--n_layer`. */
export function parameter<T extends z.ZodType>(schema: T, info: ParameterInfo & Partial<Choices<T>>): T {
  return schema.meta({ ...info }) as T;
}

/** A help with its choices as `name` calls them. @param name of another setting with its key */
export const helpInWords = (help: string, name: (value: string, key?: string) => string): string =>
  help.replace(/\{(?:(\w+)=)?(\w+)\}/g, (_, key: string | undefined, value: string) => name(value, key));

export function parameterInfo(schema: z.ZodType): ParameterInfo | undefined {
  const meta = schema.meta();
  if (typeof meta?.['label'] !== 'string' || typeof meta['help'] !== 'string') return undefined;
  return meta as unknown as ParameterInfo;
}

/** Throws when the schema carries no label and help: every parameter must explain itself. */
export function explained(key: string, schema: z.ZodType): ParameterInfo {
  const info = parameterInfo(schema);
  if (!info) throw new Error(`parameter ${key} has no label and help`);
  return info;
}

/** A whole number from `min` to `max`. */
export const whole = (min: number, max: number = Number.MAX_SAFE_INTEGER) => z.int().min(min).max(max);

/** A finite number from `min` to `max`, both allowed. */
export const real = (min: number, max: number = Number.MAX_VALUE) => z.number().min(min).max(max);

/** A finite number above zero. */
export const positive = () => z.number().positive();
