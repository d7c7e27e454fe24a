/** A draft: what is typed while an answer is on its way is neither lost nor judged by that answer. */
import { nextTick } from 'vue';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createDraftState } from '../../../renderer/composables/useDraft.js';
import { inEnglish } from '../../support/messages.js';
import { leave, used } from './used.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A draft that is loaded and checked. */
async function opened() {
  const { made: draft, calls, reply } = used(() => createDraftState('draft_1'));
  const answer = async (channel: string, value: unknown, question = -1) => {
    reply(value, question, channel);
    for (let turn = 0; turn < 5; turn++) await nextTick();
  };
  const stored = { id: 'draft_1', name: 'Book', changed: '', step: 'text', preset: 'tiny', given: {}, files: [] };
  const saved = (question?: number) => answer('drafts.save', stored, question);
  const checked = (messages: readonly string[], question?: number) => {
    const problems = messages.map((message) => ({
      ...{ severity: 'error', code: 'bad_input', field: 'data_path', message, hint: '' },
    }));
    const value = { problems, resolved: null, begins_from: null, command: '', estimate: null, largest_batch: null };
    return answer('drafts.check', value, question);
  };
  const typed = async (key: string, value: string | number) => {
    draft.set(key, value);
    await vi.advanceTimersByTimeAsync(300);
  };
  await answer('drafts.get', stored);
  await checked([]);
  const messages = () => draft.problemsOf('data_path').map((problem) => inEnglish(problem.message));
  return { draft, calls, saved, checked, typed, messages };
}

it('is saved only when the last change is', async () => {
  const { draft, saved, typed, calls, checked } = await opened();
  await typed('seed', 1);
  expect(calls('drafts.save').at(-1)?.input).toMatchObject({ given: { seed: 1 } });
  draft.set('seed', 2);
  await saved();
  expect(draft.saving.value).toBe('waiting');
  await vi.advanceTimersByTimeAsync(300);
  expect(calls('drafts.save').at(-1)?.input).toMatchObject({ given: { seed: 2 } });
  await saved();
  await checked([]);
  expect(draft.saving.value).toBe('kept');
});

it('saves the last change when the user leaves during a call', async () => {
  const { draft, saved, typed, calls } = await opened();
  await typed('seed', 1);
  draft.set('seed', 2);
  await saved();
  leave();
  expect(calls('drafts.save').at(-1)?.input).toMatchObject({ given: { seed: 2 } });
});

it('ignores answers about a field that has changed since', async () => {
  const { draft, saved, checked, typed, messages } = await opened();
  await typed('data_path', 'file_1');
  draft.set('data_path', 'file_2');
  await saved();
  await checked(['file_1 is not there']);
  expect(messages()).toEqual([]);
  await vi.advanceTimersByTimeAsync(300);
  await saved();
  await checked(['file_2 is not there']);
  expect(messages()).toEqual(['file_2 is not there']);
});

it('uses the last requested check, in whatever order they are answered', async () => {
  const { saved, checked, typed, messages } = await opened();
  await typed('data_path', 'file_1');
  await saved();
  await typed('data_path', 'file_2');
  await saved();
  await checked(['the second']);
  await checked(['the first'], -2);
  expect(messages()).toEqual(['the second']);
});

it('another size takes back what was typed over it, but not how the text is cut', async () => {
  const { draft } = await opened();
  draft.set('tokenization', 'char');
  draft.set('n_layer', 7);
  draft.choosePreset('small');
  expect(draft.given.value).toEqual({ tokenization: 'char' });
});

it('what is taken back is the preset’s own again, also where the preset has another for its model', async () => {
  const { draft } = await opened();
  draft.set('max_iters', 7);
  draft.set('max_iters', undefined);
  expect(draft.given.value).toEqual({});
  draft.preset.value = 'nano';
  draft.set('init_from', 'file_model');
  draft.set('max_iters', 7);
  draft.set('max_iters', undefined);
  expect(draft.effective.value['max_iters']).toBe(1000);
  expect(draft.given.value).toEqual({ init_from: 'file_model', max_iters: 1000 });
});

it('a file that has gone since is noticed when the page is looked at again', async () => {
  const { draft, saved, checked, typed, calls, messages } = await opened();
  await typed('data_path', 'file_1');
  // What is still to be kept is checked when it is.
  await draft.lookAgain();
  expect(calls('drafts.check')).toHaveLength(1);
  await saved();
  await checked([]);
  void draft.lookAgain();
  await checked(['the file is not there']);
  expect(messages()).toEqual(['the file is not there']);
});
