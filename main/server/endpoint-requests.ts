/** Answers the endpoint's requests: models, completions, naturalness. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { MOST_COMPLETIONS, MOST_STOPS, MOST_TOKENS, type CompletionChoice } from '../../shared/contract/endpoint.js';
import { drawingSchema, MOST_CONTEXT, seed } from '../../shared/contract/writing.js';
import { usualReading } from '../../shared/config/generation.js';
import { localized } from '../../shared/messages/message.js';
import type { Services } from '../services/index.js';
import { EndpointError, endpointErrors } from './endpoint-errors.js';

/** Clients send null for what they leave to the server. */
const optional = <T extends z.ZodType>(schema: T, otherwise: z.output<T>) =>
  schema.nullish().transform((value) => value ?? otherwise);
const one = <T>(value: T | readonly T[]) => (Array.isArray(value) ? (value as readonly T[]) : [value as T]);

/** Keys without meaning here, such as `user`, are left out; those that would change the text are refused. */
const completionSchema = z.object({
  model: z.string().max(400),
  prompt: optional(
    z.union([
      z.string(),
      z
        .array(z.string())
        .length(1)
        .transform(([only = '']) => only),
    ]),
    '',
  ),
  n: optional(z.int().min(1).max(MOST_COMPLETIONS), 1),
  max_tokens: optional(z.int().min(1).max(MOST_TOKENS), 16),
  stop: optional(z.union([z.string(), z.array(z.string()).max(MOST_STOPS)]).transform(one), []),
  temperature: optional(z.number().min(0).max(2), usualReading.temperature),
  top_p: optional(z.number().min(0).max(1), usualReading.top_p),
  min_p: optional(drawingSchema.shape.min_p, 0),
  repetition_penalty: optional(drawingSchema.shape.repetition_penalty, 1),
  seed: z.int().nullish(),
  logprobs: optional(z.union([z.boolean(), z.int().min(0).max(5)]), false),
  stream: optional(z.boolean(), false),
  stream_options: z.object({ include_usage: optional(z.boolean(), false) }).nullish(),
  echo: z.literal(false).nullish(),
  suffix: z.literal('').nullish(),
  best_of: z.int().max(1).nullish(),
  frequency_penalty: z.literal(0).nullish(),
  presence_penalty: z.literal(0).nullish(),
  logit_bias: z.strictObject({}).nullish(),
});

const scoreSchema = z.object({ model: z.string().max(400), input: z.string().min(1).max(MOST_CONTEXT) });

/** Divides by nearly nothing, so that only the likeliest token is left. */
const GREEDY = 1e-4;
/** Likewise for `top_p`. */
const LEAST_SHARE = 1e-6;

export interface Call {
  readonly body: unknown;
  readonly signal: AbortSignal;
  /** Sends a part of a stream; the first one starts it. */
  send(part: object): void;
}

const described = (id: string, { created }: { readonly created: number }) => ({
  id,
  object: 'model',
  created,
  owned_by: 'verisim',
});

export function createRequests({ projects, supervisor, now }: Services) {
  /** Every generator by the name that clients use; those of projects with the same name have its id. */
  async function models() {
    const named = new Map<string, { readonly folder: string; readonly model: string; readonly created: number }>();
    for (const { id, name, folder, changed, state } of await projects.list()) {
      if (state === 'missing' || state === 'damaged') continue;
      for (const model of projects.get(id).models) {
        const created = Math.round(Date.parse(changed) / 1000);
        const key = named.has(`${name}/${model}`) ? `${id}/${model}` : `${name}/${model}`;
        named.set(key, { folder, model, created });
      }
    }
    return named;
  }
  /** @throws EndpointError `model_not_found` */
  async function found(name: string) {
    const all = await models();
    // A project's name alone means its newest model.
    const newest = [...all.keys()].filter((key) => key.startsWith(`${name}/`)).at(-1);
    const model = all.get(name) ?? (newest === undefined ? undefined : all.get(newest));
    if (!model) throw endpointErrors.model(name);
    return model;
  }
  const versionOf = async (name: string) => {
    const { folder, model } = await found(name);
    return { folder, model };
  };

  return {
    models: async () => ({ object: 'list', data: [...(await models())].map(([id, one]) => described(id, one)) }),
    model: async (name: string) => described(name, await found(name)),

    async completions({ body, signal, send }: Call): Promise<object | null> {
      const request = parsed(completionSchema, body);
      const { n, max_tokens, temperature, top_p, min_p, repetition_penalty, stream, logprobs } = request;
      const base = {
        id: `cmpl-${randomUUID()}`,
        object: 'text_completion',
        created: Math.round(now() / 1000),
        model: request.model,
      };
      const wanted = {
        ...(await versionOf(request.model)),
        prompt: request.prompt.slice(-MOST_CONTEXT),
        n,
        max_tokens,
        stop: [...request.stop].filter((text) => text !== ''),
        temperature: Math.max(GREEDY, temperature),
        top_p: Math.max(LEAST_SHARE, top_p),
        min_p,
        repetition_penalty,
        seed: seed.parse(Math.abs((request.seed ?? Math.floor(Math.random() * 2 ** 32)) % 2 ** 32)),
      };
      const withLogProbs = logprobs !== false;
      const forward = createForwarder(n, withLogProbs, (choices) => send({ ...base, choices }));
      const how = { signal, onProgress: stream ? forward : () => undefined };
      const { choices, prompt_tokens } = await supervisor.call('completeText', wanted, how);
      const completion_tokens = choices.reduce((sum, { tokens }) => sum + tokens.length, 0);
      const usage = { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
      if (!stream) {
        const all = choices.map((choice, index) => choiceReply(choice, index, withLogProbs ? 0 : null));
        return { ...base, choices: all, usage };
      }
      forward({ choices });
      if (request.stream_options?.include_usage) send({ ...base, choices: [], usage });
      return null;
    },

    /** P(natural) after each token, by the reward model that is named or the project's newest. */
    async score({ body, signal }: Call) {
      const { model, input } = parsed(scoreSchema, body);
      const request = { ...(await versionOf(model)), before: '', text: input };
      const { tokens } = await supervisor.call('inspect', request, { signal });
      return { object: 'score', model, tokens: tokens.map(({ text, natural }) => ({ text, natural })) };
    },
  };
}

/** Sends what is new since the last progress, which repeats earlier tokens. */
function createForwarder(n: number, withLogProbs: boolean, send: (choices: readonly object[]) => void) {
  const sent = Array.from({ length: n }, () => ({ tokens: 0, characters: 0, ended: false }));
  return ({ choices }: { readonly choices: readonly CompletionChoice[] }) => {
    const parts = choices.flatMap((choice, index) => {
      const place = sent[index];
      const tokens = choice.tokens.slice(place?.tokens);
      if (!place || place.ended || (tokens.length === 0 && choice.finish_reason === null)) return [];
      const part = choiceReply({ ...choice, tokens }, index, withLogProbs ? place.characters : null);
      place.tokens += tokens.length;
      place.characters += part.text.length;
      place.ended = choice.finish_reason !== null;
      return [part];
    });
    if (parts.length > 0) send(parts);
  };
}

/** @throws EndpointError that names the first parameter that does not fit */
function parsed<S extends z.ZodType>(schema: S, body: unknown): z.output<S> {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const param = issue?.path.join('.') ?? '';
  const reason = issue?.message ?? '';
  throw new EndpointError(400, 'invalid_value', localized('endpoint.bad_value', { param, reason }), param);
}

/** @param offset characters of the text before; null leaves out log-probabilities */
function choiceReply({ tokens, finish_reason }: CompletionChoice, index: number, offset: number | null) {
  let at = offset ?? 0;
  const logprobs = offset !== null && {
    tokens: tokens.map(({ text }) => text),
    token_logprobs: tokens.map(({ log_prob }) => log_prob),
    top_logprobs: null,
    text_offset: tokens.map(({ text }) => (at += text.length) - text.length),
  };
  return { index, text: tokens.map(({ text }) => text).join(''), logprobs: logprobs || null, finish_reason };
}
