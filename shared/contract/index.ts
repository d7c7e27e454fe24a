/** The contract between the window and the main process: every channel and topic, each declared once. */
import type { z } from 'zod';
import { draftChannels } from './drafts.js';
import { endpointChannels } from './endpoint.js';
import { fileChannels } from './files.js';
import { machineChannels } from './machine.js';
import { modelChannels } from './models.js';
import { projectChannels } from './projects.js';
import { ratingChannels } from './ratings.js';
import { runChannels } from './runs.js';
import { writingChannels } from './writing.js';

export * from './channel.js';
export * from './topics.js';

export const contract = {
  ...machineChannels,
  ...endpointChannels,
  ...fileChannels,
  ...draftChannels,
  ...modelChannels,
  ...projectChannels,
  ...runChannels,
  ...ratingChannels,
  ...writingChannels,
};

type Contract = typeof contract;
export type ChannelName = keyof Contract;
export const channelNames = Object.keys(contract) as ChannelName[];

export type Input<C extends ChannelName> = z.input<Contract[C]['input']>;
export type ParsedInput<C extends ChannelName> = z.output<Contract[C]['input']>;
export type Output<C extends ChannelName> = z.output<Contract[C]['output']>;
export type Progress<C extends ChannelName> =
  NonNullable<Contract[C]['progress']> extends infer P extends z.ZodType ? z.output<P> : never;
