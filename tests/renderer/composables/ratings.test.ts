/** A user who opens another task while an answer is on its way sees that task's questions. */
import { beforeEach, expect, it, vi } from 'vitest';
import { useRatings } from '../../../renderer/composables/useRatings.js';
import type { RatingsView } from '../../../shared/contract/ratings.js';
import type { RatingTask } from '../../../shared/rating.js';
import { used } from './used.js';

vi.mock('@nuxt/ui/composables/useToast', () => ({ useToast: () => ({ add: vi.fn() }) }));

const viewOf = (task: RatingTask, more: Partial<RatingsView> = {}): RatingsView => ({
  ...{ task, against: task === 'pair' ? 'base' : null, comparisons: [], waiting: [], left: 3, rated: 0 },
  ...{ passages: 10, missing: false, comparison: null, ignored: 0 },
  ...more,
});
const question = { task: 'pair' as const, id: 'p1', prompt: '', first: 'a', second: 'b' };
let ratings: ReturnType<typeof useRatings>;
let answer: (at: number, value: RatingsView) => Promise<unknown>;
let { calls, message } = {} as Pick<ReturnType<typeof used>, 'calls' | 'message'>;
beforeEach(() => {
  const test = used(() => useRatings(() => 'project_1'));
  const { reply } = test;
  ratings = test.made;
  ({ calls, message } = test);
  answer = (at, value) => {
    reply(value, at);
    return new Promise((done) => setTimeout(done));
  };
});

it('ignores an answer about the previous task', async () => {
  void ratings.choose('boundary');
  await answer(-1, viewOf('boundary'));
  await answer(-2, viewOf('pair'));
  expect(ratings.view.value?.task).toBe('boundary');
});

it('has passages written without being asked, and begins with the first of them', async () => {
  await answer(-1, viewOf('pair'));
  void ratings.choose('boundary');
  await answer(-1, viewOf('boundary', { passages: 0, left: 0 }));
  expect([ratings.stage.value, calls('ratings.write')]).toEqual([
    'begin',
    [expect.objectContaining({ input: { id: 'project_1', task: 'boundary', against: null, passages: 50 } })],
  ]);
  const id = calls('ratings.write').at(-1)?.id ?? -1;
  message({ type: 'progress', id, progress: { done: 1, total: 4 } });
  const first = { task: 'boundary' as const, id: 'b5', words: ['a '] };
  await answer(-1, viewOf('boundary', { waiting: [first], left: 1 }));
  expect([ratings.stage.value, ratings.current.value?.id]).toEqual(['rate', 'b5']);
  // What arrives now may come earlier in the queue: the question on the screen stays.
  message({ type: 'progress', id, progress: { done: 3, total: 4 } });
  await answer(-1, viewOf('boundary', { waiting: [{ ...first, id: 'b1' }, first], left: 2 }));
  expect(ratings.current.value?.id).toBe('b5');
  void ratings.answer(1);
  await answer(-1, viewOf('boundary', { waiting: [{ ...first, id: 'b1' }], left: 1, rated: 1 }));
  expect(ratings.current.value?.id).toBe('b1');
});

it('cancels writing when another task is chosen', async () => {
  await answer(-1, viewOf('pair'));
  void ratings.write(10);
  void ratings.choose('boundary');
  await answer(-1, viewOf('boundary'));
  await answer(-2, viewOf('pair', { left: 0 }));
  expect([ratings.view.value?.task, ratings.stage.value]).toEqual(['boundary', 'rate']);
  expect(ratings.writing.value).toBeNull();
});

it('counts an answer for the task that it is about', async () => {
  await answer(-1, viewOf('pair', { waiting: [question] }));
  void ratings.answer('first');
  void ratings.choose('boundary');
  await answer(-1, viewOf('boundary'));
  await answer(-2, viewOf('pair', { left: 0, rated: 1 }));
  expect([ratings.view.value?.task, ratings.stage.value]).toEqual(['boundary', 'rate']);
});
