/** Labels of compared projects. */
import { expect, it } from 'vitest';
import { runLabels } from '../../../renderer/project/run-labels.js';

it('labels a project by its name, and by its folder too if another one has that name', () => {
  const runs = [
    { id: 'a', name: 'my novel', folder: '/home/ana/novel' },
    { id: 'b', name: 'my novel', folder: '/home/ana/old/novel' },
    { id: 'c', name: 'my novel', folder: 'D:\\texts\\second' },
    { id: 'd', name: 'recipes', folder: '/home/ana/recipes' },
  ];
  expect([...runLabels(runs).values()]).toEqual([
    'my novel (ana/novel)',
    'my novel (old/novel)',
    'my novel (second)',
    'recipes',
  ]);
});
