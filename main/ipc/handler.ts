/** What answers a channel: takes the parsed input, returns the output or throws a UserError. */
import type { ChannelName, Output, ParsedInput, Progress } from '../../shared/contract/index.js';
import type { Caller } from './caller.js';

export interface CallContext<C extends ChannelName = ChannelName> {
  readonly caller: Caller;
  readonly signal: AbortSignal;
  progress(value: Progress<C>): void;
}

export type Handler<C extends ChannelName> = (
  input: ParsedInput<C>,
  context: CallContext<C>,
) => Output<C> | Promise<Output<C>>;

/** One for every channel; a part of them where they are made, noun by noun. */
export type Handlers<C extends ChannelName = ChannelName> = { readonly [Name in C]: Handler<Name> };

/** The channels of one group of the contract. */
export type Named<Group> = Extract<keyof Group, ChannelName>;
