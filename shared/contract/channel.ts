/** Declares channels by the schemas of request, reply and progress; every payload is parsed on arrival, in both directions. */
import { z } from 'zod';
import { faultSchema, type Fault } from '../errors.js';

interface Channel<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType, P extends z.ZodType = z.ZodType> {
  readonly input: I;
  readonly output: O;
  /** Null for channels that answer at once. */
  readonly progress: P | null;
}

export const channel = <I extends z.ZodType, O extends z.ZodType>(input: I, output: O): Channel<I, O, z.ZodNever> => ({
  input,
  output,
  progress: null,
});

/** Declares a channel with long work: it sends `progress`, and the caller can cancel it. */
export const longChannel = <I extends z.ZodType, O extends z.ZodType, P extends z.ZodType>(
  input: I,
  output: O,
  progress: P,
): Channel<I, O, P> => ({ input, output, progress });

export const nothing = z.strictObject({});

export type Reply<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fault: Fault };

export const replySchema = <O extends z.ZodType>(output: O) =>
  z.discriminatedUnion('ok', [
    z.strictObject({ ok: z.literal(true), value: output }),
    z.strictObject({ ok: z.literal(false), fault: faultSchema }),
  ]);
