/** On which device a project's trainers are started. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { projectConfigSchema } from '../../shared/config/index.js';
import type { FromTrainer } from '../../shared/contract/trainer.js';
import { createProject, openProject } from '../../main/storage/projects/project-folder.js';
import { createSupervisor } from '../../main/supervisor/index.js';
import type { TrainerProcess } from '../../main/supervisor/trainer-process.js';

const home = mkdtempSync(join(tmpdir(), 'verisim-device-'));
afterAll(() => rmSync(home, { recursive: true }));

it('is the project’s, the processor for what another process continues, and the processor from then on if that is wanted', async () => {
  const folder = join(home, 'project');
  const config = projectConfigSchema.parse({ data_path: join(home, 'text.txt') });
  createProject(folder, config, { name: 'project', verisim_version: '0.1.0' });
  const devices: (string | undefined)[] = [];
  let [say, end] = [(_: FromTrainer) => {}, (_: string) => {}];
  const supervisor = createSupervisor({
    queueFile: join(home, 'queue.json'),
    start(given): TrainerProcess {
      devices.push(given?.device);
      return {
        pid: undefined,
        send: () => undefined,
        onMessage: (listener) => void (say = listener),
        onEnd: (listener) => void (end = listener),
        kill: () => end('SIGKILL'),
      };
    },
  });
  const stop = (outcome: 'continues' | 'failed') => {
    say({ message: 'ended', outcome, fault: null });
    end('0');
  };
  await supervisor.start(folder);
  stop('continues');
  stop('failed');
  expect(openProject(folder).config.device).toBe('auto');
  await supervisor.start(folder, 'cpu');
  expect(openProject(folder).config.device).toBe('cpu');
  stop('failed');
  await supervisor.start(folder);
  stop('failed');
  expect(devices).toEqual(['auto', 'cpu', 'cpu', 'cpu']);
  await supervisor.close();
});
