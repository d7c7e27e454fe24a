// One window's conversation, and what a slow window is told.
import { describe, expect, it } from 'vitest';
import type { ServerMessage } from '../../shared/client/messages.js';
import { defaultSettings } from '../../shared/contract/machine.js';
import type { Dispatcher } from '../../main/ipc/dispatcher.js';
import { createOutbox } from '../../main/ipc/outbox.js';
import { createSession } from '../../main/ipc/session.js';
import { createEventBus } from '../../main/services/event-bus.js';
import { browser } from './world.js';

/** A dispatcher that answers when told to. */
function slowDispatcher() {
  const asked: { channel: string; signal: AbortSignal | undefined; progress(value: unknown): void; answer(): void }[] =
    [];
  const dispatcher: Dispatcher = {
    dispatch: (channel, payload, _caller, { signal, onProgress } = {}) =>
      new Promise((resolve) => {
        asked.push({
          channel,
          signal,
          progress: (value) => onProgress?.(value),
          answer: () => resolve({ ok: true, value: payload }),
        });
      }),
  };
  return { dispatcher, asked };
}

describe('createSession', () => {
  it('tells progress and the reply under the number of the call', async () => {
    const { dispatcher, asked } = slowDispatcher();
    const sent: ServerMessage[] = [];
    const session = createSession({
      dispatcher,
      bus: createEventBus(),
      caller: browser,
      send: (message) => sent.push(message),
    });
    expect(session.receive({ type: 'call', id: 5, channel: 'a', input: { x: 1 } })).toBe(true);
    expect(session.receive({ type: 'call', id: 5, channel: 'b', input: {} })).toBe(true);
    asked[0]?.progress(0.5);
    asked[0]?.answer();
    await new Promise(setImmediate);
    expect(sent).toMatchObject([
      { type: 'reply', id: 5, reply: { ok: false, fault: { code: 'busy' } } },
      { type: 'progress', id: 5, progress: 0.5 },
      { type: 'reply', id: 5, reply: { ok: true, value: { x: 1 } } },
    ]);
    asked[0]?.progress(0.9);
    expect(sent).toHaveLength(3);
  });

  it('cancels what it is told to, and everything when its window goes', () => {
    const { dispatcher, asked } = slowDispatcher();
    const sent: ServerMessage[] = [];
    const session = createSession({
      dispatcher,
      bus: createEventBus(),
      caller: browser,
      send: (message) => sent.push(message),
    });
    for (const id of [1, 2]) session.receive({ type: 'call', id, channel: 'a', input: {} });
    session.receive({ type: 'cancel', id: 1 });
    session.receive({ type: 'cancel', id: 9 });
    expect(asked.map(({ signal }) => signal?.aborted)).toEqual([true, false]);
    session.close();
    expect(asked.map(({ signal }) => signal?.aborted)).toEqual([true, true]);
    asked[1]?.progress(1);
    expect(sent).toEqual([]);
  });

  it('knows what is no message of ours', () => {
    const session = createSession({
      dispatcher: slowDispatcher().dispatcher,
      bus: createEventBus(),
      caller: browser,
      send: () => undefined,
    });
    for (const raw of [undefined, null, 'call', [], {}, { type: 'call', id: -1, channel: 'a', input: {} }]) {
      expect(session.receive(raw)).toBe(false);
    }
    expect(session.receive({ type: 'subscribe', topic: 'constructor' })).toBe(false);
  });

  it('tells only topics that are listened to, and none after the window has gone', () => {
    const sent: ServerMessage[] = [];
    const bus = createEventBus();
    const session = createSession({
      dispatcher: slowDispatcher().dispatcher,
      bus,
      caller: browser,
      send: (message) => sent.push(message),
    });
    bus.publish('settings.changed', defaultSettings);
    session.receive({ type: 'subscribe', topic: 'settings.changed' });
    bus.publish('settings.changed', defaultSettings);
    session.receive({ type: 'unsubscribe', topic: 'settings.changed' });
    bus.publish('settings.changed', defaultSettings);
    expect(sent).toEqual([{ type: 'message', topic: 'settings.changed', message: defaultSettings }]);
    session.receive({ type: 'subscribe', topic: 'settings.changed' });
    session.close();
    bus.publish('settings.changed', defaultSettings);
    expect(sent).toHaveLength(1);
  });
});

describe('createOutbox', () => {
  const row = (step: number) => ({ id: 'project_1', cycle: step % 2, phase: 'grpo', step }) as const;

  it('keeps the newest state of each thing, for one who is slow', () => {
    const sent: (readonly [string, unknown])[] = [];
    let ready = true;
    const outbox = createOutbox({ send: (topic, message) => sent.push([topic, message]), isReady: () => ready });
    outbox.push('settings.changed', { ...defaultSettings, theme: 'dark' });
    ready = false;
    for (const theme of ['light', 'system'] as const) outbox.push('settings.changed', { ...defaultSettings, theme });
    for (let i = 0; i < 1000; i++) {
      outbox.push('runs.rows', row(i));
      outbox.push('projects.changed', { id: `project_${i % 2}`, summary: null });
    }
    expect(sent).toHaveLength(1);
    expect(outbox.size).toBe(5);
    ready = true;
    outbox.flush();
    expect(outbox.size).toBe(0);
    expect(sent.slice(1).map(([topic]) => topic)).toEqual([
      'settings.changed',
      'runs.rows',
      'projects.changed',
      'runs.rows',
      'projects.changed',
    ]);
    expect(sent[1]?.[1]).toMatchObject({ theme: 'system' });
    expect([sent[2]?.[1], sent[4]?.[1]]).toEqual([row(998), row(999)]);
  });

  it('keeps the order of what waits and what comes next', () => {
    const sent: unknown[] = [];
    let ready = false;
    const outbox = createOutbox({ send: (_topic, message) => sent.push(message), isReady: () => ready });
    outbox.push('projects.changed', { id: 'project_1', summary: null });
    ready = true;
    outbox.push('projects.changed', { id: 'project_2', summary: null });
    expect(sent).toMatchObject([{ id: 'project_1' }, { id: 'project_2' }]);
  });
});
