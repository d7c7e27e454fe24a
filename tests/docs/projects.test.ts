/** docs/projects.md lists what lies in a project's folder: exactly what the code knows of. */
import { readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { projectPaths } from '../../main/storage/projects/project-paths.js';

const page = readFileSync(join(resolve(import.meta.dirname, '../..'), 'docs/projects.md'), 'utf8');
const [, listing = ''] = /\n( {4}<project>\/[^]*?)\n\n/.exec(page) ?? [];

it('lists every place of a project, and no other', () => {
  const { cycle, folder, ...places } = projectPaths('/project');
  const names = Object.values(places).flatMap((place) => (typeof place === 'string' ? relative(folder, place) : []));
  const listed = [...listing.matchAll(/^ +(?:<project>\/)?([\w.]+)[/ ]/gm)].map(([, name = '']) => name);
  expect(new Set(listed.filter((name) => !/^reward_/.test(name)))).toEqual(new Set([...names, 'lock']));
  const { folder: ofCycle, ...inCycle } = cycle(1);
  for (const place of Object.values(inCycle)) expect(listing).toContain(relative(ofCycle, place));
});
