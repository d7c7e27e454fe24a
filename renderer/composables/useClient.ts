/** Provides the one connection to the main process; the app injects it when it is mounted. */
import { inject, type InjectionKey } from 'vue';
import type { Client } from '../../shared/client/index.js';

export const clientKey: InjectionKey<Client> = Symbol('client');

export function useClient(): Client {
  const client = inject(clientKey);
  if (!client) throw new Error('no client was given to the app');
  return client;
}
