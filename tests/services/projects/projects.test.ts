// Projects as the window sees them: what folders say, who holds them, deleting and bringing back.
import { verbatim } from '../../../shared/messages/message.js';
import { existsSync, mkdirSync, readdirSync, rmdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Output } from '../../../shared/contract/index.js';
import type { ProjectDetails, ProjectSummary } from '../../../shared/contract/projects.js';
import { createSupervisor } from '../../../main/supervisor/index.js';
import type { Supervisor } from '../../../main/supervisor/types.js';
import { acquireLock } from '../../../main/storage/disk/lock.js';
import { absentSupervisor } from '../../../main/services/machine/absent-supervisor.js';
import { createWorld, type World } from '../../ipc/world.js';

let world: World;
beforeEach(() => {
  world = createWorld();
});
afterEach(() => world.close());

const list = async () => ((await world.ask('projects.list', {})) as { projects: ProjectSummary[] }).projects;
const only = async (): Promise<ProjectSummary> => {
  const [first, ...rest] = await list();
  if (first === undefined || rest.length > 0) throw new Error('not exactly one project');
  return first;
};
const projectOf = (name: string) => join(world.folder, 'projects', name);

function finishCycle(project: string, cycle: number, perplexity: number): void {
  const folder = join(project, 'cycles', String(cycle).padStart(2, '0'));
  mkdirSync(folder, { recursive: true });
  const samples = [{ prompt: 'It', completion: ' was' }];
  const report = { cycle, name: `base_model_v${cycle + 1}`, val_loss: 1, perplexity, samples, grpo: null };
  writeFileSync(join(folder, 'report.json'), JSON.stringify(report));
  mkdirSync(join(project, 'checkpoints', report.name), { recursive: true });
}

describe('what a project’s folder says', () => {
  it('is new, stopped, finished as its files are, wherever it was made', async () => {
    const project = world.makeProject('book', { max_cycles: 2 });
    expect(await only()).toMatchObject({ name: 'book', state: 'new', cycle: -1, max_cycles: 2 });
    expect((await only()).next).toEqual({ cycle: 0, phase: 'prepare' });
    finishCycle(project, 0, 9);
    expect(await only()).toMatchObject({ state: 'stopped', cycle: 0, perplexities: [9] });
    expect((await only()).next).toEqual({ cycle: 1, phase: 'reward_data' });
    mkdirSync(join(project, 'cycles', '01', 'reward_data'), { recursive: true });
    expect((await only()).next).toEqual({ cycle: 1, phase: 'critic' });
    finishCycle(project, 1, 8);
    finishCycle(project, 2, 8.5);
    const { id } = await only();
    const details = (await world.ask('projects.get', { id })) as ProjectDetails;
    expect(details.summary).toMatchObject({
      state: 'finished',
      ended: 'max_cycles',
      cycle: 2,
      perplexities: [9, 8, 8.5],
      next: null,
    });
    expect(details.models).toEqual(['base_model_v1', 'base_model_v2', 'base_model_v3']);
    expect(details.timeline.map(({ phases }) => phases.map(({ phase }) => phase))).toEqual([
      ['prepare', 'base_training', 'judge'],
      ['reward_data', 'critic', 'reward_model', 'grpo'],
      ['reward_data', 'reward_model', 'grpo'],
    ]);
    expect(details.timeline.flatMap(({ phases }) => phases.map(({ state }) => state))).not.toContain('waiting');
    const { reports } = (await world.ask('projects.reports', { id })) as { reports: unknown[] };
    expect(reports).toMatchObject([{ cycle: 0 }, { cycle: 1 }, { cycle: 2, perplexity: 8.5, grpo: null }]);
  });

  it('is finished when cycles have stopped helping, by the run’s own rule', async () => {
    const project = world.makeProject('book', { max_cycles: 9, cycle_patience: 2 });
    [9, 8, 8.1].forEach((perplexity, cycle) => finishCycle(project, cycle, perplexity));
    expect((await only()).state).toBe('stopped');
    finishCycle(project, 3, 8.2);
    expect((await only()).state).toBe('finished');
  });

  it('is elsewhere while another program holds it, and damaged or missing in words', async () => {
    const project = world.makeProject('book');
    const lock = acquireLock(project, 'verisim cycle');
    expect(await only()).toMatchObject({
      state: 'elsewhere',
      in_use_by: { pid: process.pid, host: hostname(), command: 'verisim cycle' },
    });
    const supervisor = createSupervisor({
      start: () => {
        throw new Error('nothing is started');
      },
      queueFile: join(world.folder, 'queue.json'),
    });
    const inUse = { code: 'locked', message: expect.stringContaining(`in use by process ${process.pid} on`) as string };
    await expect(supervisor.pause(project)).rejects.toMatchObject(inUse);
    await expect(supervisor.stop(project, 'step')).rejects.toMatchObject(inUse);
    await expect(supervisor.extend(project, { iterations: 0, cycles: 1 })).rejects.toMatchObject(inUse);
    lock.release();
    // A container that is gone.
    mkdirSync(join(project, 'lock'));
    const owner = join(project, 'lock', 'owner.json');
    const facts = { pid: 1, host: 'gone', command: 'verisim cycle' };
    writeFileSync(owner, JSON.stringify({ ...facts, start: '1', id: '00000000-0000-0000-0000-000000000000' }));
    expect(await only()).toMatchObject({ state: 'elsewhere', in_use_by: facts });
    const { id: held } = await only();
    await expect(world.ask('projects.takeOver', { id: held })).rejects.toMatchObject({ code: 'locked' });
    utimesSync(owner, 0, 0);
    expect(await only()).toMatchObject({ in_use_by: { ...facts, silent_since: '1970-01-01T00:00:00.000Z' } });
    await world.ask('projects.takeOver', { id: held });
    await expect(supervisor.pause(project)).rejects.toMatchObject({ message: 'book is not running' });
    await supervisor.close();
    expect(await only()).toMatchObject({ state: 'new' });
    writeFileSync(join(project, 'project.json'), '{');
    const { id } = await only();
    expect(await only()).toMatchObject({ state: 'damaged', fault: { code: 'file_damaged' } });
    await expect(world.ask('projects.get', { id })).rejects.toMatchObject({ code: 'file_damaged' });
    rmSync(project, { recursive: true });
    expect(await only()).toMatchObject({ id, state: 'missing', name: 'book' });
    await expect(world.ask('runs.start', { id })).rejects.toMatchObject({ code: 'file_not_found' });
  });

  it('takes a damaged report for a cycle that is not done', async () => {
    const project = world.makeProject('book');
    finishCycle(project, 0, 9);
    finishCycle(project, 1, 8);
    writeFileSync(join(project, 'cycles', '01', 'report.json'), '{"cycle":1}');
    expect(await only()).toMatchObject({ cycle: 0, perplexities: [9] });
  });

  it('takes a new name, but not while somebody works on it', async () => {
    const project = world.makeProject('book');
    const { id } = await only();
    const lock = acquireLock(project, 'verisim cycle');
    await expect(world.ask('projects.rename', { id, name: 'Whale' })).rejects.toMatchObject({ code: 'locked' });
    lock.release();
    await world.ask('projects.rename', { id, name: 'Whale' });
    expect(await only()).toMatchObject({ id, name: 'Whale' });
    expect(readdirSync(project)).toEqual(['project.json']);
  });

  it('is the same project when its folder is opened again, and none when the folder is none', async () => {
    const elsewhere = join(world.folder, 'elsewhere');
    mkdirSync(elsewhere);
    const handle = world.services.files.give(elsewhere).handle;
    await expect(world.ask('projects.open', { folder: handle })).rejects.toMatchObject({ code: 'file_not_found' });
    world.makeProject('book');
    const { id } = await only();
    expect(await world.ask('projects.open', { folder: world.services.files.give(projectOf('book')).handle })).toEqual({
      id,
    });
  });
});

describe('what the supervisor is doing', () => {
  it('shows before what the files say', async () => {
    let state: ReturnType<Supervisor['status']>['state'] = 'running';
    const supervisor: Supervisor = {
      ...absentSupervisor(),
      status: (folder) => ({
        folder,
        state,
        fault: state === 'failed' ? { code: 'diverged', message: verbatim('NaN'), hint: verbatim('Lower it.') } : null,
        phase: {
          event: 'phase',
          phase: 'grpo',
          state: 'started',
          cycle: 1,
          name: 'base_model_v2',
          message: verbatim(''),
        },
        progress: { event: 'progress', phase: 'grpo', done: 3, total: 9, unit: 'steps', rate: 2, seconds_left: 3 },
      }),
    };
    await world.close();
    world = createWorld({ supervisor });
    const project = world.makeProject('book');
    finishCycle(project, 0, 9);
    const { id, ...summary } = await only();
    expect(summary).toMatchObject({
      state: 'running',
      activity: { phase: 'grpo', cycle: 1, done: 3, seconds_left: 3 },
    });
    const { timeline } = (await world.ask('projects.get', { id })) as ProjectDetails;
    expect(timeline[1]?.phases.map((phase) => phase.state)).toEqual(['waiting', 'waiting', 'waiting', 'running']);
    state = 'waiting';
    expect(await only()).toMatchObject({ state: 'queued', activity: null });
    state = 'failed';
    expect(await only()).toMatchObject({ state: 'failed', fault: { code: 'diverged' } });
  });
});

describe('deleting a project', () => {
  it('puts it aside, and brings it back as it was', async () => {
    const project = world.makeProject('book');
    const { id } = await only();
    const { undo } = (await world.ask('projects.delete', { id })) as { undo: string };
    expect(existsSync(project)).toBe(false);
    expect(await list()).toEqual([]);
    const { projects } = (await world.ask('projects.deleted', {})) as Output<'projects.deleted'>;
    expect(projects).toEqual([{ undo, name: 'book', folder: project, deleted: expect.any(String) as string }]);
    expect(await world.ask('projects.restore', { undo })).toEqual({ id });
    expect(await world.ask('projects.deleted', {})).toEqual({ projects: [], then: 'gone' });
    expect(await only()).toMatchObject({ id, name: 'book', state: 'new' });
    expect(readdirSync(join(world.folder, 'projects'))).toEqual(['book']);
    await expect(world.ask('projects.restore', { undo })).rejects.toMatchObject({ code: 'file_not_found' });
  });

  it('leaves alone what somebody works on', async () => {
    const project = world.makeProject('book');
    const { id } = await only();
    const lock = acquireLock(project, 'verisim cycle');
    await expect(world.ask('projects.delete', { id })).rejects.toMatchObject({ code: 'locked' });
    lock.release();
    expect(readdirSync(join(world.folder, 'projects'))).toEqual(['book']);
    expect((await only()).state).toBe('new');
  });

  it('leaves it where it is when that cannot be noted', async () => {
    world.makeProject('book');
    const { id } = await only();
    mkdirSync(world.services.data.deleted);
    await expect(world.ask('projects.delete', { id })).rejects.toMatchObject({ code: 'file_not_readable' });
    expect(readdirSync(join(world.folder, 'projects'))).toEqual(['book']);
    rmdirSync(world.services.data.deleted);
  });

  it('does not put it in the place of something else', async () => {
    world.makeProject('book');
    const { undo } = (await world.ask('projects.delete', { id: (await only()).id })) as { undo: string };
    world.makeProject('book');
    await expect(world.ask('projects.restore', { undo })).rejects.toMatchObject({ code: 'exists' });
  });

  it('is for good when the app ends, or starts again after it was killed', async () => {
    world.makeProject('one');
    world.makeProject('two');
    const [one, two] = (await list()).toSorted((a, b) => a.name.localeCompare(b.name));
    await world.ask('projects.delete', { id: one?.id });
    await world.services.close();
    expect(readdirSync(join(world.folder, 'projects'))).toEqual(['two']);
    await world.ask('projects.delete', { id: two?.id });
    const again = createWorld({ folder: world.folder });
    await again.services.close();
    expect(readdirSync(join(world.folder, 'projects'))).toEqual([]);
  });

  it('is for good when it is asked for', async () => {
    world.makeProject('one');
    const { undo } = (await world.ask('projects.delete', { id: (await only()).id })) as { undo: string };
    await world.ask('projects.empty', {});
    expect(await world.ask('projects.deleted', {})).toEqual({ projects: [], then: 'gone' });
    expect(readdirSync(join(world.folder, 'projects'))).toEqual([]);
    await expect(world.ask('projects.restore', { undo })).rejects.toMatchObject({ code: 'file_not_found' });
  });

  it('only takes it off the list when its folder is gone already', async () => {
    rmSync(world.makeProject('book'), { recursive: true });
    const { handle } = world.services.files.give(world.makeProject('other'));
    await world.ask('projects.open', { folder: handle });
    const [other] = await list();
    rmSync(projectOf('other'), { recursive: true });
    await world.ask('projects.delete', { id: other?.id });
    expect(await list()).toEqual([]);
  });
});
