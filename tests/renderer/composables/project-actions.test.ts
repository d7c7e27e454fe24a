// What a card of a project does: the file it offers to write is named after what is in it.
import { createPinia, setActivePinia } from 'pinia';
import { createApp } from 'vue';
import { expect, it, vi } from 'vitest';
import { clientKey } from '../../../renderer/composables/useClient.js';
import { useProjectActions } from '../../../renderer/composables/useActions.js';
import { wire } from '../../shared/client/wire.js';

vi.mock('@nuxt/ui/composables/useToast', () => ({ useToast: () => ({ add: vi.fn() }) }));
vi.mock('vue-router', () => ({ useRouter: () => ({ push: vi.fn() }) }));

it('a project is exported under the name that the terminal gives it: it is a tar archive', () => {
  const { client, sent, state } = wire();
  state('connected');
  const app = createApp({});
  const pinia = createPinia();
  app.use(pinia);
  setActivePinia(pinia);
  app.provide(clientKey, client);
  const { exportTo } = app.runWithContext(useProjectActions);
  void exportTo({ id: 'project_1', name: 'Moby-Dick' } as Parameters<typeof exportTo>[0]);
  expect(sent.filter((message) => message.type === 'call')).toContainEqual(
    expect.objectContaining({
      channel: 'files.chooseSave',
      input: { purpose: 'archive', suggested: 'Moby-Dick.verisim' },
    }),
  );
});
