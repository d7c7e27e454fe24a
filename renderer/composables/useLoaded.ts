/**
 * Loads a screen's content when it opens, when its input changes and when the connection returns. It is loading, there,
 * or failed with a fault; content stays visible while it is loaded again.
 */
import { onScopeDispose, ref, shallowRef, watch, type ShallowRef } from 'vue';
import type { ChannelName, Input, Output } from '../../shared/contract/index.js';
import type { Fault } from '../../shared/errors.js';
import { useClient } from './useClient.js';

interface Loaded<T> {
  readonly value: ShallowRef<T | null>;
  readonly fault: ShallowRef<Fault | null>;
  readonly loading: Readonly<ShallowRef<boolean>>;
  readonly reload: () => Promise<void>;
}

/** @param input the request; null sends none yet */
export function useLoaded<C extends ChannelName>(channel: C, input: () => Input<C> | null): Loaded<Output<C>> {
  const client = useClient();
  const value = shallowRef(null) as ShallowRef<Output<C> | null>;
  const fault = shallowRef<Fault | null>(null);
  const loading = ref(false);
  let latest = 0;

  async function reload() {
    const given = input();
    const mine = ++latest;
    loading.value = given !== null;
    if (given === null) {
      value.value = null;
      return;
    }
    const reply = await client.call(channel, given);
    // A later request has been sent meanwhile: its answer counts.
    if (mine !== latest) return;
    loading.value = false;
    if (reply.ok) {
      value.value = reply.value;
      fault.value = null;
    } else if (reply.fault.code !== 'stopped') fault.value = reply.fault;
  }

  watch(() => JSON.stringify(input()), reload, { immediate: true });
  onScopeDispose(
    client.onState((state) => state === 'connected' && (value.value ?? fault.value) !== null && void reload()),
  );
  return { value, fault, loading, reload };
}
