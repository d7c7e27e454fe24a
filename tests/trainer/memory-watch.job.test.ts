/** A real trainer that holds more and more memory: the person is told, and the run goes on. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { nodeTrainer } from '../../main/supervisor/trainer-process.js';
import { newProject, program, projectsHome, watched, withoutTensorflow } from '../supervisor/project.js';

const home = projectsHome();
withoutTensorflow();

/** The built trainer, which keeps another 300 MB at each checkpoint after the five that set the measure. */
function leakingTrainer(): string {
  const file = join(home, 'leaking-trainer.mjs');
  writeFileSync(
    file,
    `const kept = [];
     let checkpoints = 0;
     const send = process.send.bind(process);
     process.send = (message, ...rest) => {
       if (message.event?.event === 'checkpoint' && ++checkpoints > 5) kept.push(Buffer.alloc(300 * 2 ** 20, 1));
       return send(message, ...rest);
     };
     await import(${JSON.stringify(pathToFileURL(program).href)});`,
  );
  return file;
}

it('tells that memory is climbing, and goes on to the end', async () => {
  const short = { max_iters: 4, eval_interval: 2, reward_max_iters: 4, grpo_max_steps: 2 };
  const folder = await newProject('climbing', { ...short, max_cycles: 3, cycle_patience: 3 });
  const seen = watched({}, nodeTrainer(leakingTrainer()));
  const ended = seen.ended(folder);
  await seen.supervisor.start(folder);
  expect((await ended).outcome).toBe('finished');
  const notices = seen.events.flatMap((event) =>
    event.type === 'event' && event.event.event === 'notice' && event.event.code === 'memory' ? [event.event] : [],
  );
  expect(notices.length).toBeGreaterThan(0);
  expect(notices[0]?.message).toMatch(/^Memory is climbing: the trainer holds .* frees it and loses nothing/);
  await seen.supervisor.close();
});
