// One run over the lives of its trainers: what the person wanted of one that died is told to the next.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { FromTrainer, ToTrainer } from '../../shared/contract/trainer.js';
import { trainerProtocol } from '../../shared/contract/trainer.js';
import { defaultLimits } from '../../main/supervisor/watchdog.js';
import { startRun } from '../../main/supervisor/run.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A run with trainers that do what the test says. */
function running() {
  const trainers: { readonly got: ToTrainer[]; isOver: boolean; tell(message: FromTrainer): void; die(): void }[] = [];
  const ended = vi.fn();
  const told: string[] = [];
  const run = startRun({
    ...{ folder: '/project', limits: defaultLimits, monotonic: () => 0, deaths: 2 },
    start() {
      let listener: (data: unknown) => void = () => undefined;
      let gone: (how: string) => void = () => undefined;
      /** A process ends once. */
      const end = () => {
        const tell = gone;
        gone = () => undefined;
        trainer.isOver = true;
        tell('SIGKILL');
      };
      const trainer = {
        got: [] as ToTrainer[],
        isOver: false,
        tell: (m: FromTrainer) => listener(m),
        die: end,
      };
      trainers.push(trainer);
      return {
        pid: undefined,
        send: (message) => trainer.got.push(message),
        onMessage: (heard) => (listener = heard),
        onEnd: (heard) => (gone = heard),
        kill: end,
      };
    },
    onStatus: ({ state }) => told.push(state),
    onEvent: (event) => told.push(event.event),
    onEnded: ended,
  });
  const last = () => {
    const trainer = trainers.at(-1);
    if (trainer === undefined) throw new Error('no trainer was started');
    return trainer;
  };
  /** The trainer says hello and that the run began. */
  const begins = async () => {
    const trainer = last();
    trainer.tell({ message: 'hello', protocol: trainerProtocol, pid: 1, version: '' });
    const asked = trainer.got.find((message) => message.message === 'run');
    if (asked?.message !== 'run') throw new Error('was not asked to run');
    trainer.tell({ message: 'answer', request: asked.request, fault: null });
    await vi.advanceTimersByTimeAsync(0);
  };
  const steered = () => last().got.flatMap((message) => (message.message === 'steer' ? [message.steering] : []));
  return { run, trainers, ended, told, last, begins, steered };
}

it('a pause that was asked for between two trainers is told to the next', async () => {
  const { run, trainers, last, begins, steered, told } = running();
  await begins();
  last().die();
  await run.steer({ action: 'pause' });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(trainers).toHaveLength(2);
  await begins();
  expect(steered()).toEqual([{ action: 'pause' }]);
  expect(told).toContain('notice');
});

it('a trainer that leaves the next phase to another is followed by one that knows what the person wants, without a word', async () => {
  const { run, trainers, last, begins, steered, told, ended } = running();
  await begins();
  void run.steer({ action: 'pause' });
  last().tell({ message: 'ended', outcome: 'continues', fault: null });
  last().die();
  expect(trainers).toHaveLength(2);
  await begins();
  expect(steered()).toEqual([{ action: 'pause' }]);
  expect(told).not.toContain('notice');
  expect(ended).not.toHaveBeenCalled();
  void run.steer({ action: 'stop', after: 'phase' });
  last().tell({ message: 'ended', outcome: 'continues', fault: null });
  last().die();
  expect(trainers).toHaveLength(2);
  expect(ended).toHaveBeenCalledExactlyOnceWith('stopped', null);
});

it('what cannot be kept for the next trainer is refused between two', async () => {
  const { run, last, begins } = running();
  await begins();
  last().die();
  await expect(run.steer({ action: 'skip' })).rejects.toMatchObject({
    code: 'internal',
    message: 'The trainer is being started again.',
  });
});

it('a trainer that dies after it was told to stop is not replaced', async () => {
  const { run, trainers, last, begins, ended } = running();
  await begins();
  const asked = run.steer({ action: 'stop', after: 'step' });
  last().die();
  await asked;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(trainers).toHaveLength(1);
  expect(ended.mock.calls).toEqual([['stopped', null]]);
});

it('deaths in a row count from the last checkpoint, and end it when there are too many', async () => {
  const { trainers, last, ended } = running();
  for (let death = 0; death < 2; death++) {
    last().die();
    await vi.advanceTimersByTimeAsync(10_000);
  }
  last().tell({ message: 'event', event: { event: 'checkpoint', name: 'base_model_v1', step: 5 } });
  for (let death = 0; death < 3; death++) {
    expect(ended).not.toHaveBeenCalled();
    last().die();
    await vi.advanceTimersByTimeAsync(10_000);
  }
  expect(trainers).toHaveLength(5);
  expect(ended.mock.calls).toMatchObject([['failed', { code: 'internal' }]]);
});

it('killed while the next trainer is awaited, it has stopped', async () => {
  const { run, trainers, last, ended } = running();
  last().die();
  run.kill();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(trainers).toHaveLength(1);
  expect(ended.mock.calls).toEqual([['stopped', null]]);
});

it('killed while the next trainer loads, it takes that one along', async () => {
  const { run, trainers, last, ended } = running();
  last().die();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(trainers).toHaveLength(2);
  run.kill();
  expect(last().isOver).toBe(true);
  expect(ended.mock.calls).toEqual([['stopped', null]]);
});
