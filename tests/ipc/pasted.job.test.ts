/** A pasted text becomes a file of the app, named after its first words. */
import { basename } from 'node:path';
import { readFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import type { FileInfo } from '../../shared/contract/values.js';
import { createWorld } from './world.js';
import '../support/messages.js';

const world = createWorld();
afterAll(() => world.close());

it.each([
  ['Call me Ishmael. Some years ago, never mind.', 'Call me Ishmael. Some years.txt'],
  ['  毎日\nnew / line\\s: and more words here', '毎日 new  lines_ and.txt'],
  ['../../etc/passwd', 'etcpasswd.txt'],
  ['…', 'text.txt'],
])('%j', async (text, name) => {
  const file = (await world.ask('files.paste', { text })) as FileInfo;
  const path = world.services.files.pathOf(file.handle);
  expect([file.name, basename(path)]).toEqual([name, name]);
  expect(readFileSync(path, 'utf8')).toBe(text);
});
