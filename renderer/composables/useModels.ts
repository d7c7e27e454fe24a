/** Lists the models that a project can start from, and downloads them with progress. */
import { computed, onScopeDispose, ref, shallowRef } from 'vue';
import type { FetchProgress, ModelEntry } from '../../shared/contract/models.js';
import { useAsk } from './useAsk.js';
import { useClient } from './useClient.js';
import { useLoaded } from './useLoaded.js';

export type ModelsState = ReturnType<typeof useModels>;

export function useModels() {
  const client = useClient();
  const { ask } = useAsk();
  const { value: listed, fault, reload } = useLoaded('models.list', () => ({}));
  onScopeDispose(client.subscribe('models.changed', () => void reload()));
  // Times depend on the machine's speed, which is measured after the start.
  onScopeDispose(client.subscribe('machine.changed', () => void reload()));
  const models = computed<readonly ModelEntry[]>(() => listed.value?.models ?? []);

  /** The id of the model being downloaded. */
  const fetching = ref<string | null>(null);
  const progress = shallowRef<FetchProgress | null>(null);
  const running = shallowRef<AbortController | null>(null);

  /** @returns null when it was cancelled or failed; the downloaded part is stored then */
  async function fetch(id: string): Promise<ModelEntry | null> {
    running.value = new AbortController();
    fetching.value = id;
    const onProgress = (update: FetchProgress) => (progress.value = update);
    const entry = await ask('models.fetch', { id }, { signal: running.value.signal, onProgress });
    fetching.value = progress.value = null;
    await reload();
    return entry;
  }
  onScopeDispose(() => running.value?.abort());

  return { listed, models, fault, reload, fetching, progress, fetch, cancel: () => running.value?.abort() };
}
