/**
 * The supervisor with the real TensorFlow in its trainer, which the other tests here leave out to be quick: what is
 * paused, resumed, killed, stopped and started again ends in the bytes of a run that nobody touched.
 */
import { afterAll, expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codes, newProject, outcome, projectsHome, stepped, watched, type Watched } from './project.js';

projectsHome();

const open: Watched[] = [];
afterAll(async () => {
  await Promise.all(open.map(({ supervisor }) => supervisor.close()));
});

const watch = () => {
  const watching = watched();
  open.push(watching);
  return watching;
};

it(
  'paused, resumed, killed, stopped and started again, ends as one that ran through',
  { timeout: 400_000 },
  async () => {
    const whole = await newProject('tensorflow-whole');
    const first = watch();
    const wholeEnd = first.ended(whole);
    await first.supervisor.start(whole);
    expect(await wholeEnd).toMatchObject({ outcome: 'finished', fault: null });
    const kept = JSON.parse(readFileSync(join(whole, 'circumstances.json'), 'utf8')) as object;
    expect(JSON.stringify(kept)).toContain('tensorflow');

    const folder = await newProject('tensorflow');
    const { supervisor, pids, events, ended, until, untilTold } = watch();
    const stopped = ended(folder);
    await supervisor.start(folder);
    await untilTold(stepped('base_training', 5));
    await supervisor.pause(folder);
    await until((event): event is typeof event => event.type === 'status' && event.status.state === 'paused');
    await supervisor.resume(folder);
    await untilTold(stepped('base_training', 12));
    process.kill(pids[0] ?? 0, 'SIGKILL');
    // Before GRPO: the next process then need not compile it once more.
    await untilTold((event) => event.event === 'progress' && event.phase === 'reward_data');
    expect(pids).toHaveLength(2);
    await supervisor.stop(folder, 'step');
    expect(await stopped).toMatchObject({ outcome: 'stopped', fault: null });
    const end = ended(folder);
    await supervisor.start(folder);
    expect(await end).toMatchObject({ outcome: 'finished', fault: null });
    expect(codes(events)).toContain('trainer_restarted');
    expect(codes(events)).not.toContain('runtime_fallback');
    expect(outcome(folder)).toEqual(outcome(whole));
  },
);
