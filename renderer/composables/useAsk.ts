/** Calls that a person makes with a button: what goes wrong is told in a notice that stays, with what to do about it. */
import { useToast } from '@nuxt/ui/composables/useToast';
import type { CallOptions } from '../../shared/client/index.js';
import type { ChannelName, Input, Output } from '../../shared/contract/index.js';
import type { Fault } from '../../shared/errors.js';
import { t } from '../messages/index.js';
import { windowWords } from '../wizard/window-words.js';
import { useClient } from './useClient.js';

/** How the notices of faults are told from others, and how many of them may lie over the page. */
const FAULT = 'fault ';
const MOST_FAULTS = 2;

export function useAsk() {
  const client = useClient();
  const toast = useToast();

  /** It stays until it was read: an error that leaves by itself may leave unseen. What is told already is not told twice. */
  const tellFault = (fault: Fault) => {
    const title = windowWords(fault.message) || t('app.failed');
    const id = `${FAULT}${title}`;
    const told = toast.toasts.value.flatMap((one) => (String(one.id).startsWith(FAULT) ? [one.id] : []));
    for (const oldest of told.filter((one) => one !== id).slice(0, 1 - MOST_FAULTS)) toast.remove(oldest);
    toast.add({
      id,
      title,
      description: windowWords(fault.hint),
      color: 'error',
      icon: 'i-lucide-circle-alert',
      duration: 0,
    });
  };

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
