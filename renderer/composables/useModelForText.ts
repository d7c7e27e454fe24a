/** Replaces a starting model that was not trained on the language of a text that the user has just chosen. */
import { watch } from 'vue';
import { knowsLanguage, recommendBeginning } from '../../shared/models/beginning.js';
import type { DraftState } from './useDraft.js';
import { useModels } from './useModels.js';
import type { usePreview } from './usePreview.js';

export function useModelForText(draft: DraftState, { preview }: ReturnType<typeof usePreview>): void {
  const { models } = useModels();
  const textOf = () => draft.given.value['data_path'];
  // A model chosen after this text is the user's decision.
  const earlier = textOf();
  watch([preview, models], () => {
    const current = models.value.find(({ init_from }) => init_from === draft.initialModel.value);
    const language = preview.value?.language ?? null;
    if (textOf() === earlier || current === undefined || knowsLanguage(current.languages, language)) return;
    const facts = { models: models.value, language, isPrepared: false, textBytes: preview.value?.characters ?? null };
    const { model } = recommendBeginning(facts);
    // One that is to be downloaded first is recommended on the next page.
    const advised = models.value.find(({ id, state }) => id === model && state === 'present');
    draft.begin(advised ? 'model' : 'nothing', advised?.init_from ?? null);
  });
}
