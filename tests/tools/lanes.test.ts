// The lanes of the test files: each file is in the lane that its suffix names, and lanes run one after the other.
import path from 'node:path';
import { globSync } from 'tinyglobby';
import { createVitest } from 'vitest/node';
import { describe, expect, it } from 'vitest';
import { LaneByLane, LANES } from '../support/lanes.js';

const root = path.resolve(import.meta.dirname, '../..');
const files = globSync('tests/**/*.test.ts', { cwd: root }).toSorted();

describe('the lanes of the test files', () => {
  it('are named by the suffix of each file, or by none', () => {
    const suffixes = files.flatMap((file) => path.basename(file, '.test.ts').split('.').slice(1));
    expect(suffixes.filter((suffix) => suffix === 'light' || !(suffix in LANES))).toEqual([]);
  });

  it('run one after the other, each file once and in its lane', async () => {
    const vitest = await createVitest('test', { watch: false, root, globalSetup: [] });
    try {
      const sorted = await new LaneByLane(vitest).sort(await vitest.globTestSpecifications());
      const lanes = sorted.map(({ project }) => project.name);
      expect(lanes.filter((lane, i) => lane !== lanes[i - 1])).toEqual(Object.keys(LANES));
      expect(sorted.map(({ moduleId }) => path.relative(root, moduleId)).toSorted()).toEqual(files);
      for (const { moduleId, project } of sorted) {
        expect(path.basename(moduleId, '.test.ts').split('.')[1] ?? 'light', moduleId).toBe(project.name);
        expect(project.config.isolate).toBe(!LANES[project.name as keyof typeof LANES].shared);
      }
    } finally {
      await vitest.close();
    }
  });
});
