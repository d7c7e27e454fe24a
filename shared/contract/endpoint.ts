/** Calls of the endpoint for other programs (main/server/endpoint.ts), and its description in the settings. */
import { z } from 'zod';
import { faultSchema } from '../errors.js';
import { channel, nothing } from './channel.js';
import { drawingSchema, modelName, MOST_CONTEXT, seed } from './writing.js';

export const ENDPOINT_PORT = 8642;

/** Of one request: completions, tokens of each, and texts that end one. */
export const [MOST_COMPLETIONS, MOST_TOKENS, MOST_STOPS] = [8, 4096, 4];

export const completionRequest = z.strictObject({
  model: modelName,
  prompt: z.string().max(MOST_CONTEXT),
  n: z.int().min(1).max(MOST_COMPLETIONS),
  max_tokens: z.int().min(1).max(MOST_TOKENS),
  stop: z.array(z.string().min(1).max(200)).max(MOST_STOPS),
  ...drawingSchema.shape,
  seed,
});

/** The tokens that are certain by now: progress repeats earlier ones. */
export const completionChoices = z.strictObject({
  choices: z.array(
    z.strictObject({
      tokens: z.array(z.strictObject({ text: z.string(), log_prob: z.number() })),
      /** Null while it is written. */
      finish_reason: z.enum(['stop', 'length']).nullable(),
    }),
  ),
});
export type CompletionChoice = z.infer<typeof completionChoices>['choices'][number];

export const completions = completionChoices.extend({ prompt_tokens: z.int() });

export const endpointChannels = {
  /** The address and the token while other programs may connect; a fault if the endpoint could not start. */
  'endpoint.describe': channel(
    nothing,
    z.strictObject({ address: z.string().nullable(), token: z.string().nullable(), fault: faultSchema.nullable() }),
  ),
};
