// One writer at a time, whatever happens to it; real processes take the lock here and are really killed.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { createInterface } from 'node:readline';
import { buildSync } from 'esbuild';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { acquireLock, lockHolder, silentSince, takeOver } from '../../../main/storage/disk/lock.js';
import { recover } from '../../../main/storage/disk/atomic.js';
import { UserError } from '../../../shared/errors.js';
import { Crash, temporaryFolder, withEveryFault } from '../faults.js';

let build: string;
let project: string;
const children: ChildProcess[] = [];

beforeAll(() => {
  build = temporaryFolder();
  buildSync({
    entryPoints: [path.join(import.meta.dirname, 'lock-holder.ts')],
    outfile: path.join(build, 'holder.cjs'),
    bundle: true,
    platform: 'node',
  });
});
afterAll(() => fs.rmSync(build, { recursive: true }));
beforeEach(() => {
  project = temporaryFolder();
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  fs.rmSync(project, { recursive: true });
});

/** Starts a process that tries to take the lock, and waits for what it says. */
async function startHolder() {
  const child = spawn(process.execPath, [path.join(build, 'holder.cjs'), project], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async (): Promise<unknown> => JSON.parse(String((await lines.next()).value));
  const answered = await answer();
  const send = (line: string) => child.stdin.write(`${line}\n`);
  return { child, answered, send, answer };
}

const entries = () => fs.readdirSync(project);
const own = {
  pid: process.pid,
  host: os.hostname(),
  start: '0',
  command: 'x',
  id: '00000000-0000-0000-0000-000000000000',
};

function writeOwner(owner: object | string): void {
  fs.mkdirSync(path.join(project, 'lock'));
  fs.writeFileSync(path.join(project, 'lock', 'owner.json'), typeof owner === 'string' ? owner : JSON.stringify(owner));
}

describe('acquireLock', () => {
  it('refuses a second process, and tells it who holds the project', async () => {
    const lock = acquireLock(project, 'verisim cycle');
    const { answered } = await startHolder();
    expect(answered).toMatchObject({
      code: 'locked',
      message: {
        code: 'disk.in_use_by',
        params: { project, pid: String(process.pid), host: os.hostname(), command: 'verisim cycle' },
      },
      hint: { code: 'disk.wait_or_stop' },
    });
    expect(lockHolder(project)).toMatchObject({ pid: process.pid, command: 'verisim cycle' });
    lock.release();
    lock.release();
    expect(entries()).toEqual([]);
    expect((await startHolder()).answered).toEqual({ held: true });
  });

  it('is free after a holder released it or exited', async () => {
    const first = await startHolder();
    first.send('release');
    await first.answer();
    expect(entries()).toEqual([]);
    const second = await startHolder();
    expect(second.answered).toEqual({ held: true });
    second.send('exit');
    await once(second.child, 'exit');
    expect(entries()).toEqual([]);
  });

  it('is taken over from a process that was killed', async () => {
    const { child, answered } = await startHolder();
    expect(answered).toEqual({ held: true });
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(entries()).toEqual(['lock']);
    expect(lockHolder(project)).toBeNull();
    const lock = acquireLock(project, 'next');
    expect(lockHolder(project)?.command).toBe('next');
    lock.release();
    expect(entries()).toEqual([]);
  });

  it('goes to exactly one of many that find it stale at once', async () => {
    const { child } = await startHolder();
    child.kill('SIGKILL');
    await once(child, 'exit');
    const answered = await Promise.all(Array.from({ length: 6 }, async () => (await startHolder()).answered));
    expect(answered.filter((answer) => JSON.stringify(answer) === '{"held":true}')).toHaveLength(1);
    expect(answered.filter((answer) => (answer as { code?: string }).code === 'locked')).toHaveLength(5);
  });

  it.runIf(process.platform === 'linux')(
    'knows a process id that is in use again from the one that held the lock',
    () => {
      writeOwner({ ...own, pid: process.ppid, start: 'anotherboot123' });
      expect(lockHolder(project)).toBeNull();
      acquireLock(project, 'x').release();
      expect(entries()).toEqual([]);
    },
  );

  it('does not judge processes of another computer', () => {
    writeOwner({ ...own, pid: 1, host: 'another-host' });
    expect(lockHolder(project)).toMatchObject({ host: 'another-host' });
    expect(() => acquireLock(project, 'x')).toThrow(
      expect.objectContaining({ code: 'locked', hint: expect.stringContaining(path.join(project, 'lock')) }),
    );
  });

  const ownerFile = () => path.join(project, 'lock', 'owner.json');
  const silentFor = (seconds: number) => {
    const at = new Date(Date.now() - 1000 * seconds);
    fs.utimesSync(ownerFile(), at, at);
    return at;
  };

  it('may be taken over from a computer that has given no sign for two minutes, on request alone', () => {
    writeOwner({ ...own, pid: 1, host: 'gone-container' });
    expect(() => takeOver(project)).toThrow(expect.objectContaining({ code: 'locked' }));
    const since = silentFor(121).toISOString().slice(0, 19);
    expect(() => acquireLock(project, 'x')).toThrow(`no sign since ${since}Z`);
    takeOver(project);
    acquireLock(project, 'x').release();
    expect(entries()).toEqual([]);
  });

  it('is never taken over from a process of this computer that runs', () => {
    const lock = acquireLock(project, 'x');
    silentFor(9999);
    expect(silentSince(project, own)).toBeNull();
    expect(() => takeOver(project)).toThrow(expect.objectContaining({ code: 'locked' }));
    lock.release();
    takeOver(project);
  });

  it('shows other computers that its holder runs', () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const lock = acquireLock(project, 'x');
    const before = silentFor(60);
    vi.advanceTimersByTime(20_000);
    expect(fs.statSync(ownerFile()).mtimeMs).toBeGreaterThan(before.getTime() + 30_000);
    lock.release();
    vi.advanceTimersByTime(60_000);
    vi.useRealTimers();
    expect(entries()).toEqual([]);
  });

  it.each(['', '{"pid":1}', 'rubbish'])('leaves a lock alone whose owner is not readable: %j', (text) => {
    writeOwner(text);
    expect(() => acquireLock(project, 'x')).toThrow(/in use by another process/);
    expect(() => lockHolder(project)).toThrow(expect.objectContaining({ code: 'locked' }));
    expect(entries()).toEqual(['lock']);
  });

  it('takes an empty lock folder', () => {
    fs.mkdirSync(path.join(project, 'lock'));
    acquireLock(project, 'x').release();
    expect(entries()).toEqual([]);
  });

  it('is held whole or not at all, whatever fails', () => {
    withEveryFault(
      () => undefined,
      (root, ops) => acquireLock(root, 'x', ops).release(),
      (root, { error }) => {
        expect(error === null || error instanceof Crash || error instanceof UserError).toBe(true);
        recover(root);
        const left = fs.readdirSync(root).map((name) => name.replace(/stale-.*/, 'stale'));
        // A "crashed" lock is still this process's own; after a real crash it would be found stale.
        expect([[], ['lock'], ['lock.stale']]).toContainEqual(left);
        if (left[0] === 'lock') expect(lockHolder(root)).toMatchObject({ pid: process.pid, command: 'x' });
        else acquireLock(root, 'y').release();
        if (left[0] !== 'lock') expect(fs.readdirSync(root)).toEqual([]);
      },
    );
  });
});
