// What the window's side is made of: never TensorFlow, never Electron; and every library's licence as the library states it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { licences } from '../../main/services/machine/licences.js';

const root = join(import.meta.dirname, '../..');
const json = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8')) as Record<string, unknown>;

it('loads no TensorFlow and no Electron behind the dispatcher, neither at once nor later', async () => {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['main/services/index.ts', 'main/ipc/handlers/index.ts', 'main/server/index.ts'],
    outdir: 'none',
    write: false,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    metafile: true,
  });
  const imported = Object.values(metafile.inputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  expect(imported.length).toBeGreaterThan(100);
  expect(imported.filter((path) => /^@tensorflow|^electron/.test(path))).toEqual([]);
});

it('names every library that Verisim is built from, with its licence', () => {
  const names = [...Object.keys(json('package.json')['dependencies'] as object), 'electron'];
  const stated = names.map((name) => ({ name, licence: json(`node_modules/${name}/package.json`)['license'] }));
  // Of llama.cpp's packages only this system's is here.
  const native = Object.keys(json('package.json')['optionalDependencies'] as object).map(
    (name) => `node_modules/${name}`,
  );
  const locked = json('package-lock.json')['packages'] as Record<string, { readonly license: string }>;
  expect(new Set(native.map((path) => locked[path]?.license))).toEqual(new Set(['MIT']));
  expect(licences.filter(({ name }) => name !== '@node-llama-cpp')).toEqual(stated);
});
