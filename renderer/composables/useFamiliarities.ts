/** Loads how well the models that are here predict the draft's text before training, in the background. */
import { onScopeDispose, shallowRef, watch } from 'vue';
import type { Familiarity } from '../../shared/contract/drafts.js';
import { useClient } from './useClient.js';
import type { DraftState } from './useDraft.js';
import type { ModelsState } from './useModels.js';
import type { usePreview } from './usePreview.js';

export function useFamiliarities(
  draft: DraftState,
  { preview }: Pick<ReturnType<typeof usePreview>, 'preview'>,
  { models }: Pick<ModelsState, 'models'>,
) {
  const client = useClient();
  /** By `init_from`; empty while an earlier text was measured. */
  const found = shallowRef<ReadonlyMap<string, Familiarity>>(new Map());
  let current = new AbortController();
  let [measured, text] = ['', ''];

  async function measure(): Promise<void> {
    const { data_path, text_field, input_mode, train_bin } = draft.effective.value;
    const present = models.value.flatMap(({ state, init_from }) => (state === 'present' ? [init_from] : []));
    const texts = JSON.stringify([data_path, text_field, input_mode, train_bin]);
    // The chosen model may be the user's own.
    const wanted = JSON.stringify([texts, ...new Set([...present, draft.initialModel.value])]);
    if (texts !== text) found.value = new Map();
    if (preview.value === null || wanted === measured) return;
    [measured, text] = [wanted, texts];
    current.abort();
    const { signal } = (current = new AbortController());
    const onProgress = (one: Familiarity) => {
      if (!signal.aborted) found.value = new Map([...found.value, [one.init_from, one]]);
    };
    await client.call('drafts.familiarity', { id: draft.id }, { signal, onProgress });
    // What is found may be a problem of the chosen model.
    if (!signal.aborted) void draft.lookAgain();
  }

  watch([preview, models], () => void measure());
  onScopeDispose(() => current.abort());
  return found;
}
