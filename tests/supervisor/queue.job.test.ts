/** Several projects and one machine: they wait their turn, in an order that can be changed, and none is forgotten. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readQueue, writeQueue } from '../../main/supervisor/queue-file.js';
import { newProject, projectsHome, stepped, watched, withoutTensorflow } from './project.js';

const home = projectsHome();
withoutTensorflow();

const short = { max_iters: 5, max_cycles: 0 };

describe('the queue', () => {
  it('runs one project after the other in the order that was chosen, and remembers what was interrupted', async () => {
    const names = ['a', 'b', 'c', 'd'];
    const folders = await Promise.all(
      names.map((name) => newProject(`queue-${name}`, name === 'a' ? { max_iters: 5000 } : short)),
    );
    const [a = '', b = '', c = '', d = ''] = folders;
    const queueFile = join(home, 'kept-queue.json');
    const first = watched({ queueFile });
    const begun = first.untilTold(stepped('base_training', 3));
    for (const folder of folders) await first.supervisor.start(folder);
    const order = () => first.supervisor.queue().entries.map(({ folder, state }) => [folder, state]);
    expect(order()).toEqual([
      [a, 'running'],
      [b, 'waiting'],
      [c, 'waiting'],
      [d, 'waiting'],
    ]);
    first.supervisor.move(d, 0);
    first.supervisor.remove(c);
    await first.supervisor.pause(b); // waits already
    expect(order()).toEqual([
      [a, 'running'],
      [d, 'waiting'],
      [b, 'waiting'],
    ]);
    expect(first.supervisor.status(d).state).toBe('waiting');
    expect(first.supervisor.status(c).state).toBe('idle');
    await begun;
    await first.supervisor.close();
    expect(first.events).toContainEqual(expect.objectContaining({ type: 'ended', folder: a, outcome: 'stopped' }));
    expect(first.pids).toHaveLength(1);

    // Opened again: nothing runs before the person has answered.
    const second = watched({ queueFile });
    expect(second.supervisor.queue()).toEqual({ entries: [], interrupted: [a, d, b] });
    expect(second.pids).toEqual([]);
    const ends = [d, b].map((folder) => second.ended(folder));
    await second.supervisor.continueWith([d, b]);
    expect(second.supervisor.queue().interrupted).toEqual([]);
    for (const end of ends) expect(await end).toMatchObject({ outcome: 'finished' });
    const ended = second.events.flatMap((event) => (event.type === 'ended' ? [event.folder] : []));
    expect(ended).toEqual([d, b]);
    await second.supervisor.close();
    expect(readQueue(queueFile)).toEqual([]);
  });

  it('steers only what runs', async () => {
    const { supervisor } = watched();
    const folder = join(home, 'nowhere');
    for (const refused of [supervisor.pause(folder), supervisor.skip(folder), supervisor.change(folder, { beta: 1 })]) {
      await expect(refused).rejects.toMatchObject({ code: 'bad_input', hint: expect.any(String) as string });
    }
    await supervisor.stop(folder, 'step'); // already so
    await supervisor.close();
  });

  it('says what is wrong with a project that cannot be run', async () => {
    const { supervisor, ended } = watched();
    const folder = join(home, 'missing');
    const end = ended(folder);
    await supervisor.start(folder);
    expect(await end).toMatchObject({ outcome: 'failed', fault: { code: 'file_not_found' } });
    expect(supervisor.status(folder)).toMatchObject({ state: 'failed', fault: { code: 'file_not_found' } });
    await supervisor.close();
  });
});

describe('the queue on the disk', () => {
  const file = join(home, 'deep', 'queue.json');

  it('is written whole and read back, each folder once', () => {
    writeQueue(file, ['/x', '/y', '/x']);
    expect(readQueue(file)).toEqual(['/x', '/y']);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ format_version: 1 });
  });

  it('where it cannot be kept, what runs begins and ends all the same', async () => {
    writeFileSync(join(home, 'no-folder'), '');
    const { supervisor, ended } = watched({ queueFile: join(home, 'no-folder', 'queue.json') });
    const folder = join(home, 'missing-too');
    const end = ended(folder);
    await supervisor.start(folder);
    expect(await end).toMatchObject({ outcome: 'failed', fault: { code: 'file_not_found' } });
    expect(supervisor.queue().entries).toEqual([]);
    await supervisor.close();
  });

  it('missing or damaged, is empty', () => {
    expect(readQueue(join(home, 'no-queue.json'))).toEqual([]);
    for (const text of ['', '{', '{"format_version":2,"folders":[]}', '[]', '{"format_version":1,"folders":[1]}']) {
      writeFileSync(file, text);
      expect(readQueue(file)).toEqual([]);
    }
  });
});
