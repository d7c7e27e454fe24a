// The order in which the test files run: every file that is said to be slow is there, and comes first.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { globSync } from 'tinyglobby';
import { createVitest, type TestSpecification } from 'vitest/node';
import { describe, expect, it } from 'vitest';
import { SLOW_FILES, SlowFilesFirst } from '../support/slow-files-first.js';

const root = path.resolve(import.meta.dirname, '../..');

describe('the order of the test files', () => {
  it('names files that exist, each once', () => {
    expect(SLOW_FILES.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
    expect(new Set(SLOW_FILES).size).toBe(SLOW_FILES.length);
  });

  it('keeps those that share a process together, and runs each file once', async () => {
    const vitest = await createVitest('test', { watch: false, root, globalSetup: [] });
    try {
      const sorted = await new SlowFilesFirst(vitest).sort(await vitest.globTestSpecifications());
      const kinds = sorted.map(({ project }) => (project.config.isolate ? 'own' : project.name));
      const turns = kinds.filter((kind, i) => kind !== kinds[i - 1]);
      expect(turns).toEqual(['own', 'pages', 'tensorflow', 'operations', 'programs', 'jobs', 'own', 'light']);
      const names = sorted.map(({ moduleId }) => path.relative(root, moduleId)).toSorted();
      expect(names).toEqual(globSync('tests/**/*.test.ts', { cwd: root }).toSorted());
    } finally {
      await vitest.close();
    }
  });

  it('begins with the slow ones and keeps every other', async () => {
    const vitest = await createVitest('test', { watch: false, root, globalSetup: [] });
    try {
      const names = ['tests/shared/problems.test.ts', ...SLOW_FILES.slice(3, 6).toReversed(), SLOW_FILES[0] ?? ''];
      const files = names.map((name): TestSpecification =>
        vitest.getRootProject().createSpecification(path.join(root, name)),
      );
      const sorted = (await new SlowFilesFirst(vitest).sort(files)).map(({ moduleId }) =>
        path.relative(root, moduleId),
      );
      expect(sorted).toEqual([SLOW_FILES[0], ...SLOW_FILES.slice(3, 6), names[0]]);
    } finally {
      await vitest.close();
    }
  });
});
