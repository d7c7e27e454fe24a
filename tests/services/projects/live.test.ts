// What a busy run costs a window: a few messages, the newest progress, every event that matters.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TopicName } from '../../../shared/contract/index.js';
import type { RunEvent } from '../../../shared/phases/events.js';
import { absentSupervisor } from '../../../main/services/machine/absent-supervisor.js';
import { gathering, gatheringRows, publishLive } from '../../../main/services/projects/live.js';
import { createEventBus } from '../../../main/services/event-bus.js';
import type { Supervisor, SupervisorEvent } from '../../../main/supervisor/types.js';

let tell: (event: SupervisorEvent) => void;
let told: (readonly [TopicName, object])[];
let end: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  told = [];
  const bus = createEventBus();
  bus.listen((topic, message) => told.push([topic, message as object]));
  const supervisor: Supervisor = {
    ...absentSupervisor(),
    subscribe(listener) {
      tell = listener;
      return () => (tell = () => undefined);
    },
  };
  end = publishLive({
    supervisor,
    bus,
    idOf: (folder) => `project_${folder}`,
    summaryOf: (id) => ({
      id,
      name: id,
      folder: id,
      state: 'running',
      preset: 'tiny',
      cycle: 0,
      max_cycles: 2,
      ended: null,
      perplexities: [],
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

const progress = (done: number): RunEvent => ({
  event: 'progress',
  phase: 'grpo',
  done,
  total: 9,
  unit: 'steps',
  rate: null,
  seconds_left: null,
});
const rows = (step: number): RunEvent => ({ event: 'rows', phase: 'grpo', cycle: 1, step });

describe('publishLive', () => {
  it('gathers what a run tells into a few messages, each saying how things are now', () => {
    for (let step = 0; step < 100; step++) {
      tell({ type: 'event', folder: 'a', event: progress(step) });
      tell({ type: 'event', folder: 'a', event: rows(step) });
      tell({ type: 'event', folder: 'a', event: { ...rows(step), phase: 'evaluation' } as RunEvent });
      tell({ type: 'event', folder: 'b', event: progress(step) });
    }
    expect(told).toEqual([]);
    vi.advanceTimersByTime(gathering);
    expect(told.map(([topic]) => topic)).toEqual(['projects.changed', 'projects.changed']);
    vi.advanceTimersByTime(gatheringRows);
    expect(told.slice(2)).toEqual([
      ['runs.rows', { id: 'project_a', cycle: 1, phase: 'grpo', step: 99 }],
      ['runs.rows', { id: 'project_a', cycle: 1, phase: 'evaluation', step: 99 }],
    ]);
    vi.advanceTimersByTime(10 * gatheringRows);
    expect(told).toHaveLength(4);
  });

  it('passes on what is being written, the newest state a few times a second', () => {
    const samples = (completion: string) => [{ prompt: 'The ', completion }];
    for (const written of ['a', 'ab', 'abc']) {
      const event = { event: 'writing', phase: 'base_training', step: 5, samples: samples(written) } as const;
      tell({ type: 'event', folder: 'a', event });
    }
    vi.advanceTimersByTime(gathering);
    expect(told).toEqual([['runs.writing', { id: 'project_a', cycle: 0, step: 5, samples: samples('abc') }]]);
  });

  it('tells of a pause as soon as it is so, with what came before it', () => {
    tell({ type: 'event', folder: 'a', event: progress(1) });
    tell({
      type: 'status',
      status: { folder: 'a', state: 'paused', fault: null, phase: null, progress: null },
    });
    vi.advanceTimersByTime(0);
    expect(told.map(([topic]) => topic)).toEqual(['projects.changed']);
    vi.advanceTimersByTime(10 * gathering);
    expect(told).toHaveLength(1);
  });

  it('tells at once that a run is over, after what it said last', () => {
    tell({ type: 'event', folder: 'a', event: rows(1) });
    tell({ type: 'ended', folder: 'a', outcome: 'finished', fault: null });
    expect(told.map(([topic]) => topic)).toEqual(['runs.rows', 'projects.changed']);
    tell({ type: 'queue', queue: { entries: [], interrupted: [] } });
    expect(told.at(-1)?.[0]).toBe('queue.changed');
  });
});
