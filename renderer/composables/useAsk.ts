/** Calls the main process for a button; a failure appears in a notice that stays, with what to do about it. */
import { useToast } from '@nuxt/ui/composables/useToast';
import type { CallOptions } from '../../shared/client/index.js';
import type { ChannelName, Input, Output } from '../../shared/contract/index.js';
import type { Fault } from '../../shared/errors.js';
import { t } from '../messages/index.js';
import { useClient } from './useClient.js';

/** Notices of faults have ids with this prefix; only so many may lie over the page. */
const FAULT = 'fault ';
const MOST_FAULTS = 2;

export function useAsk() {
  const client = useClient();
  const toast = useToast();

  /** A fault's notice stays until it is dismissed, and appears only once. */
  const showFault = (fault: Fault) => {
    const title = t(fault.message) || t('app.failed');
    const id = `${FAULT}${title}`;
    const shownIds = toast.toasts.value.flatMap((one) => (String(one.id).startsWith(FAULT) ? [one.id] : []));
    for (const oldest of shownIds.filter((one) => one !== id).slice(0, 1 - MOST_FAULTS)) toast.remove(oldest);
    toast.add({
      id,
      title,
      description: t(fault.hint),
      color: 'error',
      icon: 'i-lucide-circle-alert',
      duration: 0,
    });
  };

  /** @returns null when the call failed; the user has seen the fault by then */
  async function ask<C extends ChannelName>(
    channel: C,
    input: Input<C>,
    options?: CallOptions<C>,
  ): Promise<Output<C> | null> {
    const reply = await client.call(channel, input, options);
    if (reply.ok) return reply.value;
    if (reply.fault.code !== 'stopped') showFault(reply.fault);
    return null;
  }

  return { ask, showFault };
}
