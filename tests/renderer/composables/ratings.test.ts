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
beforeEach(() => {
  const { made, reply } = used(() => useRatings(() => 'project_1'));
  ratings = made;
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

it('loads the visible task again once passages are written', async () => {
  await answer(-1, viewOf('pair', { passages: 0 }));
  void ratings.write(10);
  void ratings.choose('boundary');
  await answer(-1, viewOf('boundary', { passages: 0 }));
  expect(ratings.stage.value).toBe('begin');
  await answer(-2, viewOf('pair'));
  expect(ratings.view.value).toBeNull();
  await answer(-1, viewOf('boundary'));
  expect([ratings.view.value?.task, ratings.stage.value]).toEqual(['boundary', 'rate']);
});

it('counts an answer for the task that it is about', async () => {
  await answer(-1, viewOf('pair', { waiting: [question] }));
  void ratings.answer('first');
  void ratings.choose('boundary');
  await answer(-1, viewOf('boundary'));
  await answer(-2, viewOf('pair', { left: 0, rated: 1 }));
  expect([ratings.view.value?.task, ratings.stage.value]).toEqual(['boundary', 'rate']);
});
