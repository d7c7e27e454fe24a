// Every channel has a handler, and no payload that anyone could send makes one crash or break the contract.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { contract, channelNames, replySchema } from '../../shared/contract/index.js';
import { projectShape } from '../../shared/config/index.js';
import { cacheFolder } from '../../main/installation/locations.mjs';
import { createHandlers } from '../../main/ipc/handlers/index.js';
import { hubFolder } from '../../main/storage/hub/hub-cache.js';
import { createWorld, browser, type World } from './world.js';
import { PAYLOADS, payloads } from './payloads.js';

let world: World;
let cache: string;
beforeAll(() => {
  // Names that happen to be a model's are asked of nobody, and nothing that was ever fetched is removed by one.
  vi.stubEnv('HF_ENDPOINT', 'http://127.0.0.1:1');
  cache = cacheWithoutModels();
  vi.stubEnv('XDG_CACHE_HOME', cache);
  world = createWorld();
  for (const name of ['one', 'two', 'three']) world.makeProject(name);
  writeFileSync(join(world.makeProject('damaged'), 'project.json'), '{');
});
afterAll(async () => {
  await world.close();
  vi.unstubAllEnvs();
  rmSync(cache, { recursive: true });
});

/** The person's cache folder, with another folder for models of the hub. */
function cacheWithoutModels(): string {
  const [own, folder] = [cacheFolder(), mkdtempSync(join(tmpdir(), 'verisim-cache-'))];
  mkdirSync(join(folder, basename(own)));
  for (const name of readdirSync(own))
    if (name !== basename(hubFolder())) symlinkSync(join(own, name), join(folder, basename(own), name));
  return folder;
}

/** Those that exist at the moment; a payload may have deleted some. */
function identifiers(): string[] {
  const { registry, drafts, files } = world.services;
  if (registry.list().length < 3) world.makeProject(`more-${Date.now()}`);
  const draft = drafts.list()[0] ?? drafts.create({ name: 'a draft' });
  return [
    ...registry.list().map(({ id }) => id),
    draft.id,
    files.give(world.text).handle,
    files.give(world.folder).handle,
    files.give(join(world.folder, 'projects', 'one')).handle,
    files.give(join(world.folder, 'saved.bin'), 'write').handle,
  ];
}

describe('the contract', () => {
  it('has one handler for every channel, and none besides', () => {
    expect(Object.keys(createHandlers(world.services)).sort()).toEqual([...channelNames].sort());
  });

  it.each(channelNames)(`%s: ${PAYLOADS} payloads are answered or refused, and nothing breaks`, async (channel) => {
    const { input, output } = contract[channel];
    const reply = replySchema(output);
    let cached: readonly string[] = [];
    let count = 0;
    const known = {
      keys: Object.keys(projectShape),
      identifiers: () => (count++ % 50 === 0 ? (cached = identifiers()) : cached),
    };
    world.bugs.length = 0;
    await fc.assert(
      fc.asyncProperty(payloads(input, known), async (payload) => {
        const answer = await world.dispatcher.dispatch(channel, payload, browser);
        expect(reply.safeParse(answer).error).toBeUndefined();
        if (!answer.ok) expect(answer.fault.hint).not.toBe('');
        if (!input.safeParse(payload).success)
          expect(answer).toMatchObject({ ok: false, fault: { code: 'bad_input' } });
      }),
      { numRuns: PAYLOADS },
    );
    expect(world.bugs[0]).toBeUndefined();
  });

  it('refuses channels that are none, whatever they are called', async () => {
    for (const name of ['', 'constructor', '__proto__', 'toString', 'projects.get ', 'x'.repeat(100_000)]) {
      const answer = await world.dispatcher.dispatch(name, {}, browser);
      expect(answer).toMatchObject({ ok: false, fault: { code: 'bad_input' } });
      expect(JSON.stringify(answer).length).toBeLessThan(500);
    }
  });
});
