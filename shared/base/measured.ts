/** Schemas of measurements that reports, events and channels share. */
import { z } from 'zod';

/** JSON has neither NaN nor infinity: a number that is not finite is written as null. */
export const measured = z.number().nullable();

export const sampleSchema = z.strictObject({ prompt: z.string(), completion: z.string() });
