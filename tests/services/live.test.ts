// What a busy run costs a window: a few messages, the newest progress, every event that matters.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TopicName } from '../../shared/contract/index.js';
import type { JobEvent } from '../../shared/events.js';
import { absentSupervisor } from '../../main/services/absent-supervisor.js';
import { gathering, mostEvents, tellLive } from '../../main/services/live.js';
import { createHub } from '../../main/ipc/topics.js';
import type { Supervisor, SupervisorEvent } from '../../main/supervisor/types.js';

let tell: (event: SupervisorEvent) => void;
let told: (readonly [TopicName, { readonly events?: readonly JobEvent[] }])[];
let end: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  told = [];
  const hub = createHub();
  hub.listen((topic, message) => told.push([topic, message as object]));
  const supervisor: Supervisor = {
    ...absentSupervisor(),
    subscribe(listener) {
      tell = listener;
      return () => (tell = () => undefined);
    },
  };
  end = tellLive({
    supervisor,
    hub,
    idOf: (folder) => `project_${folder}`,
    summaryOf: (id) => ({
      id,
      name: id,
      state: 'running',
      preset: 'tiny',
      tokenization: null,
      cycle: 0,
      max_cycles: 2,
      perplexities: [],
      best_perplexity: null,
      changed: '',
      activity: null,
      fault: null,
      exact: true,
    }),
    queue: () => ({ entries: [], interrupted: [] }),
  });
});
afterEach(() => {
  end();
  vi.useRealTimers();
});

const progress = (done: number): JobEvent => ({
  event: 'progress',
  phase: 'grpo',
  done,
  total: 9,
  unit: 'steps',
  rate: null,
  seconds_left: null,
});
const metrics = (step: number): JobEvent => ({ event: 'metrics', phase: 'grpo', step, values: { loss: 1 } });

describe('tellLive', () => {
  it('gathers a run’s events into a few messages, with only the newest progress', () => {
    for (let step = 0; step < 100; step++) {
      tell({ type: 'event', folder: 'a', event: progress(step) });
      tell({ type: 'event', folder: 'a', event: metrics(step) });
      tell({ type: 'event', folder: 'b', event: progress(step) });
    }
    expect(told).toEqual([]);
    vi.advanceTimersByTime(gathering);
    expect(told.map(([topic]) => topic).sort()).toEqual([
      'projects.changed',
      'projects.changed',
      'runs.events',
      'runs.events',
    ]);
    const { events = [] } = told[0]?.[1] ?? {};
    expect(events).toHaveLength(101);
    expect(events.filter(({ event }) => event === 'progress')).toEqual([progress(99)]);
    vi.advanceTimersByTime(10 * gathering);
    expect(told).toHaveLength(4);
  });

  it('tells no more of a run at once than a window can show', () => {
    for (let step = 0; step < 5000; step++) tell({ type: 'event', folder: 'a', event: metrics(step) });
    vi.advanceTimersByTime(gathering);
    const { events = [] } = told[0]?.[1] ?? {};
    expect(events).toHaveLength(mostEvents);
    expect(events.at(-1)).toEqual(metrics(4999));
  });

  it('tells of a pause as soon as it is so, with what came before it', () => {
    tell({ type: 'event', folder: 'a', event: metrics(1) });
    tell({
      type: 'status',
      status: { folder: 'a', state: 'paused', fault: null, phase: null, progress: null },
    });
    vi.advanceTimersByTime(0);
    expect(told.map(([topic]) => topic)).toEqual(['runs.events', 'projects.changed']);
    vi.advanceTimersByTime(10 * gathering);
    expect(told).toHaveLength(2);
  });

  it('tells at once that a run is over, after what it said last', () => {
    tell({ type: 'event', folder: 'a', event: metrics(1) });
    tell({ type: 'ended', folder: 'a', outcome: 'finished', fault: null });
    expect(told.map(([topic]) => topic)).toEqual(['runs.events', 'projects.changed']);
    tell({ type: 'queue', queue: { entries: [], interrupted: [] } });
    expect(told.at(-1)?.[0]).toBe('queue.changed');
  });
});
