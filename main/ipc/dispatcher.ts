/** Dispatches calls: parses input and output by the contract, and always replies. */
import { localized } from '../../shared/messages/message.js';
import type { z } from 'zod';
import { contract, type ChannelName, type Reply } from '../../shared/contract/index.js';
import { stopped, toFault, type Fault } from '../../shared/errors.js';
import type { Caller } from './caller.js';
import type { CallContext, Handlers } from './handler.js';

interface DispatchOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: unknown) => void;
}

export interface Dispatcher {
  /** Never throws, never rejects. */
  dispatch(channel: string, payload: unknown, caller: Caller, options?: DispatchOptions): Promise<Reply<unknown>>;
}

/** @param onBug receives exceptions that are no faults, and answers that break the contract */
export function createDispatcher(handlers: Handlers, onBug: (channel: string, error: unknown) => void): Dispatcher {
  return {
    async dispatch(channel, payload, caller, { signal = never, onProgress } = {}) {
      if (!isChannel(channel)) return refusal(unknownChannel(channel));
      const { input, output, progress } = contract[channel];
      const parsed = input.safeParse(payload);
      if (!parsed.success) return refusal(badPayload(parsed.error));
      const handle = handlers[channel] as (input: unknown, context: CallContext) => unknown;
      try {
        const sendProgress = (value: unknown) => {
          if (progress !== null && onProgress) onProgress(progress.parse(value));
        };
        const answer = await handle(parsed.data, { caller, signal, progress: sendProgress });
        return { ok: true, value: output.parse(answer) };
      } catch (error) {
        const fault = toFault(error);
        if (fault.code !== 'internal') return refusal(fault);
        if (signal.aborted) return refusal(stopped);
        onBug(channel, error);
        return refusal(bug(fault));
      }
    },
  };
}

const never = new AbortController().signal;
const isChannel = (name: string): name is ChannelName => Object.hasOwn(contract, name);
const refusal = (fault: Fault): Reply<never> => ({ ok: false, fault });

const bug = (fault: Fault): Fault => ({
  ...fault,
  hint: localized('errors.bug_verisim_please_report_command'),
});

const unknownChannel = (channel: string): Fault => ({
  code: 'bad_input',
  message: localized('ipc.there_no_channel', { channel: JSON.stringify(channel.slice(0, 64)) }),
  hint: localized('ipc.window_program_different_versions_reload'),
});

/** The first thing that is wrong; `field` is the input's own key. */
function badPayload({ issues }: z.ZodError): Fault {
  const [issue] = issues;
  const [field] = issue?.path ?? [];
  const where = issue?.path.length ? `${issue.path.map(String).join('.').slice(0, 100)}: ` : '';
  return {
    code: 'bad_input',
    message: localized('ipc.not_acceptable', { where, message: issue?.message ?? '' }),
    hint: localized('ipc.change_value_try_again'),
    ...(field === undefined ? {} : { field: String(field).slice(0, 100) }),
  };
}
