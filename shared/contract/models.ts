/** Channels about initial models: the catalogue's, those on this machine, and the hub's by name. Only `describe` and `fetch` use the network. */
import { z } from 'zod';
import { messageSchema } from '../messages/message.js';
import { channel, longChannel, nothing } from './channel.js';
import { measured } from '../base/measured.js';

/** A name on the hub (`parseHubName`), or of a model that the set-up brought. */
const modelId = z.string().min(1).max(400);

/** What training takes on this machine at the preset's settings. */
const modelNeeds = z.strictObject({
  tune: z.enum(['full', 'lora']),
  /** Peak bytes of a project. */
  memory: z.number(),
  fits: z.boolean(),
  /** Of training; null until measured. */
  tokens_per_second: measured,
});

const modelEntry = z.strictObject({
  id: modelId,
  title: z.string(),
  source: z.enum(['catalogue', 'hub', 'setup']),
  /** A name on the hub, or a file handle. */
  init_from: z.string(),
  parameters: z.number().nullable(),
  vocabulary: z.int().nullable(),
  context: z.int().nullable(),
  /** BCP 47 tags; null if unknown. */
  languages: z.array(z.string()).nullable(),
  instructed: z.boolean().nullable(),
  licence: z.string().nullable(),
  /** The hub requires an account that has agreed to its terms. */
  gated: z.boolean(),
  /** `partial`: an interrupted download, which can resume. */
  state: z.enum(['absent', 'partial', 'fetching', 'present']),
  size: z.number(),
  here: z.number(),
  /** Empty if the model's shape is unknown. */
  needs: z.array(modelNeeds),
});
export type ModelEntry = z.infer<typeof modelEntry>;

/** What the hub says about a model, for the confirmation before its download. */
const modelOffer = z.strictObject({
  id: modelId,
  licence: z.string().nullable(),
  gated: z.boolean(),
  /** From config.json; null for a GGUF file. */
  architecture: z.string().nullable(),
  commit: z.string(),
  files: z.array(z.strictObject({ name: z.string(), size: z.number() })),
  /** Bytes of all files, and of those still to be fetched. */
  size: z.number(),
  missing: z.number(),
  disk_free: z.number().nullable(),
  place: z.string(),
});
export type ModelOffer = z.infer<typeof modelOffer>;

const fetchProgress = z.strictObject({
  done: z.number(),
  total: z.number(),
  rate: measured,
  seconds_left: measured,
  detail: messageSchema.nullable(),
});
export type FetchProgress = z.infer<typeof fetchProgress>;

export const modelChannels = {
  'models.list': channel(
    nothing,
    z.strictObject({
      models: z.array(modelEntry),
      place: z.string(),
      disk_free: z.number().nullable(),
      memory: z.number(),
    }),
  ),
  /** Describes a download; refuses models that cannot be used. */
  'models.describe': channel(z.strictObject({ id: modelId }), modelOffer),
  /** Downloads missing files; a cancelled download can resume. */
  'models.fetch': longChannel(z.strictObject({ id: modelId }), modelEntry, fetchProgress),
  'models.remove': channel(z.strictObject({ id: modelId }), nothing),
};
