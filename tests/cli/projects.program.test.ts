/** Projects as things to list, clone, take along in one file and throw away: the real program, in real folders. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acquireLock } from '../../main/storage/disk/lock.js';
import { jsonLines, smallest, temporaryFolder, verisim, writeText } from './program.js';

const home = temporaryFolder();
const environment = { XDG_DATA_HOME: join(home, 'xdg') };
const run = (...args: string[]) => verisim(args, { cwd: home, environment });
const done = async (...args: string[]) => {
  const { code, stdout, stderr } = await run(...args, '--json');
  expect(code, stderr).toBe(0);
  return jsonLines(stdout).at(-1) ?? {};
};
const configOf = (project: string) =>
  (JSON.parse(readFileSync(join(home, project, 'project.json'), 'utf8')) as { config: Record<string, unknown> }).config;

beforeAll(async () => {
  await done('new', 'book', '--data_path', writeText(home, 300), ...smallest);
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe('projects', () => {
  it('are listed with their state', async () => {
    mkdirSync(join(home, 'no-project'));
    const { projects } = await done('list');
    expect(projects).toEqual([
      expect.objectContaining({ project: 'book', state: 'new', cycle: -1, exact: true, best_perplexity: null }),
    ]);
    const { stdout } = await run('list', 'no-project');
    expect(stdout).toContain(`No projects in ${join(home, 'no-project')}.`);
  });

  it('are cloned with changes, also when their text is gone', async () => {
    rmSync(join(home, 'input.txt'));
    await done('clone', 'book', '--to', 'wider', '--n_embd', '32');
    expect(configOf('wider')).toEqual({ ...configOf('book'), n_embd: 32 });
    expect(readdirSync(join(home, 'wider', 'data')).sort()).toEqual(readdirSync(join(home, 'book', 'data')).sort());
    const impossible = await run('clone', 'book', '--to', 'none', '--block_size', '60000');
    expect(impossible.code).toBe(2);
    expect(impossible.stderr).toContain('block_size of 60000 needs at least 60001');
    expect(existsSync(join(home, 'none'))).toBe(false);
  });

  it('go into one file and come back', async () => {
    const { file } = await done('export', 'book', '--format', 'project');
    expect(String(file)).toMatch(/book\.verisim$/);
    expect((await run('import', String(file))).stderr).toContain('is there already');
    await done('import', String(file), '--project', 'back');
    expect(configOf('back')).toEqual(configOf('book'));
  });

  it('go to the trash, unless something works on them', async () => {
    const lock = acquireLock(join(home, 'back'), 'a test');
    expect((await run('rm', 'back')).stderr).toContain('is in use by');
    lock.release();
    const { trash } = await done('rm', 'back');
    expect(trash).toBe(join(home, 'xdg', 'Trash', 'files', 'back'));
    expect(readdirSync(String(trash)).sort()).toEqual(['data', 'project.json']);
    expect(await done('rm', 'wider', '--force')).toMatchObject({ trash: null });
    expect(existsSync(join(home, 'wider'))).toBe(false);
    expect((await run('rm', 'no-project')).stderr).toContain('Not a Verisim project');
  });
});
