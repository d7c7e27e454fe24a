/**
 * What travels between a window and the main process, on every transport: calls with their progress and reply, and
 * topics with their messages. The frames are parsed here; what is in them is parsed by the contract.
 */
import { z } from 'zod';
import { replySchema } from '../contract/channel.js';

const callId = z.int().min(0);
const name = z.string().max(64);

export const clientMessageSchema = z.discriminatedUnion('type', [
  /** Asks something; `id` is the caller's own, and free again after the reply. */
  z.strictObject({ type: z.literal('call'), id: callId, channel: name, input: z.unknown() }),
  /** Ends a call early: its reply still comes, with the fault `stopped` or what there was by then. */
  z.strictObject({ type: z.literal('cancel'), id: callId }),
  z.strictObject({ type: z.literal('subscribe'), topic: name }),
  z.strictObject({ type: z.literal('unsubscribe'), topic: name }),
]);
export type ClientMessage = z.infer<typeof clientMessageSchema>;

export const serverMessageSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('progress'), id: callId, progress: z.unknown() }),
  z.strictObject({ type: z.literal('reply'), id: callId, reply: replySchema(z.unknown()) }),
  z.strictObject({ type: z.literal('message'), topic: name, message: z.unknown() }),
]);
export type ServerMessage = z.infer<typeof serverMessageSchema>;
