/**
 * Drives blind rating of a project: the current question, answers, skip and undo.
 * Every answer is on the disk before the next question appears, so leaving at any time loses nothing.
 */
import { computed, onScopeDispose, ref, shallowRef, watch } from 'vue';
import type { RatingsView } from '../../shared/contract/ratings.js';
import type { Fault } from '../../shared/errors.js';
import type { Answer, BlindQuestion, PairAgainst, RatingTask } from '../../shared/rating.js';
import { useAsk } from './useAsk.js';
import { useClient } from './useClient.js';

/** Passages of each source that are written at a time. */
const USUAL_PASSAGES = 50;

type RatingStage = 'loading' | 'begin' | 'rate' | 'report';

export function useRatings(project: () => string) {
  const state = useQueue(project);
  const writing = useWriting(state);
  /** Begins with the passages that are there, and has the usual number of them written meanwhile. */
  async function begin() {
    await state.load();
    const { passages = 0, missing, comparisons = [] } = state.view.value ?? {};
    const isPossible = state.view.value !== null && (state.task.value === 'boundary' || comparisons.length > 0);
    if (isPossible && (passages === 0 || missing)) void writing.write(Math.max(USUAL_PASSAGES, passages));
  }
  function writeMore() {
    state.stage.value = 'begin';
    return writing.write((state.view.value?.passages ?? 0) + USUAL_PASSAGES);
  }
  function choose(chosen: RatingTask, comparison: PairAgainst | null = null) {
    writing.stopWriting();
    state.select(chosen, comparison);
    return begin();
  }
  watch(project, begin, { immediate: true });
  return { ...state, load: begin, choose, writeMore, ...writing, ...useAnswers(state) };
}

/** Holds the chosen task and comparison, and the waiting questions. */
function useQueue(project: () => string) {
  const client = useClient();
  const stage = ref<RatingStage>('loading');
  const fault = shallowRef<Fault | null>(null);
  const task = ref<RatingTask>('pair');
  const against = ref<PairAgainst | null>(null);
  const view = shallowRef<RatingsView | null>(null);
  /** Skipped questions come again after the others. */
  const skipped = shallowRef<ReadonlySet<string>>(new Set());
  const queue = () => ({ id: project(), task: task.value, against: against.value });
  const isCurrent = (before: ReturnType<typeof queue>) => JSON.stringify(before) === JSON.stringify(queue());

  /** The question that stays while new passages arrive. */
  const held = ref<string | null>(null);
  const current = computed<BlindQuestion | null>(() => {
    const waiting = view.value?.waiting ?? [];
    const isNext = ({ id }: BlindQuestion) => !skipped.value.has(id);
    return waiting.find((one) => one.id === held.value && isNext(one)) ?? waiting.find(isNext) ?? waiting[0] ?? null;
  });
  const rated = computed(() => view.value?.rated ?? 0);
  const total = computed(() => rated.value + (view.value?.left ?? 0));

  function show(next: RatingsView, hold = false) {
    held.value = hold ? (current.value?.id ?? null) : null;
    view.value = next;
    against.value = next.against;
  }

  async function load() {
    fault.value = null;
    stage.value = 'loading';
    view.value = null;
    skipped.value = new Set();
    const mine = queue();
    const reply = await client.call('ratings.get', mine);
    if (!isCurrent(mine)) return;
    if (!reply.ok) {
      fault.value = reply.fault;
      return;
    }
    show(reply.value);
    const { passages, left } = reply.value;
    stage.value = left > 0 ? 'rate' : passages === 0 ? 'begin' : 'report';
  }
  /** Takes passages that were written meanwhile; the question on the screen stays. */
  async function look() {
    const mine = queue();
    const reply = await client.call('ratings.get', mine);
    if (!reply.ok || !isCurrent(mine) || stage.value === 'loading') return;
    show(reply.value, true);
    if (stage.value === 'begin' && reply.value.left > 0) stage.value = 'rate';
  }
  function select(chosen: RatingTask, comparison: PairAgainst | null) {
    task.value = chosen;
    against.value = chosen === 'pair' ? comparison : null;
  }
  return {
    ...{ stage, fault, task, against, view, skipped, current, rated, total },
    ...{ queue, isCurrent, show, load, look, select },
  };
}
type QueueState = ReturnType<typeof useQueue>;

/** Has passages written; a new call cancels the previous one. */
function useWriting({ queue, isCurrent, show, load, look, stage }: QueueState) {
  const { ask } = useAsk();
  const writing = shallowRef<{ readonly done: number; readonly total: number } | null>(null);
  let cancel = new AbortController();
  async function write(count: number) {
    cancel.abort();
    const { signal } = (cancel = new AbortController());
    const mine = queue();
    writing.value = { done: 0, total: 0 };
    const onProgress = (progress: { done: number; total: number }) => {
      writing.value = progress;
      if (progress.done > 0) void look();
    };
    const next = await ask('ratings.write', { ...mine, passages: count }, { signal, onProgress });
    if (signal !== cancel.signal) return;
    writing.value = null;
    if (!next) return;
    // Another queue was chosen meanwhile, and may have passages now.
    if (!isCurrent(mine)) return void load();
    show(next, true);
    if (stage.value === 'begin') stage.value = next.left > 0 ? 'rate' : 'report';
  }
  /** Cancels writing; finished passages stay. */
  function stopWriting() {
    cancel.abort();
    cancel = new AbortController();
    writing.value = null;
  }
  onScopeDispose(() => cancel.abort());
  return { writing, write, stopWriting };
}

/** Answers, undoes and skips, one at a time, so that a double key press counts for one question. */
function useAnswers({ queue, isCurrent, show, stage, view, skipped, current }: QueueState) {
  const { ask } = useAsk();
  const busy = ref(false);
  async function change(request: () => Promise<RatingsView | null>): Promise<boolean> {
    if (busy.value) return false;
    busy.value = true;
    const mine = queue();
    const next = await request();
    busy.value = false;
    if (!next || !isCurrent(mine)) return false;
    show(next);
    return true;
  }

  let shownAt = performance.now();
  watch(() => current.value?.id, () => (shownAt = performance.now()), { flush: 'post' }); // oxfmt-ignore
  async function answer(given: Answer) {
    const question = current.value?.id;
    if (question === undefined) return;
    const vote = { ...queue(), question, answer: given, seconds: (performance.now() - shownAt) / 1000 };
    if ((await change(() => ask('ratings.vote', vote))) && view.value?.left === 0) stage.value = 'report';
  }
  async function undo() {
    if (!(await change(() => ask('ratings.undo', queue())))) return;
    skipped.value = new Set();
    stage.value = 'rate';
  }
  function skip() {
    const question = current.value;
    if (!question || busy.value) return;
    const next = new Set([...skipped.value, question.id]);
    skipped.value = (view.value?.waiting ?? []).every(({ id }) => next.has(id)) ? new Set([question.id]) : next;
  }
  return { busy, answer, undo, skip };
}
