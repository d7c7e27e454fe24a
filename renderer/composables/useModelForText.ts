/**
 * What a text suggests to start from: the models on offer, the text's facts, and the recommendation. The wizard has one, which
 * also replaces a starting model that was not trained on the language of a text that the user has just chosen.
 */
import { computed, watch } from 'vue';
import { languageTag } from '../../shared/messages/message.js';
import { isFamiliar, knowsLanguage, recommendBeginning, type BeginningFacts } from '../../shared/models/beginning.js';
import { modelTitle } from '../format/words.js';
import { t } from '../messages/index.js';
import type { DraftState } from './useDraft.js';
import { useFamiliarities } from './useFamiliarities.js';
import { useFormat } from './useFormat.js';
import { useModels } from './useModels.js';
import type { usePreview } from './usePreview.js';

export type ModelForText = ReturnType<typeof useModelForText>;

export function useModelForText(draft: DraftState, reading: ReturnType<typeof usePreview>) {
  const { preview, language } = reading;
  const hub = useModels();
  const familiarities = useFamiliarities(draft, reading, hub);
  const format = useFormat();
  const textOf = () => String(draft.given.value['data_path'] ?? '');
  const size = computed(() => draft.files.value.get(textOf())?.size ?? preview.value?.characters ?? null);

  const facts = computed<BeginningFacts>(() => ({
    models: hub.models.value,
    textBytes: size.value,
    language: language.value,
    familiarities: familiarities.value,
    isPrepared: draft.effective.value['input_mode'] === 'binary',
  }));
  /** Null until the models are listed. */
  const advice = computed(() => hub.listed.value && recommendBeginning(facts.value));
  /** The recommended model; null to start from scratch. */
  const advised = computed(() => hub.models.value.find(({ id }) => id === advice.value?.model) ?? null);
  /** The reason, in a sentence. */
  const because = computed(() =>
    advice.value
      ? t(`wizard.begin.because.${advice.value.because}`, {
          model: modelTitle(advised.value?.title ?? ''),
          text: format.bytes(size.value),
          memory: format.bytes(hub.listed.value?.memory),
          language: languageTag(language.value ?? 'und'),
        })
      : '',
  );
  /** The listed model that the draft starts from. */
  const current = computed(() => hub.models.value.find(({ init_from }) => init_from === draft.initialModel.value));

  /** A model chosen after this text is the user's decision. */
  let decided: string | undefined;
  watch(draft.loaded, () => (decided = textOf()), { immediate: true });
  watch([preview, advice], () => {
    if (!draft.loaded.value || preview.value === null || advice.value === null || textOf() === decided) return;
    decided = textOf();
    unread = current.value?.init_from ?? null;
    if (current.value !== undefined && !knowsLanguage(current.value.languages, language.value)) replace();
  });
  /** The model that a new text met, until it has read the text or the user has chosen another one. */
  let unread: string | null = null;
  watch([familiarities, draft.initialModel], () => {
    if (unread !== draft.initialModel.value) unread = null;
    const found = unread === null ? undefined : familiarities.value.get(unread);
    if (found === undefined) return;
    unread = null;
    if (!isFamiliar(found)) replace();
  });
  function replace(): void {
    // One that is to be downloaded first is recommended on the next page.
    const here = advised.value?.state === 'present' ? advised.value : null;
    draft.begin(here ? 'model' : 'nothing', here?.init_from ?? null);
  }

  return { hub, facts, advice, advised, because, current };
}
