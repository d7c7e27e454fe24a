/** The writing page's document, the continuations on offer, and what the user chose; everything is saved as it changes. */
import { computed, onScopeDispose, ref, shallowRef, watch, type Ref } from 'vue';
import { firstWords } from '../../shared/base/words-of.js';
import type { ParsedInput } from '../../shared/contract/index.js';
import { MOST_CONTEXT, type Learned, type Stretch } from '../../shared/contract/writing.js';
import type { TasteFeature } from '../../shared/writing-taste.js';
import type { Fault } from '../../shared/errors.js';
import { useAsk } from './useAsk.js';
import { useClient } from './useClient.js';

const SAVE_AFTER_MILLISECONDS = 400;
/** Characters by which the beginning of what a model is given moves. */
const CONTEXT_STEP = MOST_CONTEXT / 2;

export type Drawing = Omit<ParsedInput<'writing.continue'>, 'project' | 'model' | 'before' | 'seed'>;

/** Draws a seed, so that a model writes something else. */
const newSeed = (): number => crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;

/** Random; `randomUUID` is missing on addresses without TLS. */
const newPickId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** The models that continue, one or two; blind ones are named only once a continuation is kept. */
interface Writers {
  readonly names: readonly string[];
  readonly blind: boolean;
}

/** Draws the order of two blind models, so that neither the places nor the one that writes first gives them away. */
const placed = ({ names, blind }: Writers): Writers =>
  blind && newSeed() % 2 === 1 ? { names: [...names].reverse(), blind } : { names, blind };

/** Continuations of the text before the cursor. */
interface Offer {
  readonly before: string;
  /** Of each text, the model that writes it. */
  readonly models: readonly string[];
  readonly blind: boolean;
  readonly drawing: Drawing;
  readonly texts: readonly string[];
  /** Of each, what occurs in the training text word for word. */
  readonly copied: readonly (readonly Stretch[])[];
  /** False while they are written; what was stopped is not compared. */
  readonly whole: boolean;
  /** The place of the one that the choices so far speak for. */
  readonly favourite: number | null;
}

/** A project's document: loaded, and saved soon after each change and whenever the page is left. */
function useDocument(project: Ref<string | null>) {
  const { ask } = useAsk();
  const text = ref('');
  const keepsPicks = ref(true);
  const ignored = ref<readonly TasteFeature[]>([]);
  const learned = shallowRef<Learned>({ picks: 0, choices: 0, preferences: [], guessed: null });
  const loaded = ref(false);
  const unsaved = ref(false);
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function open(id: string) {
    const opened = await ask('writing.open', { project: id });
    if (opened === null || project.value !== id) return;
    [text.value, keepsPicks.value, ignored.value] = [opened.text, opened.keeps_picks, opened.ignored];
    learned.value = opened;
    [unsaved.value, loaded.value] = [false, true];
  }
  async function save(id = project.value) {
    clearTimeout(timer);
    if (!loaded.value || !unsaved.value || id === null) return;
    unsaved.value = false;
    const saved = { text: text.value, keeps_picks: keepsPicks.value, ignored: [...ignored.value] };
    if (!(await ask('writing.save', { project: id, ...saved }))) unsaved.value = true;
  }
  const saveNow = () => void save();
  watch(
    project,
    async (id, before) => {
      await save(before ?? null);
      loaded.value = false;
      if (id !== null) await open(id);
    },
    { immediate: true },
  );
  /** Notes that the user changed the text or the switch. */
  function changed() {
    unsaved.value = true;
    clearTimeout(timer);
    timer = setTimeout(saveNow, SAVE_AFTER_MILLISECONDS);
  }
  window.addEventListener('pagehide', saveNow);
  onScopeDispose(() => {
    window.removeEventListener('pagehide', saveNow);
    saveNow();
  });
  /** Lets a feature count, or no longer. */
  async function setIgnored(feature: TasteFeature, isIgnored: boolean) {
    ignored.value = [...ignored.value.filter((other) => other !== feature), ...(isIgnored ? [feature] : [])];
    unsaved.value = true;
    await save();
    if (project.value !== null)
      learned.value = (await ask('writing.learned', { project: project.value })) ?? learned.value;
  }
  return { text, keepsPicks, ignored, learned, loaded, unsaved, changed, setIgnored };
}

/** Asks one model for continuations, or two for one each; they appear as they are written. */
function useOffer(project: Ref<string | null>, writers: () => Writers) {
  const client = useClient();
  const writing = ref(false);
  const fault = shallowRef<Fault | null>(null);
  const offer = shallowRef<Offer | null>(null);
  let running: AbortController | null = null;

  /** A stable beginning of what a model is given, which it need not read again when the text grows. */
  const contextOf = (before: string) =>
    before.slice(Math.ceil(Math.max(0, before.length - MOST_CONTEXT) / CONTEXT_STEP) * CONTEXT_STEP);

  /** Lets the model load and read the text while the user types. */
  async function prepare(before: string, drawing: Drawing) {
    const [id, [model, other]] = [project.value, writers().names];
    if (id === null || model === undefined || other !== undefined || writing.value || offer.value !== null) return;
    running?.abort();
    running = new AbortController();
    const request = { project: id, model, before: contextOf(before), ...drawing, count: 0, seed: 0 };
    await client.call('writing.continue', request, { signal: running.signal });
  }
  async function write(before: string, drawing: Drawing) {
    const { names, blind } = placed(writers());
    const [id, seed] = [project.value, newSeed()];
    if (id === null || names.length === 0) return;
    stop();
    const mine = new AbortController();
    running = mine;
    const count = names.length > 1 ? 1 : drawing.count;
    const models = names.flatMap((name) => new Array<string>(count).fill(name));
    let [texts, copied] = [models.map(() => ''), models.map((): readonly Stretch[] => [])];
    const show = (shown: Partial<Offer>) => {
      const whole = { before, models, blind, drawing, texts, copied, whole: false, favourite: null };
      if (running === mine) offer.value = { ...whole, ...shown };
    };
    [fault.value, writing.value] = [null, true];
    show({});
    for (const [at, model] of names.entries()) {
      const inPlace = <T>(all: readonly T[], part: readonly T[]) => [
        ...all.slice(0, at * count),
        ...part,
        ...all.slice((at + 1) * count),
      ];
      const reply = await client.call(
        'writing.continue',
        { project: id, model, before: contextOf(before), ...drawing, count, seed },
        {
          signal: mine.signal,
          onProgress: ({ texts: written, copied: found }) =>
            show({
              texts: inPlace(texts, written),
              ...(found && { copied: inPlace(copied, found), whole: at === names.length - 1 }),
            }),
        },
      );
      if (running !== mine) return;
      if (!reply.ok) {
        writing.value = false;
        if (reply.fault.code !== 'stopped') [fault.value, offer.value] = [reply.fault, null];
        return;
      }
      [texts, copied] = [inPlace(texts, reply.value.texts), inPlace(copied, reply.value.copied)];
      const whole = at === names.length - 1 && !mine.signal.aborted;
      show({ whole, favourite: names.length > 1 ? null : reply.value.favourite });
      if (mine.signal.aborted) break;
    }
    writing.value = false;
  }
  function stop() {
    running?.abort();
    writing.value = false;
  }
  const dismiss = () => {
    stop();
    running = null;
    offer.value = null;
  };
  watch(project, dismiss);
  onScopeDispose(stop);
  return { writing, fault, offer, prepare, write, stop, dismiss };
}

/** A continuation that was inserted; `models` are the one that wrote it and the other, if they were not named before. */
interface Inserted {
  readonly at: number;
  readonly text: string;
  readonly pick: string | null;
  readonly models: readonly [kept: string, other: string] | null;
}

export function useWriting(project: Ref<string | null>, writers: () => Writers) {
  const { ask } = useAsk();
  const document = useDocument(project);
  const offers = useOffer(project, writers);
  const { text, keepsPicks, learned, changed } = document;
  /** The continuation that was inserted last. */
  const inserted = shallowRef<Inserted | null>(null);
  watch(project, () => (inserted.value = null));

  /** Keeps one continuation, or its first words. @returns what is to be inserted at the cursor */
  async function keep(index: number, words = Infinity): Promise<string> {
    const current = offers.offer.value;
    const chosen = current?.texts[index] ?? '';
    if (current === null || chosen === '') return '';
    offers.dismiss();
    const kept = firstWords(chosen, words);
    const isPick = keepsPicks.value && current.whole && current.texts.length > 1;
    const id = newPickId();
    const isOther = (_: string, other: number) => other !== index;
    const [model = '', other_models] = [current.models[index], current.models.filter(isOther)];
    const models = current.blind ? ([model, other_models[0] ?? ''] as const) : null;
    inserted.value = { at: current.before.length, text: kept, pick: isPick ? id : null, models };
    if (isPick && project.value !== null) {
      const { count: _count, words: _words, ...rule } = current.drawing;
      const others = current.texts.filter(isOther);
      const context = current.before.slice(-MOST_CONTEXT);
      const pick = { id, context, kept, chosen, others, model, other_models, blind: current.blind, ...rule };
      const stored = await ask('writing.pick', { project: project.value, pick });
      if (stored !== null) learned.value = stored;
    }
    return kept;
  }

  const canUndo = computed(() => {
    const last = inserted.value;
    return last !== null && text.value.slice(last.at, last.at + last.text.length) === last.text;
  });

  /** Takes the last inserted continuation out again; its choice no longer counts. */
  async function undo() {
    const last = inserted.value;
    if (last === null || !canUndo.value) return;
    text.value = text.value.slice(0, last.at) + text.value.slice(last.at + last.text.length);
    inserted.value = null;
    changed();
    if (last.pick === null || project.value === null) return;
    const stored = await ask('writing.undoPick', { project: project.value, id: last.pick });
    if (stored !== null) learned.value = stored;
  }

  const named = computed(() => inserted.value?.models ?? null);
  return { ...document, ...offers, canUndo, named, keep, undo };
}
