// What a container lacks or limits: a home folder, and processor time.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { usableCores } from '../../main/installation/environment.mjs';

const temporary = () => mkdtempSync(join(tmpdir(), 'verisim-environment-'));
const program = fileURLToPath(new URL('../../main/installation/environment.mjs', import.meta.url));
const homeOf = (env: Readonly<Record<string, string>>, uid?: number) => {
  const code = `import(${JSON.stringify(program)}).then((m) => console.log(m.homeFolder()))`;
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', code], { env, ...(uid === undefined ? {} : { uid }) });
  return `${String(stdout)}${String(stderr)}`.trim();
};

describe('the home folder', () => {
  const TMPDIR = temporary();
  it('is HOME where that is one', () => {
    expect(homeOf({ HOME: TMPDIR, TMPDIR })).toBe(TMPDIR);
  });

  it('is a temporary folder of this user’s where HOME is none', () => {
    const own = join(TMPDIR, `verisim-home-${process.getuid?.() ?? 0}`);
    for (let times = 0; times < 2; times++) expect(homeOf({ HOME: '/none/there', TMPDIR })).toBe(own);
  });

  it.runIf(process.getuid?.() === 0).each([{}, { HOME: '/' }])('is one for a user without an entry too: %j', (env) => {
    expect(homeOf(env, 12345)).toBe('/tmp/verisim-home-12345');
  });
});

describe('the cores', () => {
  const two = { 'proc/self/cgroup': '0::/a/b\n' };
  const one = { 'proc/self/cgroup': '7:blkio:/x\n1:cpu,cpuacct:/x\n0::/\n' };
  const inV1 = (quota: string, path = 'cpu') => ({
    ...one,
    [`sys/fs/cgroup/${path}/cpu.cfs_quota_us`]: quota,
    [`sys/fs/cgroup/${path}/cpu.cfs_period_us`]: '100000',
  });
  it.each([
    ['no control groups', {}, Infinity],
    ['no quota', { ...two, 'sys/fs/cgroup/a/b/cpu.max': 'max 100000' }, Infinity],
    ['a quota of one core', { ...two, 'sys/fs/cgroup/a/b/cpu.max': '100000 100000' }, 1],
    ['half a core', { ...two, 'sys/fs/cgroup/a/b/cpu.max': '50000 100000' }, 1],
    ['one and a half', { ...two, 'sys/fs/cgroup/a/b/cpu.max': '150000 100000' }, 2],
    ['a quota of the group above', { ...two, 'sys/fs/cgroup/a/cpu.max': '100000 100000' }, 1],
    ['a container that sees its own group as the root', { ...two, 'sys/fs/cgroup/cpu.max': '100000 100000' }, 1],
    ['version 1', inV1('100000'), 1],
    ['version 1, of the group within', inV1('100000', 'cpu/x'), 1],
    ['version 1 without a quota', inV1('-1'), Infinity],
    ['nonsense', { ...two, 'sys/fs/cgroup/cpu.max': '' }, Infinity],
  ])('%s', (_, files, most) => {
    const root = temporary();
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), text);
    }
    expect(usableCores(root)).toBe(Math.min(availableParallelism(), most));
  });
});
