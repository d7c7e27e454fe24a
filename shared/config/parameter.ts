/**
 * One configuration parameter, declared once. The wizard's field, the command line's flag, the validation
 * message and the reference in docs/ are all derived from the zod schema and the words given here.
 */
import { z } from 'zod';

interface ParameterInfo {
  /** What the form calls it. */
  readonly label: string;
  /** One sentence on what it does, without jargon where that is possible. */
  readonly help: string;
  /** Shown only when the person asks for everything. */
  readonly advanced?: boolean;
  /** A path on this machine; forms give a file dialog, main checks it. */
  readonly path?: 'file' | 'folder';
}

/** Attaches the words to a schema. The key of the parameter is also its flag: `n_layer` is `--n_layer`. */
export function parameter<T extends z.ZodType>(schema: T, info: ParameterInfo): T {
  return schema.meta({ ...info }) as T;
}

export function parameterInfo(schema: z.ZodType): ParameterInfo | undefined {
  const meta = schema.meta();
  if (typeof meta?.['label'] !== 'string' || typeof meta['help'] !== 'string') return undefined;
  return meta as unknown as ParameterInfo;
}

/** A whole number from `min` to `max`. */
export const whole = (min: number, max: number = Number.MAX_SAFE_INTEGER) => z.int().min(min).max(max);

/** A finite number from `min` to `max`, both allowed. */
export const real = (min: number, max: number = Number.MAX_VALUE) => z.number().min(min).max(max);

/** A finite number above zero. */
export const positive = () => z.number().positive();
