// One window's conversation, and what a slow window is told.
import { describe, expect, it } from 'vitest';
import type { ServerMessage } from '../../shared/client/messages.js';
import { defaultSettings } from '../../shared/contract/machine.js';
import type { JobEvent } from '../../shared/events.js';
import type { Door } from '../../main/ipc/door.js';
import { createOutbox, keptEvents } from '../../main/ipc/outbox.js';
import { createSession } from '../../main/ipc/session.js';
import { createHub } from '../../main/ipc/topics.js';
import { browser } from './world.js';

/** A door that answers when told to. */
function slowDoor() {
  const asked: { channel: string; signal: AbortSignal | undefined; progress(value: unknown): void; answer(): void }[] =
    [];
  const door: Door = {
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
  return { door, asked };
}

describe('createSession', () => {
  it('tells progress and the reply under the number of the call', async () => {
    const { door, asked } = slowDoor();
    const sent: ServerMessage[] = [];
    const session = createSession({ door, hub: createHub(), caller: browser, send: (message) => sent.push(message) });
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
    const { door, asked } = slowDoor();
    const sent: ServerMessage[] = [];
    const session = createSession({ door, hub: createHub(), caller: browser, send: (message) => sent.push(message) });
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
    const session = createSession({ door: slowDoor().door, hub: createHub(), caller: browser, send: () => undefined });
    for (const raw of [undefined, null, 'call', [], {}, { type: 'call', id: -1, channel: 'a', input: {} }]) {
      expect(session.receive(raw)).toBe(false);
    }
    expect(session.receive({ type: 'subscribe', topic: 'constructor' })).toBe(false);
  });

  it('tells only topics that are listened to, and none after the window has gone', () => {
    const sent: ServerMessage[] = [];
    const hub = createHub();
    const session = createSession({
      door: slowDoor().door,
      hub,
      caller: browser,
      send: (message) => sent.push(message),
    });
    hub.publish('settings.changed', defaultSettings);
    session.receive({ type: 'subscribe', topic: 'settings.changed' });
    hub.publish('settings.changed', defaultSettings);
    session.receive({ type: 'unsubscribe', topic: 'settings.changed' });
    hub.publish('settings.changed', defaultSettings);
    expect(sent).toEqual([{ type: 'message', topic: 'settings.changed', message: defaultSettings }]);
    session.receive({ type: 'subscribe', topic: 'settings.changed' });
    session.close();
    hub.publish('settings.changed', defaultSettings);
    expect(sent).toHaveLength(1);
  });

  it('lets nobody publish what breaks the contract', () => {
    const hub = createHub();
    hub.listen(() => undefined);
    expect(() => hub.publish('settings.changed', { theme: 'purple' } as never)).toThrow();
  });
});

describe('createOutbox', () => {
  const progress = (done: number): JobEvent => ({
    event: 'progress',
    phase: 'grpo',
    done,
    total: 9,
    unit: 'steps',
    rate: null,
    seconds_left: null,
  });
  const notice = (code: string): JobEvent => ({ event: 'notice', level: 'info', code, message: '' });

  it('keeps the newest state of each thing, and of a run its last events, for one who is slow', () => {
    const sent: (readonly [string, unknown])[] = [];
    let ready = true;
    const outbox = createOutbox({ send: (topic, message) => sent.push([topic, message]), isReady: () => ready });
    outbox.push('settings.changed', { ...defaultSettings, theme: 'dark' });
    ready = false;
    for (const theme of ['light', 'system'] as const) outbox.push('settings.changed', { ...defaultSettings, theme });
    for (let i = 0; i < 1000; i++) {
      outbox.push('runs.events', { id: 'project_1', events: [progress(i), notice(String(i))] });
      outbox.push('projects.changed', { id: `project_${i % 2}`, summary: null });
    }
    expect(sent).toHaveLength(1);
    expect(outbox.size).toBe(4);
    ready = true;
    outbox.flush();
    expect(outbox.size).toBe(0);
    expect(sent.slice(1).map(([topic]) => topic)).toEqual([
      'settings.changed',
      'runs.events',
      'projects.changed',
      'projects.changed',
    ]);
    expect(sent[1]?.[1]).toMatchObject({ theme: 'system' });
    const { events } = sent[2]?.[1] as { readonly events: readonly JobEvent[] };
    expect(events).toHaveLength(keptEvents);
    expect(events.filter(({ event }) => event === 'progress')).toEqual([progress(999)]);
    expect(events.at(-1)).toEqual(notice('999'));
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
