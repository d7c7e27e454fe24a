/**
 * Rating a project blind: which passage is asked about, what was said, and what can be taken back. Every answer is kept
 * before the next passage comes, so that stopping at any time loses nothing.
 */
import { computed, onScopeDispose, ref, shallowRef, watch } from 'vue';
import type { BlindPassage, RatingsView, Verdict } from '../../shared/contract/ratings.js';
import type { Fault } from '../../shared/errors.js';
import { useAsk } from './useAsk.js';
import { useClient } from './useClient.js';

export type RatingStage = 'loading' | 'begin' | 'rate' | 'report';

export function useRatings(project: () => string) {
  const client = useClient();
  const { ask } = useAsk();
  const stage = ref<RatingStage>('loading');
  const fault = shallowRef<Fault | null>(null);
  /** Those that wait, the one that is asked about first. */
  const waiting = shallowRef<readonly BlindPassage[]>([]);
  const rated = ref(0);
  const passages = ref(0);
  const missing = ref(false);
  /** What was said since the page was opened, the last one last. */
  const said = shallowRef<readonly BlindPassage[]>([]);
  const busy = ref(false);

  const current = computed(() => waiting.value[0] ?? null);
  const total = computed(() => rated.value + waiting.value.length);

  function take(view: RatingsView) {
    waiting.value = view.waiting;
    rated.value = view.rated;
    passages.value = view.passages;
    missing.value = view.missing;
    stage.value = view.passages === 0 || view.missing ? 'begin' : view.waiting.length > 0 ? 'rate' : 'report';
  }

  async function load() {
    fault.value = null;
    stage.value = 'loading';
    said.value = [];
    const reply = await client.call('ratings.get', { id: project() });
    if (reply.ok) take(reply.value);
    else fault.value = reply.fault;
  }

  const { writing, write, stopWriting, end } = useWriting(project, take);

  /** One thing at a time: a key that is pressed twice says something of one passage, not of two. */
  async function alone(act: (passage: BlindPassage) => Promise<void>, passage: BlindPassage | null | undefined) {
    if (busy.value || !passage) return;
    busy.value = true;
    await act(passage);
    busy.value = false;
  }

  const rate = (verdict: Verdict) =>
    alone(async (passage) => {
      if (!(await ask('ratings.rate', { id: project(), passage: passage.id, verdict }))) return;
      waiting.value = waiting.value.slice(1);
      said.value = [...said.value, passage];
      rated.value++;
      if (waiting.value.length === 0) stage.value = 'report';
    }, current.value);

  const withdraw = () =>
    alone(async (passage) => {
      if (!(await ask('ratings.withdraw', { id: project(), passage: passage.id }))) return;
      said.value = said.value.slice(0, -1);
      waiting.value = [passage, ...waiting.value];
      rated.value--;
      stage.value = 'rate';
    }, said.value.at(-1));

  /** It comes again after the others. */
  function skip() {
    const [first, ...others] = waiting.value;
    if (first && !busy.value) waiting.value = [...others, first];
  }

  watch(project, load, { immediate: true });
  onScopeDispose(end);
  return {
    ...{ stage, fault, waiting, current, rated, total, passages, missing, said, busy, writing },
    ...{ load, write, rate, withdraw, skip, stopWriting },
  };
}

/** Has passages written, one request at a time. */
function useWriting(project: () => string, take: (view: RatingsView) => void) {
  const { ask } = useAsk();
  const writing = shallowRef<{ readonly done: number; readonly total: number } | null>(null);
  let cancel = new AbortController();

  async function write(count: number) {
    cancel.abort();
    const mine = (cancel = new AbortController());
    writing.value = { done: 0, total: 0 };
    const input = { id: project(), passages: count };
    const view = await ask('ratings.write', input, {
      signal: mine.signal,
      onProgress: (told) => (writing.value = told),
    });
    if (cancel !== mine) return;
    writing.value = null;
    if (view) take(view);
  }

  /** At once for the person; what is written by then is kept. */
  function stopWriting() {
    cancel.abort();
    cancel = new AbortController();
    writing.value = null;
  }
  return { writing, write, stopWriting, end: () => cancel.abort() };
}
