// The server as a browser meets it: the address with its token, the pages, the contract over a real WebSocket.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serve, type Serving } from './serving.js';

let serving: Serving;
beforeEach(async () => {
  serving = await serve();
});
afterEach(() => serving.close());

describe('the contract over a WebSocket', () => {
  it('answers calls, refuses in words, and tells topics', async () => {
    const client = await serving.client();
    expect(await client.call('app.info', {})).toMatchObject({
      ok: true,
      value: { version: '1.2.3', transport: 'browser' },
    });
    expect(await client.call('projects.get', { id: 'project_none' })).toMatchObject({
      ok: false,
      fault: { code: 'file_not_found', field: 'id' },
    });
    const themes: string[] = [];
    client.subscribe('settings.changed', ({ theme }) => themes.push(theme));
    const changed = await client.call('settings.set', { theme: 'dark' });
    expect(changed).toMatchObject({ ok: true, value: { theme: 'dark', log_level: 'info' } });
    expect(themes).toEqual(['dark']);
    expect(serving.bugs).toEqual([]);
  });
});
