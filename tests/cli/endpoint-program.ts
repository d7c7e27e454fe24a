/** Starts `verisim serve --api` as a process, with two untrained versions and a reward model in the project `book`. */
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'vitest';
import { addUntrainedModels, addUntrainedRewardModels } from '../support/untrained-project.js';
import { program, smallest, verisim, writeText } from './program.js';

export interface Endpoint {
  readonly server: ChildProcess;
  readonly base: string;
  readonly token: string;
}

export async function startEndpointProgram(home: string): Promise<Endpoint> {
  const project = join(home, 'projects', 'book');
  const made = await verisim(['new', project, '--data_path', writeText(home, 1500), ...smallest]);
  expect(made.code, made.stderr).toBe(0);
  addUntrainedModels(project, ['base_model_v1', 'base_model_v2']);
  addUntrainedRewardModels(project, ['reward_model_v1']);
  const folders = ['--data_dir', join(home, 'data'), '--projects_dir', join(home, 'projects')];
  const flags = ['--api', '--api_port', '0', ...folders];
  const env = { ...process.env, VERISIM_TENSORFLOW: 'none' };
  const server = spawn(process.execPath, [program, 'serve', ...flags, '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env,
  });
  let output = '';
  const [base = '', token = ''] = await new Promise<string[]>((found, failed) => {
    server.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      const [, ...printed] = /base URL (\S+), API key ([\w-]+)/.exec(output) ?? [];
      if (printed.length > 0) found(printed);
    });
    server.once('exit', () => failed(new Error(output)));
  });
  return { server, base, token };
}
