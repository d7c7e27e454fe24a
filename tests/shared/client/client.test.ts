// The client over a transport whose other end is the test: replies, progress, cancelling, losses.
import { verbatim } from '../../../shared/messages/message.js';
import { describe, expect, it, vi } from 'vitest';
import { defaultSettings } from '../../../shared/contract/machine.js';
import { wire } from './wire.js';

const dark = { ...defaultSettings, theme: 'dark' } as const;

describe('createClient', () => {
  it('sends what was asked before the connection stood, and matches answers to questions', async () => {
    const { client, sent, message, state } = wire();
    const first = client.call('settings.get', {});
    const second = client.call('files.describe', { handle: 'file_1' });
    expect(sent).toEqual([]);
    state('connected');
    expect(sent).toEqual([
      { type: 'call', id: 0, channel: 'settings.get', input: {} },
      { type: 'call', id: 1, channel: 'files.describe', input: { handle: 'file_1' } },
    ]);
    const fault = { code: 'file_not_found', message: verbatim('Gone.'), hint: verbatim('Look elsewhere.') };
    message({ type: 'reply', id: 1, reply: { ok: false, fault } });
    message({ type: 'reply', id: 0, reply: { ok: true, value: dark } });
    expect(await first).toEqual({ ok: true, value: dark });
    expect(await second).toEqual({ ok: false, fault });
  });

  it('tells progress until the answer, and asks for an end when it is cancelled', async () => {
    const { client, sent, message, state } = wire();
    state('connected');
    const onProgress = vi.fn();
    const controller = new AbortController();
    const answer = client.call('drafts.preview', { id: 'draft_1' }, { onProgress, signal: controller.signal });
    message({ type: 'progress', id: 0, progress: { done: 1, total: 2 } });
    message({ type: 'progress', id: 0, progress: { rubbish: true } });
    message({ type: 'progress', id: 7, progress: { done: 2, total: 2 } });
    expect(onProgress.mock.calls).toEqual([[{ done: 1, total: 2 }]]);
    controller.abort();
    expect(sent.at(-1)).toEqual({ type: 'cancel', id: 0 });
    // On its way already.
    message({ type: 'progress', id: 0, progress: { done: 2, total: 2 } });
    expect(onProgress).toHaveBeenCalledOnce();
    message({ type: 'reply', id: 0, reply: { ok: false, fault: { code: 'stopped', message: 'Stopped.', hint: '' } } });
    expect(await answer).toMatchObject({ ok: false, fault: { code: 'stopped' } });
    controller.abort();
    expect(sent).toHaveLength(2);
  });

  it('never sends what was cancelled before it could be', async () => {
    const { client, sent, state } = wire();
    const controller = new AbortController();
    const waiting = client.call('settings.get', {}, { signal: controller.signal });
    controller.abort();
    expect(await waiting).toMatchObject({ ok: false, fault: { code: 'stopped' } });
    expect(await client.call('settings.get', {}, { signal: controller.signal })).toMatchObject({ ok: false });
    state('connected');
    expect(sent).toEqual([]);
  });

  it('answers what was under way when the connection broke, and goes on with the rest', async () => {
    const { client, sent, message, state } = wire();
    state('connected');
    const themes: string[] = [];
    const end = client.subscribe('settings.changed', ({ theme }) => themes.push(theme));
    client.subscribe('settings.changed', ({ theme }) => themes.push(theme));
    const lost = client.call('settings.get', {});
    state('connecting');
    expect(await lost).toMatchObject({ ok: false, fault: { code: 'disconnected' } });
    const next = client.call('settings.get', {});
    sent.length = 0;
    state('connected');
    expect(sent).toMatchObject([{ type: 'subscribe', topic: 'settings.changed' }, { type: 'call' }]);
    message({ type: 'reply', id: 1, reply: { ok: true, value: dark } });
    expect(await next).toMatchObject({ ok: true });
    message({ type: 'message', topic: 'settings.changed', message: dark });
    expect(themes).toEqual(['dark', 'dark']);
    end();
    end();
    message({ type: 'message', topic: 'settings.changed', message: dark });
    expect(themes).toHaveLength(3);
    expect(sent).toHaveLength(2);
  });

  it('ends everything when it is closed', async () => {
    const { client } = wire();
    const states: string[] = [];
    client.onState((state) => states.push(state));
    const waiting = client.call('settings.get', {});
    client.close();
    expect(await waiting).toMatchObject({ ok: false, fault: { code: 'disconnected' } });
    expect(await client.call('settings.get', {})).toMatchObject({ ok: false, fault: { code: 'disconnected' } });
    expect(states).toEqual(['closed']);
  });

  it('takes no answer that the contract does not have, and ignores what is no message', async () => {
    const { client, message, state } = wire();
    state('connected');
    const heard = vi.fn();
    client.subscribe('settings.changed', heard);
    const answer = client.call('settings.get', {});
    for (const rubbish of [null, 1, 'x', {}, { type: 'reply' }, { type: 'message', topic: '__proto__', message: {} }]) {
      message(rubbish);
    }
    message({ type: 'message', topic: 'settings.changed', message: { theme: 'purple' } });
    message({ type: 'reply', id: 0, reply: { ok: true, value: { theme: 'purple' } } });
    expect(await answer).toMatchObject({ ok: false, fault: { code: 'internal' } });
    expect(heard).not.toHaveBeenCalled();
  });
});
