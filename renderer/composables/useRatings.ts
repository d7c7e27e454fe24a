/**
 * Rating a project blind: which question is asked, what was answered, and what can be taken back. Every answer is on the
 * disk before the next question comes, so that stopping at any time loses nothing; the next ones are here already.
 */
import { computed, onScopeDispose, ref, shallowRef, watch, type Ref, type ShallowRef } from 'vue';
import type { RatingsView } from '../../shared/contract/ratings.js';
import { restAfter, type Answer, type BlindQuestion, type PairAgainst, type RatingTask } from '../../shared/rating.js';
import type { Fault } from '../../shared/errors.js';
import { useAsk } from './useAsk.js';
import { useClient } from './useClient.js';

type RatingStage = 'loading' | 'begin' | 'rate' | 'report';

export function useRatings(project: () => string) {
  const client = useClient();
  const stage = ref<RatingStage>('loading');
  const fault = shallowRef<Fault | null>(null);
  const task = ref<RatingTask>('pair');
  const against = ref<PairAgainst | null>(null);
  const view = shallowRef<RatingsView | null>(null);
  /** Left out for now: they come again after the others. */
  const skipped = shallowRef<ReadonlySet<string>>(new Set());
  const asked = () => ({ id: project(), task: task.value, against: against.value });
  /** What was asked is still what is looked at. */
  const isStill = (before: Asked) => JSON.stringify(before) === JSON.stringify(asked());

  const current = computed<BlindQuestion | null>(() => {
    const waiting = view.value?.waiting ?? [];
    return waiting.find(({ id }) => !skipped.value.has(id)) ?? waiting[0] ?? null;
  });
  const rated = computed(() => view.value?.rated ?? 0);
  const total = computed(() => rated.value + (view.value?.left ?? 0));

  function take(told: RatingsView) {
    view.value = told;
    against.value = told.against;
  }

  /** Another task, or another comparison. */
  async function load() {
    fault.value = null;
    stage.value = 'loading';
    view.value = null;
    skipped.value = new Set();
    const mine = asked();
    const reply = await client.call('ratings.get', mine);
    if (!isStill(mine)) return;
    if (!reply.ok) {
      fault.value = reply.fault;
      return;
    }
    take(reply.value);
    const { passages, missing, left } = reply.value;
    stage.value = passages === 0 || missing ? 'begin' : left > 0 ? 'rate' : 'report';
  }
  function choose(chosen: RatingTask, comparison: PairAgainst | null = null) {
    task.value = chosen;
    against.value = chosen === 'pair' ? comparison : null;
    return load();
  }

  const { writing, write, stopWriting, end } = useWriting(asked, (told, mine) => {
    // What was written is for another task, too.
    if (!isStill(mine)) return void load();
    take(told);
    stage.value = told.left > 0 ? 'rate' : 'report';
  });

  const pause = useBreak();
  const answering = useAnswering({ asked, isStill, current, view, skipped, take, stage, counted: pause.count });
  watch(project, load, { immediate: true });
  onScopeDispose(end);
  return {
    ...{ stage, fault, task, against, view, current, rated, total, writing, asked },
    ...{ tired: pause.tired, restored: pause.restored },
    ...{ load, choose, write, stopWriting, ...answering },
  };
}

interface Answering {
  asked(): Asked;
  isStill(before: Asked): boolean;
  readonly current: Readonly<Ref<BlindQuestion | null>>;
  readonly view: Readonly<ShallowRef<RatingsView | null>>;
  readonly skipped: ShallowRef<ReadonlySet<string>>;
  readonly stage: Ref<RatingStage>;
  take(view: RatingsView): void;
  /** One more answer is kept. */
  counted(): void;
}

/** Answers, takes back and leaves out, one thing at a time: a key that is pressed twice says something of one question. */
function useAnswering({ asked, isStill, current, view, skipped, stage, take, counted }: Answering) {
  const { ask } = useAsk();
  const busy = ref(false);
  const sinceShown = useShown(() => current.value?.id ?? null);

  async function alone(act: () => Promise<RatingsView | null>): Promise<boolean> {
    if (busy.value) return false;
    busy.value = true;
    const mine = asked();
    const told = await act();
    busy.value = false;
    if (!told || !isStill(mine)) return false;
    take(told);
    return true;
  }

  async function answer(said: Answer) {
    const question = current.value;
    if (!question) return;
    const vote = { ...asked(), question: question.id, answer: said, seconds: sinceShown() };
    if (!(await alone(() => ask('ratings.vote', vote)))) return;
    counted();
    if (view.value?.left === 0) stage.value = 'report';
  }

  /** @param vote left out: the last one */
  async function undo(vote: string | null = null) {
    if (!(await alone(() => ask('ratings.undo', { ...asked(), vote })))) return;
    skipped.value = new Set();
    stage.value = 'rate';
  }

  /** It comes again after the others. */
  function skip() {
    const question = current.value;
    if (!question || busy.value) return;
    const left = new Set([...skipped.value, question.id]);
    skipped.value = (view.value?.waiting ?? []).every(({ id }) => left.has(id)) ? new Set([question.id]) : left;
  }
  return { busy, answer, undo, skip };
}

/** Since when a question is on the page. @returns seconds that it has been there */
function useShown(question: () => string | null) {
  let since = performance.now();
  watch(question, () => (since = performance.now()), { flush: 'post' });
  return (): number => (performance.now() - since) / 1000;
}

/** Attention goes before one notices: after so many answers, or so long, a break is suggested. */
function useBreak() {
  let votes = 0;
  let since = performance.now();
  const tired = shallowRef<{ readonly votes: number; readonly minutes: number } | null>(null);
  return {
    tired,
    count() {
      // The time before the first answer, or after a long pause, is no work.
      if (votes === 0) since = performance.now();
      votes++;
      const minutes = (performance.now() - since) / 60_000;
      if (votes >= restAfter.votes || minutes >= restAfter.minutes)
        tired.value = { votes, minutes: Math.max(1, Math.round(minutes)) };
    },
    restored() {
      votes = 0;
      tired.value = null;
    },
  };
}

type Asked = Readonly<{ id: string; task: RatingTask; against: PairAgainst | null }>;

/** Has passages written, one request at a time. */
function useWriting(asked: () => Asked, take: (view: RatingsView, mine: Asked) => void) {
  const { ask } = useAsk();
  const writing = shallowRef<{ readonly done: number; readonly total: number } | null>(null);
  let cancel = new AbortController();

  async function write(count: number) {
    cancel.abort();
    const mine = (cancel = new AbortController());
    const of = asked();
    writing.value = { done: 0, total: 0 };
    const view = await ask(
      'ratings.write',
      { ...of, passages: count },
      { signal: mine.signal, onProgress: (told) => (writing.value = told) },
    );
    if (cancel !== mine) return;
    writing.value = null;
    if (view) take(view, of);
  }

  /** At once for the person; what is written by then is kept. */
  function stopWriting() {
    cancel.abort();
    cancel = new AbortController();
    writing.value = null;
  }
  return { writing, write, stopWriting, end: () => cancel.abort() };
}
