// A project that waits for people's votes: shown as such, begun again by the vote that decides, or let go without.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ProjectSummary } from '../../../shared/contract/projects.js';
import type { RatingsView } from '../../../shared/contract/ratings.js';
import { openProject, openProjectForWriting } from '../../../main/storage/projects/project-folder.js';
import { openDesk } from '../../../main/jobs/rating/desk.js';
import { writePassages, taskFolder } from '../../../main/storage/projects/ratings.js';
import { absentSupervisor } from '../../../main/services/machine/absent-supervisor.js';
import { createWorld, type World } from '../../ipc/world.js';
import { fixRatingKey } from '../../support/untrained-project.js';

let world: World;
let folder: string;
let id: string;
const started: string[] = [];
const told: (ProjectSummary['state'] | undefined)[] = [];

beforeEach(async () => {
  started.length = 0;
  told.length = 0;
  const start = async (project: string) => void started.push(project);
  world = createWorld({ supervisor: { ...absentSupervisor(), start } });
  folder = world.makeProject('book', { stop_when: 'people', max_cycles: 3 });
  fixRatingKey(openProject(folder).paths.ratings);
  for (const cycle of [0, 1]) {
    const at = join(folder, 'cycles', `0${cycle}`);
    const name = `base_model_v${cycle + 1}`;
    mkdirSync(at, { recursive: true });
    writeFileSync(join(at, 'report.json'), JSON.stringify({ cycle, name, val_loss: 1, perplexity: 9, samples: [] }));
    mkdirSync(join(folder, 'checkpoints', name), { recursive: true });
    const passages = Array.from({ length: 60 }, (_, row) => ({ prompt: `So ${row}`, text: ` it went, said ${name}.` }));
    writePassages(taskFolder(openProject(folder).paths.ratings, 'pair'), name, passages);
  }
  ({ id } = await only());
  world.bus.listen((topic, message) => {
    if (topic === 'projects.changed') told.push((message as { summary: ProjectSummary | null }).summary?.state);
  });
});
afterEach(() => world.close());

async function only(): Promise<ProjectSummary> {
  const { projects } = (await world.ask('projects.list', {})) as { projects: ProjectSummary[] };
  const [first] = projects;
  if (!first) throw new Error('no project');
  return first;
}
const asked = { task: 'pair', against: 'previous' } as const;

/** Votes for one version until it is decided. @returns how many that took */
async function voteUntilDecided(preferred: string): Promise<number> {
  for (let votes = 0; votes < 60; votes++) {
    if ((await only()).state !== 'awaiting_votes') return votes;
    const { waiting } = (await world.ask('ratings.get', { id, ...asked })) as RatingsView;
    const [question] = waiting;
    if (question?.task !== 'pair') throw new Error('nothing is left');
    const answer = question.first.includes(preferred) ? 'first' : 'second';
    await world.ask('ratings.vote', { id, ...asked, question: question.id, answer, seconds: 2 });
  }
  throw new Error('undecided');
}

it('waits, says for how many votes on what, and goes on with the vote that decides', async () => {
  expect(await only()).toMatchObject({
    state: 'awaiting_votes',
    ended: null,
    awaits: { votes: 140, newest: 'base_model_v2', previous: 'base_model_v1' },
  });
  const votes = await voteUntilDecided('v2');
  expect(votes).toBeGreaterThan(7);
  expect(started).toEqual([folder]);
  expect(told.at(-1)).toBe('stopped');
  expect(told.slice(0, -1).every((state) => state === 'awaiting_votes')).toBe(true);
  // The undo of the vote that decided has it wait again, as long as the cycle has not begun.
  await world.ask('ratings.undo', { id, ...asked });
  expect((await only()).state).toBe('awaiting_votes');
  expect(openDesk(folder, { ...asked, rater: 'you' }, Date.now).view().rated).toBe(votes - 1);
});

/** The same folders in a program that was only just started. @returns what it begins by itself */
async function afterAKill(): Promise<string[]> {
  const begun: string[] = [];
  const supervisor = { ...absentSupervisor(), start: async (project: string) => void begun.push(project) };
  const other = createWorld({ supervisor, folder: world.folder });
  await other.services.votes.goOn(other.services.registry.list().map(({ folder }) => folder));
  const { projects } = (await other.ask('projects.list', {})) as { projects: ProjectSummary[] };
  expect(projects[0]?.state).toBe((await only()).state);
  return begun;
}

it('killed while it waits it waits on, and killed with the deciding vote it goes on, once', async () => {
  expect(await afterAKill()).toEqual([]);
  const { waiting } = (await world.ask('ratings.get', { id, ...asked })) as RatingsView;
  const desk = openDesk(folder, { ...asked, rater: 'you' }, Date.now);
  for (const question of waiting) {
    if ((await only()).state !== 'awaiting_votes') break;
    if (question.task !== 'pair') throw new Error(question.task);
    // Kept, and ended before anything could follow from it; the same in the terminal, which begins nothing.
    desk.vote(question.id, question.first.includes('v2') ? 'first' : 'second', 3);
    const isDecided = (await only()).state === 'stopped';
    expect(await afterAKill()).toEqual(isDecided ? [folder] : []);
  }
  expect((await only()).state).toBe('stopped');
  expect(started).toEqual([]);
  // Somebody works on it; then its cycle has begun, and was stopped.
  const { lock } = openProjectForWriting(folder, 'verisim cycle');
  expect(await afterAKill()).toEqual([]);
  lock.release();
  mkdirSync(join(folder, 'cycles', '02'), { recursive: true });
  expect(await afterAKill()).toEqual([]);
});
