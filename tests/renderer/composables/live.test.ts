/** Charts stay as they are while the user reads them, and request new points only when they need them. */
import { nextTick, ref } from 'vue';
import { expect, it } from 'vitest';
import { useMetricsWindow } from '../../../renderer/composables/useMetrics.js';
import { used } from './used.js';

function chart() {
  const [held, unseen, range] = [ref(false), ref(false), ref<[number, number] | null>(null)];
  const { made, calls, reply, message } = used(() =>
    useMetricsWindow({
      places: () => [{ key: '', place: { project: 'project_1', cycle: 0, phase: 'base_training' } }],
      names: () => ['loss'],
      range: () => range.value,
      points: () => 100,
      held: () => held.value,
      unseen: () => unseen.value,
    }),
  );
  const answer = async (step: number | null, question = -1) => {
    const steps = step === null ? [] : [step];
    const series = { loss: { steps, values: steps.map(() => 1) } };
    reply({ series, last_step: step ?? 0, unplaced: 0 }, question);
    // Several places are requested at once, so an answer takes a few turns to arrive.
    await new Promise((done) => setImmediate(done));
  };
  const news = (step = 2) =>
    message({
      type: 'message',
      topic: 'runs.rows',
      message: { id: 'project_1', cycle: 0, phase: 'base_training', step },
    });
  return { metrics: made, held, unseen, range, questions: calls, answer, news };
}

it('a chart stays the same while it is read, even if the request is older', async () => {
  const { metrics, held, questions, answer, news } = chart();
  await answer(1);
  expect(metrics.lastStep.value).toBe(1);
  news();
  expect(questions()).toHaveLength(2);
  held.value = true;
  await answer(2);
  expect(metrics.lastStep.value).toBe(1);
  expect(metrics.waiting.value).toBe(true);
  held.value = false;
  await nextTick();
  expect(questions()).toHaveLength(3);
  await answer(3);
  expect(metrics.lastStep.value).toBe(3);
  expect(metrics.waiting.value).toBe(false);
});

it('a chart requests new rows only after the previous answer', async () => {
  const { metrics, questions, answer, news } = chart();
  await answer(1);
  for (const step of [2, 3, 4]) news(step);
  expect(questions()).toHaveLength(2);
  await answer(2);
  expect(metrics.lastStep.value).toBe(2);
  expect(questions()).toHaveLength(3);
  await answer(4);
  expect(metrics.lastStep.value).toBe(4);
  expect(questions()).toHaveLength(3);
});

it('ignores the answer to an outdated request', async () => {
  const { metrics, range, questions, answer } = chart();
  range.value = [5, 9];
  await nextTick();
  expect(questions()).toHaveLength(2);
  await answer(7);
  await answer(1, 0);
  expect(metrics.lastStep.value).toBe(7);
});

it('a hidden chart requests nothing until it is visible', async () => {
  const { metrics, unseen, questions, answer, news } = chart();
  await answer(1);
  unseen.value = true;
  news();
  expect(questions()).toHaveLength(1);
  unseen.value = false;
  await nextTick();
  expect(questions()).toHaveLength(2);
  await answer(2);
  expect(metrics.lastStep.value).toBe(2);
});

it('a panned chart requests one range after the other, and the last', async () => {
  const { metrics, range, questions, answer } = chart();
  await answer(1);
  for (const from of [5, 6, 7]) {
    range.value = [from, 9];
    await nextTick();
  }
  expect(questions()).toHaveLength(2);
  await answer(5);
  // What has come is shown, though another stretch is wanted by now.
  expect(metrics.lastStep.value).toBe(5);
  await expect.poll(() => questions().length).toBe(3);
  expect(JSON.stringify(questions().at(-1))).toContain('"from":7');
  await answer(8);
  expect(metrics.lastStep.value).toBe(8);
});

it('a hidden chart of the group requests its range when it is visible', async () => {
  const { metrics, held, unseen, range, questions, answer } = chart();
  await answer(1);
  unseen.value = true;
  range.value = [5, 9];
  await nextTick();
  expect(questions()).toHaveLength(1);
  held.value = true;
  unseen.value = false;
  expect(questions()).toHaveLength(2);
  await answer(7);
  expect(metrics.lastStep.value).toBe(7);
});

it('a chart that is hidden because it is empty still requests rows', async () => {
  const { unseen, questions, answer, news } = chart();
  await answer(null);
  unseen.value = true;
  news();
  expect(questions()).toHaveLength(2);
});
