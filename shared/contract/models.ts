/**
 * Channels about models that a project can begin from: those of the catalogue, those that lie on this machine, and any other
 * of the hub by its name. Asking for the list or removing needs no network; `describe` asks the hub, `fetch` downloads.
 */
import { z } from 'zod';
import { messageSchema } from '../messages/message.js';
import { channel, longChannel, nothing } from './channel.js';
import { measured } from '../base/measured.js';

/** A name on the hub (`parseHubName`), or the one that the list gives to what came with the set-up. */
const modelId = z.string().min(1).max(400);

/** What training all of it or adapters of it would take here, at the settings that such models are trained with. */
const modelNeeds = z.strictObject({
  tune: z.enum(['full', 'lora']),
  /** Bytes of memory at the peak of a project. */
  memory: z.number(),
  /** Whether this machine has as much memory. */
  fits: z.boolean(),
  /** Tokens trained a second, from what was measured on this machine; null until something was. */
  tokens_per_second: measured,
});

const modelEntry = z.strictObject({
  id: modelId,
  title: z.string(),
  /** Of the list that Verisim brings, fetched by name, or brought by the set-up. */
  source: z.enum(['catalogue', 'hub', 'setup']),
  /** What a draft's `init_from` takes to begin from it: its name on the hub, or a file handle. */
  init_from: z.string(),
  /** Null where it is not known before it is opened. */
  parameters: z.number().nullable(),
  /** Tokens that it has room for. */
  vocabulary: z.int().nullable(),
  /** Positions that it was made for. */
  context: z.int().nullable(),
  languages: z.enum(['english', 'many']).nullable(),
  instructed: z.boolean().nullable(),
  licence: z.string().nullable(),
  /** Whether the hub wants an account that has agreed to its terms. */
  gated: z.boolean(),
  /** `partial`: a download that stopped, and resumes where it did. */
  state: z.enum(['absent', 'partial', 'fetching', 'present']),
  /** Bytes of all its files; of one that is absent, about. */
  size: z.number(),
  /** Bytes of it on this disk. */
  here: z.number(),
  /** One for each way of training it that is offered; empty where its shape is not known. */
  needs: z.array(modelNeeds),
});
export type ModelEntry = z.infer<typeof modelEntry>;

/** What the hub says about a model, for the confirmation before its download. */
const modelOffer = z.strictObject({
  id: modelId,
  licence: z.string().nullable(),
  gated: z.boolean(),
  /** What config.json calls its architecture; null for a GGUF file. */
  architecture: z.string().nullable(),
  /** The commit that is fetched. */
  commit: z.string(),
  files: z.array(z.strictObject({ name: z.string(), size: z.number() })),
  /** Bytes of all files, of those that are still to be fetched, and free on the disk. */
  size: z.number(),
  missing: z.number(),
  disk_free: z.number().nullable(),
  /** The folder it is kept in; for display. */
  place: z.string(),
});
export type ModelOffer = z.infer<typeof modelOffer>;

const fetchProgress = z.strictObject({
  /** Bytes of all files. */
  done: z.number(),
  total: z.number(),
  /** Bytes a second, and seconds until it is there at that rate. */
  rate: measured,
  seconds_left: measured,
  /** What else happens: waiting for another download of it, trying again. */
  detail: messageSchema.nullable(),
});
export type FetchProgress = z.infer<typeof fetchProgress>;

export const modelChannels = {
  'models.list': channel(
    nothing,
    z.strictObject({
      models: z.array(modelEntry),
      /** Where fetched models are kept, for display; bytes free there. */
      place: z.string(),
      disk_free: z.number().nullable(),
      /** Bytes of memory of this machine. */
      memory: z.number(),
    }),
  ),
  /** Asks the hub: what would be downloaded, under which licence, where to. One that cannot be used is refused here. */
  'models.describe': channel(z.strictObject({ id: modelId }), modelOffer),
  /** Downloads it, or what is missing of it; cancelling keeps what has arrived. */
  'models.fetch': longChannel(z.strictObject({ id: modelId }), modelEntry, fetchProgress),
  /** Deletes a fetched model, or what has arrived of one, from this disk. */
  'models.remove': channel(z.strictObject({ id: modelId }), nothing),
};
