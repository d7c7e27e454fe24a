/** Calls that a person makes with a button: what goes wrong is told in a toast, with what to do about it. */
import { useToast } from '@nuxt/ui/composables/useToast';
import type { CallOptions } from '../../shared/client/index.js';
import type { ChannelName, Input, Output } from '../../shared/contract/index.js';
import type { Fault } from '../../shared/errors.js';
import { strings } from '../strings/index.js';
import { windowWords } from '../wizard/window-words.js';
import { useClient } from './useClient.js';

export function useAsk() {
  const client = useClient();
  const toast = useToast();

  const tellFault = (fault: Fault) =>
    toast.add({
      title: windowWords(fault.message) || strings.app.failed,
      description: windowWords(fault.hint),
      color: 'error',
      icon: 'i-lucide-circle-alert',
      duration: 12_000,
    });

  /** @returns null when it did not work; the person has been told then */
  async function ask<C extends ChannelName>(
    channel: C,
    input: Input<C>,
    options?: CallOptions<C>,
  ): Promise<Output<C> | null> {
    const reply = await client.call(channel, input, options);
    if (reply.ok) return reply.value;
    if (reply.fault.code !== 'stopped') tellFault(reply.fault);
    return null;
  }

  return { ask, tellFault };
}
