/**
 * Declares what a channel is: a name, the schemas of request and reply, and of progress if the work takes a while. Both
 * transports (Electron IPC and WebSocket), the preload bridge, the client and the tests are derived from these
 * declarations; every payload is parsed on arrival, in both directions.
 */
import { z } from 'zod';
import { faultSchema, type Fault } from '../errors.js';

interface Channel<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType, P extends z.ZodType = z.ZodType> {
  readonly input: I;
  readonly output: O;
  /** Sent while the work runs, any number of times; null for channels that answer at once. */
  readonly progress: P | null;
}

/** A channel that answers at once. */
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

/** An empty request or reply. */
export const nothing = z.strictObject({});

/** What every call comes to: errors are values. */
export type Reply<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fault: Fault };

export const replySchema = <O extends z.ZodType>(output: O) =>
  z.discriminatedUnion('ok', [
    z.strictObject({ ok: z.literal(true), value: output }),
    z.strictObject({ ok: z.literal(false), fault: faultSchema }),
  ]);
