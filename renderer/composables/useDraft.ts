/**
 * A project that is being set up: every change is kept at once and checked as one types; problems name their field and
 * are mended by their fix. One instance for the whole wizard, handed to its parts with provide and inject.
 */
import { useDebounceFn } from '@vueuse/core';
import { computed, inject, onScopeDispose, ref, shallowRef, watch, type InjectionKey, type Ref } from 'vue';
import type { Problem } from '../../shared/config/checks.js';
import { presetValues } from '../../shared/config/resolve.js';
import { modelShape, pretrainedPreset, projectShape, usualPreset } from '../../shared/config/index.js';
import { initialModelPath, namedModels } from '../../shared/config/init.js';
import { criticModelPath } from '../../shared/config/scoring-models.js';
import type { FixValue, Fix } from '../../shared/config/fixes.js';
import type { Output } from '../../shared/contract/index.js';
import type { FileInfo, GivenSettings } from '../../shared/contract/values.js';
import type { Fault } from '../../shared/errors.js';
import { t } from '../messages/index.js';
import { askedOfModels } from '../wizard/steps.js';
import { effectiveSettings, mergedProblems, standardSettings, typedProblems } from '../wizard/problems.js';
import { useClient } from './useClient.js';

/** A model that can write is trained further, or teaches a small one that starts from scratch; or there is none. */
export type Way = 'model' | 'taught' | 'nothing';

/** How a text is cut into tokens: a model that is begun from has its own way. */
const tokenSettings = ['tokenization', 'meta_path', 'tokenizer_path'];

/** Between the last keystroke and keeping what was typed. */
const SAVE_DELAY = 250;

export type DraftState = ReturnType<typeof createDraftState>;
export const draftKey: InjectionKey<DraftState> = Symbol('draft');

export function useDraft(): DraftState {
  const draft = inject(draftKey);
  if (!draft) throw new Error('no draft is open here');
  return draft;
}

export function createDraftState(id: string) {
  const client = useClient();
  const loaded = ref(false);
  const fault = shallowRef<Fault | null>(null);
  const name = ref('');
  let keptName = '';
  const preset = ref<string>(usualPreset);
  const given = ref<GivenSettings>({});
  const files = ref(new Map<string, FileInfo>());
  const check = shallowRef<Output<'drafts.check'> | null>(null);
  /** Settings that were changed since they were last checked, each with the number of its last change. */
  const changedSince = ref(new Map<string, number>());
  let changes = 0;
  const saving = ref<'kept' | 'waiting' | 'failed'>('kept');

  async function load() {
    const reply = await client.call('drafts.get', { id });
    fault.value = reply.ok ? null : reply.fault;
    if (!reply.ok) return;
    keptName = name.value = reply.value.name;
    preset.value = reply.value.preset;
    given.value = { ...reply.value.given };
    remember(reply.value.files);
    loaded.value = true;
    await runCheck(changes);
  }

  const remember = (infos: readonly FileInfo[]) => {
    for (const info of infos) files.value.set(info.handle, info);
  };

  let latestCheck = 0;
  /** @param upTo the last change that is in what is checked */
  async function runCheck(upTo: number) {
    const mine = ++latestCheck;
    const reply = await client.call('drafts.check', { id });
    if (mine !== latestCheck || !reply.ok) return;
    check.value = reply.value;
    for (const [field, change] of changedSince.value) if (change <= upTo) changedSince.value.delete(field);
  }

  async function save() {
    if (!loaded.value) return;
    const upTo = changes;
    const named = name.value.trim() === '' ? {} : { name: name.value.trim() };
    const reply = await client.call('drafts.save', { id, ...named, preset: preset.value, given: given.value });
    // What was changed meanwhile still waits.
    if (upTo === changes) saving.value = reply.ok ? 'kept' : 'failed';
    if (!reply.ok) return;
    keptName = reply.value.name;
    remember(reply.value.files);
    await runCheck(upTo);
  }
  /** Files come and go without a word from this page: what is kept is checked again, and nothing else changes. */
  const lookAgain = async () => loaded.value && saving.value === 'kept' && runCheck(changes);
  const saveSoon = useDebounceFn(save, SAVE_DELAY);
  const touched = (keys: readonly string[] = []) => {
    changes++;
    for (const key of keys) changedSince.value.set(key, changes);
    saving.value = 'waiting';
    void saveSoon();
  };

  const edits = createEdits({ name, preset, given, files, remember, touched });

  const keepStep = (step: string) => void client.call('drafts.save', { id, step });
  watch(name, (now) => loaded.value && now !== keptName && touched());

  const judged = createProblems(preset, given, check, changedSince);

  void load();
  onScopeDispose(() => {
    if (saving.value === 'waiting') void save();
  });

  return {
    ...{ id, loaded, fault, name, preset, given, files, check, saving },
    ...{ load, save, lookAgain, keepStep, ...edits, ...judged },
  };
}

/** The settings in full, and what is wrong with them. */
function createProblems(
  preset: Ref<string>,
  given: Ref<GivenSettings>,
  check: Ref<Output<'drafts.check'> | null>,
  changedSince: Ref<ReadonlyMap<string, number>>,
) {
  const effective = computed(() => effectiveSettings(preset.value, given.value));
  const standard = computed(() => standardSettings(preset.value, given.value));
  const problems = computed(() => {
    const answered = (check.value?.problems ?? []) as readonly Problem[];
    return mergedProblems(typedProblems(preset.value, given.value), answered, changedSince.value);
  });
  const problemsOf = (field: string) => problems.value.filter((problem) => problem.field === field);
  const errors = computed(() => problems.value.filter(({ severity }) => severity === 'error'));
  /** What `init_from` holds; null: from nothing. */
  const initialModel = computed(() => initialModelPath(given.value));
  const way = computed<Way>(() =>
    initialModel.value !== null ? 'model' : criticModelPath(given.value) === null ? 'nothing' : 'taught',
  );
  return { effective, standard, problems, problemsOf, errors, initialModel, way };
}

interface EditsOptions {
  readonly name: Ref<string>;
  readonly preset: Ref<string>;
  readonly given: Ref<GivenSettings>;
  readonly files: Ref<ReadonlyMap<string, FileInfo>>;
  remember(files: readonly FileInfo[]): void;
  /** These settings were changed, and are to be kept. */
  touched(keys: readonly string[]): void;
}

/** Without what says how it is written and packed: `notes.jsonl.gz` are notes. */
const nameOfText = ({ name, kind }: FileInfo): string =>
  (kind === 'folder' ? name : name.replace(/(\.[a-z]\w{0,6}){1,2}$/iu, '')) || name;

/** What a person can change about the settings. */
function createEdits({ name, preset, given, files, remember, touched }: EditsOptions) {
  /** `undefined` takes what was given back, so that the standard counts again: said where the preset has another for its model. */
  function set(key: string, value: FixValue | undefined) {
    const { [key]: _before, ...rest } = given.value;
    const standard = standardSettings(preset.value, rest)[key] as FixValue;
    const isStandard = value === undefined && effectiveSettings(preset.value, rest)[key] === standard;
    given.value = isStandard ? rest : { ...rest, [key]: value === undefined ? standard : value };
    touched([key]);
  }

  /** A project that nobody named is called as its text is. */
  function setFile(key: string, file: FileInfo) {
    remember([file]);
    const before = files.value.get(String(given.value['data_path'] ?? ''));
    const isUnnamed = name.value === t('wizard.title') || name.value === (before && nameOfText(before));
    if (key === 'data_path' && isUnnamed) name.value = nameOfText(file);
    set(key, file.handle);
  }

  function apply(fix: Fix) {
    for (const [key, value] of Object.entries(fix.set ?? {})) set(key, value);
    for (const key of fix.unset ?? []) set(key, undefined);
  }

  /**
   * A preset sets everything that belongs to it: what was typed over those settings is taken back, but not how the text is
   * cut, which was chosen on a page of its own.
   */
  function choosePreset(wanted: string) {
    const theirs = Object.keys(presetValues(projectShape, wanted)).filter((key) => !tokenSettings.includes(key));
    given.value = Object.fromEntries(Object.entries(given.value).filter(([key]) => !theirs.includes(key)));
    preset.value = wanted;
    touched(theirs);
  }

  /**
   * What training begins from, and the model that this takes. With the settings that suit it, and without what was said for
   * another way: a model decides its network, and the tokens of what it teaches.
   */
  function begin(way: Way, model: string | null, file?: FileInfo) {
    if (file) remember([file]);
    const isModel = way === 'model';
    const wanted = isModel ? pretrainedPreset : usualPreset;
    const isOtherWay = wanted !== preset.value && isModel !== (initialModelPath(given.value) !== null);
    const dropped = new Set([
      ...namedModels,
      ...(isOtherWay ? Object.keys({ ...presetValues(projectShape, wanted), ...modelShape }) : []),
      ...(isModel ? [] : askedOfModels),
      ...(way === 'nothing' ? [] : tokenSettings),
    ]);
    const rest = Object.entries(given.value).filter(([key]) => !dropped.has(key));
    const named = way === 'nothing' || model === null ? {} : { [isModel ? 'init_from' : 'critic_from']: model };
    given.value = { ...Object.fromEntries(rest), ...named };
    if (isOtherWay) preset.value = wanted;
    touched([...dropped]);
  }

  /** A larger model that teaches the one that training begins from; null for none. */
  function teach(model: string | null, file?: FileInfo) {
    if (file) remember([file]);
    set('critic_from', model ?? undefined);
  }

  return { set, setFile, apply, choosePreset, begin, teach };
}
