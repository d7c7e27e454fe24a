/**
 * Holds the project being set up: saves every change and checks it while the user types. Problems name their field and
 * offer their fix. The wizard has one instance, which its parts inject.
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
import { plannedSettings } from '../wizard/plan.js';
import { decidedByModel, tuneSettings } from '../wizard/steps.js';
import { effectiveSettings, mergedProblems, standardSettings, typedProblems } from '../wizard/problems.js';
import { useClient } from './useClient.js';

/** The model to start from: train one further, distil one into a small new one, or none. */
export type Way = 'model' | 'taught' | 'nothing';

/** Settings of how text is cut into tokens; an initial model brings its own. */
const tokenSettings = ['tokenization', 'meta_path', 'tokenizer_path'];

/** Milliseconds between the last keystroke and saving. */
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
  /** Settings changed since the last check, each with the number of its last change. */
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
  /** @param upTo the last change that the check includes */
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
    // Changes made during the check still wait.
    if (upTo === changes) saving.value = reply.ok ? 'kept' : 'failed';
    if (!reply.ok) return;
    keptName = reply.value.name;
    remember(reply.value.files);
    await runCheck(upTo);
  }
  /** Checks the saved draft again, as files may have come or gone; nothing else changes. */
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

/** Derives the complete settings and their problems. */
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
  /** The value of `init_from`; null for a new model. */
  const initialModel = computed(() => initialModelPath(given.value));
  const way = computed<Way>(() =>
    initialModel.value !== null ? 'model' : criticModelPath(given.value) === null ? 'nothing' : 'taught',
  );
  /** Settings whose value is not the preset's. */
  const changed = computed(() =>
    Object.entries(effective.value).flatMap(([key, value]) =>
      value === standard.value[key] || (initialModel.value !== null && decidedByModel.includes(key)) ? [] : [key],
    ),
  );
  return { effective, standard, changed, problems, problemsOf, errors, initialModel, way };
}

interface EditsOptions {
  readonly name: Ref<string>;
  readonly preset: Ref<string>;
  readonly given: Ref<GivenSettings>;
  readonly files: Ref<ReadonlyMap<string, FileInfo>>;
  remember(files: readonly FileInfo[]): void;
  /** These settings changed and need saving. */
  touched(keys: readonly string[]): void;
}

/** The name of a text without its format's and packing's endings: `notes.jsonl.gz` becomes `notes`. */
export const nameOfText = ({ name, kind }: FileInfo): string =>
  (kind === 'folder' ? name : name.replace(/(\.[a-z]\w{0,6}){1,2}$/iu, '')) || name;

/** The user's ways to change the settings. */
function createEdits({ name, preset, given, files, remember, touched }: EditsOptions) {
  /** Sets a value; `undefined` resets it to the default, spelled out if the preset has another value. */
  function set(key: string, value: FixValue | undefined) {
    const { [key]: _before, ...rest } = given.value;
    const standard = standardSettings(preset.value, rest)[key] as FixValue;
    const isStandard = value === undefined && effectiveSettings(preset.value, rest)[key] === standard;
    given.value = isStandard ? rest : { ...rest, [key]: value === undefined ? standard : value };
    touched([key]);
  }

  /** A project without a name takes that of its text. */
  function setFile(key: string, file: FileInfo) {
    remember([file]);
    const before = files.value.get(String(given.value['data_path'] ?? ''));
    const isUnnamed = name.value === t('wizard.title') || name.value === (before && nameOfText(before));
    if (key === 'data_path' && isUnnamed) name.value = nameOfText(file);
    set(key, file.handle);
    // They name a column, a speaker or a file of the text before.
    for (const name of key === 'data_path' ? ['text_field', 'held_out'] : [])
      if (name in given.value) set(name, undefined);
  }

  function apply(fix: Fix) {
    for (const [key, value] of Object.entries(fix.set ?? {})) set(key, value);
    for (const key of fix.unset ?? []) set(key, undefined);
  }

  /** A preset replaces the values of its settings, but not the tokenization, which has its own page. */
  function choosePreset(wanted: string) {
    const theirs = Object.keys(presetValues(projectShape, wanted)).filter((key) => !tokenSettings.includes(key));
    given.value = Object.fromEntries(Object.entries(given.value).filter(([key]) => !theirs.includes(key)));
    preset.value = wanted;
    touched(theirs);
  }

  /**
   * Chooses the initial model or teacher, with the settings that suit it. Clears settings of another way: a model
   * determines its network and the tokens of its student.
   */
  function begin(way: Way, model: string | null, file?: FileInfo) {
    if (file) remember([file]);
    const isModel = way === 'model';
    const wanted = isModel ? pretrainedPreset : usualPreset;
    const isOtherWay = wanted !== preset.value && isModel !== (initialModelPath(given.value) !== null);
    const dropped = new Set([
      ...namedModels,
      ...(isOtherWay ? Object.keys({ ...presetValues(projectShape, wanted), ...modelShape }) : []),
      ...(isModel ? [] : tuneSettings),
      // Another way has another plan: with a teacher cycles are the point, and without one they hardly pay.
      ...(isOtherWay || (way === 'taught') !== (criticModelPath(given.value) !== null) ? plannedSettings : []),
      ...(way === 'nothing' ? [] : tokenSettings),
    ]);
    const rest = Object.entries(given.value).filter(([key]) => !dropped.has(key));
    const named = way === 'nothing' || model === null ? {} : { [isModel ? 'init_from' : 'critic_from']: model };
    given.value = { ...Object.fromEntries(rest), ...named };
    if (isOtherWay) preset.value = wanted;
    touched([...dropped]);
  }

  /** Chooses the larger model that teaches the initial one; null for none. */
  function teach(model: string | null, file?: FileInfo) {
    if (file) remember([file]);
    set('critic_from', model ?? undefined);
  }

  return { set, setFile, apply, choosePreset, begin, teach };
}
