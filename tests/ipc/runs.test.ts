/** What the window is told when a run is steered. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { absentSupervisor } from '../../main/services/machine/absent-supervisor.js';
import { createWorld, type World } from './world.js';

let world: World;
beforeEach(() => {
  world = createWorld({ supervisor: { ...absentSupervisor(), extend: async () => undefined } });
});
afterEach(() => world.close());

it('cycles that are added to a project are told of, as nothing runs that would tell', async () => {
  world.makeProject('book');
  const { projects } = (await world.ask('projects.list', {})) as { projects: { id: string }[] };
  const told: unknown[] = [];
  world.bus.listen((topic, message) => void told.push([topic, message]));
  const [id] = projects.map((project) => project.id);
  await world.ask('runs.extend', { id, iterations: 0, cycles: 1 });
  expect(told).toEqual([['projects.changed', expect.objectContaining({ id })]]);
});
