/** Generates text after a prompt token by token, then loads the reward model's scores of its prefixes. */
import { onScopeDispose, ref, shallowRef } from 'vue';
import type { WrittenToken } from '../../shared/contract/playground.js';
import type { Input } from '../../shared/contract/index.js';
import type { Fault } from '../../shared/errors.js';
import { naturalAfter } from '../playground/natural-after.js';
import { useClient } from './useClient.js';

type WriteRequest = Input<'playground.write'>;

export function useWriter() {
  const client = useClient();
  const prompt = ref('');
  const tokens = shallowRef<readonly WrittenToken[]>([]);
  /** P(natural) after the prompt, and after each token; null if not known. */
  const natural = shallowRef<readonly (number | null)[]>([]);
  const writing = ref(false);
  const cancelled = ref(false);
  const fault = shallowRef<Fault | null>(null);
  const rewardFault = shallowRef<Fault | null>(null);
  let running: AbortController | null = null;

  async function write(request: WriteRequest, withScores: boolean) {
    running?.abort();
    const mine = new AbortController();
    running = mine;
    prompt.value = request.prompt;
    tokens.value = [];
    natural.value = [];
    fault.value = null;
    rewardFault.value = null;
    cancelled.value = false;
    writing.value = true;
    const reply = await client.call('playground.write', request, {
      signal: mine.signal,
      onProgress({ tokens: more }) {
        if (running === mine) tokens.value = [...tokens.value, ...more];
      },
    });
    if (running !== mine) return;
    writing.value = false;
    if (reply.ok) {
      tokens.value = reply.value.tokens;
      cancelled.value = reply.value.stopped === 'cancelled';
    } else if (reply.fault.code === 'stopped') cancelled.value = true;
    else fault.value = reply.fault;
    if (withScores && tokens.value.length > 0) await score(request, mine);
  }

  async function score({ project, model, prompt: given }: WriteRequest, mine: AbortController) {
    const text = given + tokens.value.map(({ text: piece }) => piece).join('');
    const reply = await client.call('playground.score', { project, model, text });
    if (running !== mine) return;
    if (reply.ok) natural.value = naturalAfter(given, tokens.value, reply.value.tokens);
    else rewardFault.value = reply.fault;
  }

  const stop = () => running?.abort();
  onScopeDispose(stop);
  return { prompt, tokens, natural, writing, cancelled, fault, rewardFault, write, stop };
}
