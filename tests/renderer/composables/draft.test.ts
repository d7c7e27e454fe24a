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
  const { made: draft, calls: asked, reply } = used(() => createDraftState('draft_1'));
  const answer = async (channel: string, value: unknown, question = -1) => {
    reply(value, question, channel);
    for (let turn = 0; turn < 5; turn++) await nextTick();
  };
  const stored = { id: 'draft_1', name: 'Book', changed: '', step: 'text', preset: 'tiny', given: {}, files: [] };
  const saved = (question?: number) => answer('drafts.save', stored, question);
  const checked = (messages: readonly string[], question?: number) => {
    const problems = messages.map((said) => ({
      ...{ severity: 'error', code: 'bad_input', field: 'data_path', message: said, hint: '' },
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
  const said = () => draft.problemsOf('data_path').map((problem) => inEnglish(problem.message));
  return { draft, asked, saved, checked, typed, said };
}

it('is kept only when what was typed last is', async () => {
  const { draft, saved, typed, asked, checked } = await opened();
  await typed('seed', 1);
  expect(asked('drafts.save').at(-1)?.input).toMatchObject({ given: { seed: 1 } });
  draft.set('seed', 2);
  await saved();
  expect(draft.saving.value).toBe('waiting');
  await vi.advanceTimersByTimeAsync(300);
  expect(asked('drafts.save').at(-1)?.input).toMatchObject({ given: { seed: 2 } });
  await saved();
  await checked([]);
  expect(draft.saving.value).toBe('kept');
});

it('whoever leaves while an answer is on its way leaves nothing behind', async () => {
  const { draft, saved, typed, asked } = await opened();
  await typed('seed', 1);
  draft.set('seed', 2);
  await saved();
  leave();
  expect(asked('drafts.save').at(-1)?.input).toMatchObject({ given: { seed: 2 } });
});

it('a field that was changed after it was sent is not judged by the answer', async () => {
  const { draft, saved, checked, typed, said } = await opened();
  await typed('data_path', 'file_1');
  draft.set('data_path', 'file_2');
  await saved();
  await checked(['file_1 is not there']);
  expect(said()).toEqual([]);
  await vi.advanceTimersByTimeAsync(300);
  await saved();
  await checked(['file_2 is not there']);
  expect(said()).toEqual(['file_2 is not there']);
});

it('of two checks the one that was asked for last counts, in whatever order they are answered', async () => {
  const { saved, checked, typed, said } = await opened();
  await typed('data_path', 'file_1');
  await saved();
  await typed('data_path', 'file_2');
  await saved();
  await checked(['the second']);
  await checked(['the first'], -2);
  expect(said()).toEqual(['the second']);
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
  const { draft, saved, checked, typed, asked, said } = await opened();
  await typed('data_path', 'file_1');
  // What is still to be kept is checked when it is.
  await draft.lookAgain();
  expect(asked('drafts.check')).toHaveLength(1);
  await saved();
  await checked([]);
  void draft.lookAgain();
  await checked(['the file is not there']);
  expect(said()).toEqual(['the file is not there']);
});
