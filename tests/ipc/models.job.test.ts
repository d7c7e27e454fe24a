/** A model of the hub through the dispatcher: what it is, its download with progress, stopped and resumed, and its end. */
import { mkdtempSync, rmSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { FetchProgress, ModelEntry, ModelOffer } from '../../shared/contract/models.js';
import { serveHub, type HubServer } from '../storage/hub/hub-server.js';
import { browser, createWorld, type World } from './world.js';

let world: World;
let hub: HubServer;
const cache = mkdtempSync(join(tmpdir(), 'verisim-models-'));
const SIZE = 900_000;

beforeAll(async () => {
  const config = { model_type: 'llama', hidden_size: 8, intermediate_size: 16, num_hidden_layers: 1, vocab_size: 50 };
  const more = { num_attention_heads: 2, max_position_embeddings: 64 };
  const files = {
    'config.json': Buffer.from(JSON.stringify({ ...config, ...more })),
    'model.safetensors': randomBytes(SIZE),
  };
  hub = await serveHub({ 'some/model': { files, licence: 'mit' } });
  hub.pace = { bytes: 40_000, pause: 30 };
  vi.stubEnv('XDG_CACHE_HOME', cache);
  vi.stubEnv('HF_ENDPOINT', hub.endpoint);
  world = createWorld();
});
afterAll(async () => {
  await world.close();
  hub.close();
  vi.unstubAllEnvs();
  rmSync(cache, { recursive: true });
});

const id = 'some/model';
const stateOf = async () => {
  const { models } = (await world.ask('models.list', {})) as { models: ModelEntry[] };
  return models.find((entry) => entry.id === id)?.state ?? 'unlisted';
};

it('is described, fetched with progress, stopped, resumed and removed', async () => {
  const rings: string[] = [];
  world.bus.listen((topic) => rings.push(topic));
  const offer = (await world.ask('models.describe', { id })) as ModelOffer;
  expect(offer).toMatchObject({ id, licence: 'mit', architecture: 'llama', gated: false });
  expect(offer.missing).toBe(offer.size);
  expect(offer.size).toBeGreaterThan(SIZE);
  expect(await stateOf()).toBe('unlisted');

  const controller = new AbortController();
  const heard: FetchProgress[] = [];
  const onProgress = (value: unknown) => {
    heard.push(value as FetchProgress);
    if (heard.length === 3) controller.abort();
  };
  const stopped = world.dispatcher.dispatch('models.fetch', { id }, browser, { signal: controller.signal, onProgress });
  while (heard.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await stateOf()).toBe('fetching');
  expect(await stopped).toMatchObject({ ok: false, fault: { code: 'stopped' } });
  expect(heard.at(-1)).toMatchObject({ total: offer.size });
  expect(await stateOf()).toBe('partial');
  expect(((await world.ask('models.describe', { id })) as ModelOffer).missing).toBeLessThan(offer.size);

  hub.requests.length = 0;
  hub.pace = { bytes: 100_000, pause: 0 };
  const entry = (await world.ask('models.fetch', { id })) as ModelEntry;
  expect(entry).toMatchObject({ id, state: 'present', init_from: id, licence: 'mit', context: 64, here: offer.size });
  expect(entry.parameters).toBeGreaterThan(1000);
  expect(entry.needs[0]?.fits).toBe(true);
  expect(hub.requests.filter((each) => each.startsWith('content'))).toMatchObject([/bytes=\d+-$/]);
  expect(rings.length).toBeGreaterThanOrEqual(4);

  await world.ask('models.remove', { id });
  expect(await stateOf()).toBe('unlisted');
  await expect(world.ask('models.fetch', { id: 'some/none' })).rejects.toMatchObject({ code: 'file_not_found' });
  expect(world.bugs).toEqual([]);
});
