/** Finding a project by its name, tags and note. */
import { expect, it } from 'vitest';
import { findProjects } from '../../../renderer/project/find-projects.js';
import { summaries } from '../../../tools/demo/projects.js';

it('finds projects by every word of name, tags and note', () => {
  const [moby, letters, ...others] = summaries;
  if (!moby || !letters) throw new Error('the demonstration has projects');
  const noted = { ...letters, notes: { tags: ['Für Omi', 'letters'], text: 'Learning rate 3e-4\nworked best' } };
  const found = (typed: string) => findProjects([moby, noted, ...others], typed).map(({ id }) => id);
  expect(found('MOBY')).toEqual([moby.id]);
  expect(found('  ')).toHaveLength(summaries.length);
  // The umlaut as a letter and its dots, as some keyboards make it.
  expect(found('fu\u0308r 3E-4')).toEqual([noted.id]);
  expect(found('omi moby')).toEqual([]);
});
