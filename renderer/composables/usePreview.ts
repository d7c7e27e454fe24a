/** Loads a preview of text and settings whenever one of them changes, and cancels the previous request. */
import { useDebounceFn } from '@vueuse/core';
import { computed, onScopeDispose, ref, shallowRef, watch } from 'vue';
import type { PreviewView } from '../../shared/contract/drafts.js';
import type { Fault } from '../../shared/errors.js';
import { useClient } from './useClient.js';
import type { DraftState } from './useDraft.js';

/** The settings that the text's preview depends on. */
const dependsOn = [
  ...['init_from', 'critic_from', 'input_mode', 'data_path', 'text_field', 'keep', 'held_out', 'train_bin', 'val_bin'],
  ...['tokenization', 'vocab', 'n_layer', 'n_embd', 'meta_path', 'train_split'],
  ...['block_size', 'samples_per_chunk', 'reward_train_samples', 'reward_val_samples', 'seed', 'temperature', 'top_k'],
];

export function usePreview(draft: DraftState) {
  const client = useClient();
  /** Null also while it belongs to an earlier choice: outdated previews are not shown. */
  const preview = computed(() => (reading.value ? null : found.value));
  const found = shallowRef<PreviewView | null>(null);
  const fault = shallowRef<Fault | null>(null);
  const reading = ref(false);
  /** The text's language, also while a chosen model cannot read it because it is not downloaded yet. */
  const language = ref<string | null>(null);
  let current: AbortController | null = null;

  const hasText = () => {
    const { input_mode, data_path, train_bin, val_bin } = draft.effective.value;
    return input_mode === 'binary' ? Boolean(train_bin && val_bin) : Boolean(data_path);
  };

  async function read() {
    current?.abort();
    if (!draft.loaded.value || !hasText()) {
      found.value = null;
      fault.value = null;
      reading.value = false;
      return;
    }
    const mine = new AbortController();
    current = mine;
    reading.value = true;
    // The main process reads the saved draft: the last change must be stored first.
    if (draft.saving.value === 'waiting') await draft.save();
    const reply = await client.call('drafts.preview', { id: draft.id }, { signal: mine.signal });
    if (mine.signal.aborted) return;
    reading.value = false;
    fault.value = reply.ok ? null : reply.fault;
    found.value = reply.ok ? reply.value : null;
    if (reply.ok) language.value = reply.value.language;
    // Problems found in the text are listed from now on.
    void draft.lookAgain();
  }

  const readSoon = useDebounceFn(read, 400);
  watch(
    () => draft.effective.value['data_path'],
    () => (language.value = null),
  );
  watch(
    () => JSON.stringify([draft.loaded.value, ...dependsOn.map((key) => draft.effective.value[key])]),
    () => {
      // Busy from the choice on, not from when the request is sent.
      reading.value = draft.loaded.value && hasText();
      void readSoon();
    },
    { immediate: true },
  );
  onScopeDispose(() => current?.abort());
  return { preview, latest: found, language, fault, reading, read };
}
