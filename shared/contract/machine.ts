/** Channels about the app and the computer it runs on. */
import { z } from 'zod';
import { messageSchema } from '../messages/message.js';
import { chartAxes } from '../base/axes.js';
import { channel, nothing } from './channel.js';
import { measured } from '../base/measured.js';
import { fileHandle } from './values.js';

export const machineSchema = z.strictObject({
  platform: z.string(),
  processor: z.string(),
  cores: z.int(),
  memory_total: z.number(),
  memory_free: z.number(),
  disk_free: z.number(),
  /** `starting` until the trainer has loaded TensorFlow for the first time. */
  runtime: z.enum(['starting', 'tensorflow', 'wasm', 'webgpu']),
  tensorflow: z.string().nullable(),
  device: z.enum(['cpu', 'cuda', 'webgpu']).nullable(),
  /** Measured f32 matrix products, billions of operations a second. */
  gflops: measured,
  /** The same in bfloat16; null if wide models do not train in it by default. */
  gflops_bf16: measured,
  /** The graphics card for WebGPU, once measured, and how many times as fast as the processor it is. */
  card: z.strictObject({ name: z.string(), times: z.number() }).nullable(),
  notice: messageSchema.nullable(),
});
export type Machine = z.infer<typeof machineSchema>;

export const settingsSchema = z.strictObject({
  theme: z.enum(['system', 'light', 'dark']),
  device: z.enum(['auto', 'cpu', 'cuda', 'webgpu']),
  threads: z.int().min(1).max(1024).nullable(),
  precision: z.enum(['auto', 'f32', 'bf16']),
  log_level: z.enum(['error', 'warning', 'info', 'debug']),
  /** `system` or a language; one whose catalogue is gone counts as `system`. */
  language: z.string(),
  /** BCP 47, for numbers and dates; null: the system's. */
  locale: z.string().max(35).nullable(),
  keep_awake: z.enum(['while_training', 'never']),
  chart_axis: z.enum(chartAxes),
  /** Whether other programs on this computer can use the models. */
  endpoint: z.boolean(),
});
export type Settings = z.infer<typeof settingsSchema>;

export const defaultSettings: Settings = {
  theme: 'system',
  device: 'auto',
  threads: null,
  precision: 'auto',
  log_level: 'info',
  language: 'system',
  locale: null,
  keep_awake: 'while_training',
  chart_axis: 'step',
  endpoint: false,
};

export const machineChannels = {
  'app.info': channel(
    nothing,
    z.strictObject({
      version: z.string(),
      transport: z.enum(['electron', 'browser']),
      platform: z.string(),
      projects_folder: z.string(),
      licences: z.array(z.strictObject({ name: z.string(), licence: z.string() })),
      checks_for_updates: z.boolean(),
    }),
  ),
  'app.checkForUpdates': channel(nothing, nothing),
  /** Text for a bug report, without file contents and the home folder's name. */
  'app.diagnostics': channel(nothing, z.strictObject({ text: z.string() })),
  'machine.describe': channel(nothing, machineSchema),
  'settings.get': channel(nothing, settingsSchema),
  'settings.set': channel(settingsSchema.partial(), settingsSchema),
  /** In a browser, `folder` was browsed to; null if the dialog was cancelled. */
  'settings.chooseProjectsFolder': channel(
    z.strictObject({ folder: fileHandle.optional() }),
    z.strictObject({ folder: z.string().nullable() }),
  ),
};
