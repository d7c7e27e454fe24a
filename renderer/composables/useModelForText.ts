/**
 * What a text suggests to start from: the models on offer, the text's facts, and the recommendation. The wizard has one, which
 * also makes it the start of a new project, and replaces a model that was not trained on the language of a new text.
 */
import { computed, watch } from 'vue';
import { useRoute } from 'vue-router';
import { machineShape, namedModels } from '../../shared/config/index.js';
import { criticModelPath } from '../../shared/config/scoring-models.js';
import { languageTag } from '../../shared/messages/message.js';
import { isFamiliar, knowsLanguage, recommendBeginning, type BeginningFacts } from '../../shared/models/beginning.js';
import { modelTitle } from '../format/words.js';
import { t } from '../messages/index.js';
import { plannedSettings, threeDigits } from '../wizard/plan.js';
import type { DraftState } from './useDraft.js';
import { useFamiliarities } from './useFamiliarities.js';
import { useFormat } from './useFormat.js';
import { useModels } from './useModels.js';
import type { usePreview } from './usePreview.js';

/** Settings that a new project has before its user has changed anything but text and time. */
const ofNewProject: readonly string[] = [
  ...[...namedModels, ...Object.keys(machineShape), ...plannedSettings],
  ...['data_path', 'text_field'],
];
const textOf = (draft: DraftState) => String(draft.given.value['data_path'] ?? '');

function useRecommendation(draft: DraftState, { preview, language }: ReturnType<typeof usePreview>) {
  const hub = useModels();
  const familiarities = useFamiliarities(draft, { preview }, hub);
  const format = useFormat();
  const size = computed(() => draft.files.value.get(textOf(draft))?.size ?? preview.value?.characters ?? null);
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
  /** Packed files have other sizes than their texts. */
  const lengthOfText = computed(() =>
    preview.value === null
      ? format.bytes(size.value)
      : t('wizard.begin.textLength', { characters: format.count(threeDigits(preview.value.characters)) }),
  );
  /** The reason, in a sentence. */
  const because = computed(() =>
    advice.value
      ? t(`wizard.begin.because.${advice.value.because}`, {
          model: modelTitle(advised.value?.title ?? ''),
          text: lengthOfText.value,
          memory: format.bytes(hub.listed.value?.memory),
          language: languageTag(language.value ?? 'und'),
        })
      : '',
  );
  return { hub, familiarities, facts, advice, advised, because };
}

export type ModelForText = ReturnType<typeof useModelForText>;

export function useModelForText(draft: DraftState, reading: ReturnType<typeof usePreview>) {
  const { preview, language } = reading;
  const { hub, familiarities, facts, advice, advised, because } = useRecommendation(draft, reading);
  /** The listed model that the draft starts from. */
  const current = computed(() => hub.models.value.find(({ init_from }) => init_from === draft.initialModel.value));

  /** The listed models that are to be downloaded before the start. */
  const missing = computed(() => {
    const named = [draft.initialModel.value, criticModelPath(draft.given.value)];
    return hub.models.value.filter(({ init_from, state }) => named.includes(init_from) && state !== 'present');
  });

  /** Without those that the start resolves by a download. */
  const problems = computed(() =>
    draft.problems.value.filter(
      ({ field, severity }) =>
        severity === 'warning' || !missing.value.some(({ init_from }) => init_from === draft.given.value[field ?? '']),
    ),
  );

  const isFollowed = computed(
    () => draft.way.value !== 'taught' && advised.value?.init_from === (draft.initialModel.value ?? undefined),
  );
  /** Starts as recommended; a model that is not here is downloaded at the start of training. */
  function follow() {
    if (!isFollowed.value) draft.begin(advised.value ? 'model' : 'nothing', advised.value?.init_from ?? null);
  }
  /** The text was chosen before the wizard was open. */
  const hasNewText = useRoute().query['text'] === 'new';
  /** Whether the start is the recommendation's to choose: in a new project, until the user chooses it. */
  let follows = false;
  /** A model chosen after this text is the user's decision. */
  let decided: string | undefined;
  watch(
    draft.loaded,
    () => {
      decided = hasNewText ? '' : textOf(draft);
      follows = draft.loaded.value && decided === '';
    },
    { immediate: true },
  );
  const isUntouched = () => Object.keys(draft.given.value).every((key) => ofNewProject.includes(key));
  watch([preview, advice], () => {
    if (!draft.loaded.value || preview.value === null || advice.value === null) return;
    if (follows && isUntouched()) return follow();
    if (textOf(draft) === decided) return;
    decided = textOf(draft);
    unread = current.value?.init_from ?? null;
    if (current.value !== undefined && !knowsLanguage(current.value.languages, language.value)) follow();
  });
  /** The model that a new text met, until it has read the text or the user has chosen another one. */
  let unread: string | null = null;
  watch([familiarities, draft.initialModel], () => {
    if (unread !== draft.initialModel.value) unread = null;
    const found = unread === null ? undefined : familiarities.value.get(unread);
    if (found === undefined) return;
    unread = null;
    if (!isFamiliar(found)) follow();
  });

  const leaveToUser = () => (follows = false);
  return { hub, facts, advice, advised, because, current, missing, problems, isFollowed, follow, leaveToUser };
}
