/** Channels of the playground: writing with any checkpoint, what the reward model says, which tokens were likely. */
import { z } from 'zod';
import { channel, longChannel } from './channel.js';
import { measured } from '../base/measured.js';
import { projectId } from './values.js';

const modelOf = { project: projectId, model: z.string().max(80) };

export const writtenToken = z.strictObject({
  text: z.string(),
  /** Natural logarithm of its probability at the temperature; null for the given prompt. */
  log_prob: measured,
  /** The likeliest tokens at its position. */
  alternatives: z.array(z.strictObject({ text: z.string(), probability: z.number() })),
});
export type WrittenToken = z.infer<typeof writtenToken>;

export const playgroundChannels = {
  'playground.write': longChannel(
    z.strictObject({
      ...modelOf,
      prompt: z.string().max(100_000),
      tokens: z.int().min(1).max(100_000),
      temperature: z.number().min(0).max(10),
      top_k: z.int().min(1).nullable(),
      top_p: z.number().positive().max(1),
      seed: z
        .int()
        .min(0)
        .max(2 ** 32 - 1),
    }),
    z.strictObject({ tokens: z.array(writtenToken), stopped: z.enum(['length', 'cancelled']) }),
    z.strictObject({ tokens: z.array(writtenToken) }),
  ),
  /** The reward model's P(natural) after each prefix of a text, one value a token. */
  'playground.score': channel(
    z.strictObject({ ...modelOf, text: z.string().max(100_000) }),
    z.strictObject({ tokens: z.array(z.strictObject({ text: z.string(), natural: measured })) }),
  ),
};
