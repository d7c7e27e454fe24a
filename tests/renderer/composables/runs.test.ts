// What is compared while it trains: its table fills in as the projects train.
import { createPinia } from 'pinia';
import { createApp, effectScope } from 'vue';
import { afterEach, expect, it } from 'vitest';
import { clientKey } from '../../../renderer/composables/useClient.js';
import { useRuns } from '../../../renderer/composables/useProject.js';
import { createClient, type Transport } from '../../../shared/client/index.js';
import { createDemoTransport } from '../../../tools/demo/transport.js';

const scope = effectScope(true);
afterEach(() => scope.stop());

it('a project that comes to another phase is loaded again, the others are not', async () => {
  const calls: string[] = [];
  const demo = createDemoTransport({});
  const transport: Transport = {
    ...demo,
    send(message) {
      const { id = '' } = message.type === 'call' ? (message.input as { id?: string }) : {};
      if (message.type === 'call') calls.push(`${message.channel} ${id}`.trim());
      demo.send(message);
    },
  };
  const client = createClient(transport);
  const app = createApp({});
  app.provide(clientKey, client);
  app.use(createPinia());
  const ids = ['project_moby', 'project_shakespeare'];
  const found = app.runWithContext(() => scope.run(() => useRuns(() => ids)));
  const states = () => found?.runs.value.map(({ details }) => details.summary.state);
  await expect.poll(states).toEqual(['running', 'finished']);
  calls.length = 0;
  await client.call('runs.pause', { id: 'project_moby' });
  await expect.poll(states).toEqual(['paused', 'finished']);
  const about = ['circumstances', 'get', 'reports'].map((what) => `projects.${what} project_moby`);
  expect(calls.toSorted()).toEqual([...about, 'runs.pause project_moby']);
  client.close();
});
