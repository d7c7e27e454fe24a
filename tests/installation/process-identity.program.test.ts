// A process is known by its id and the time it started.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { isRunning, ownStart, processStart, unknownStart } from '../../main/installation/process-identity.mjs';

describe('processStart', () => {
  it('is the same every time for one process, and differs between two', async () => {
    const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
    await once(child, 'spawn');
    const pid = Number(child.pid);
    expect(processStart(process.pid)).toBe(ownStart);
    expect(processStart(pid)).toBe(processStart(pid));
    expect(isRunning(pid, processStart(pid) ?? '')).toBe(true);
    if (ownStart !== unknownStart) {
      expect(processStart(pid)).not.toBe(ownStart);
      expect(isRunning(pid, ownStart)).toBe(false);
    }
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(processStart(pid)).toBeNull();
    expect(isRunning(pid, unknownStart)).toBe(false);
  });

  it('is unknown where there is no /proc, and then the id alone has to do', () => {
    expect(processStart(process.pid, '/nowhere')).toBe(unknownStart);
    expect(isRunning(process.pid, unknownStart)).toBe(true);
  });

  it.runIf(process.platform === 'linux')('takes a process that has ended and was not waited for as gone', async () => {
    // The shell becomes `sleep`, which never waits for the child the shell started.
    const parent = spawn('sh', ['-c', 'sleep 0.3 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [output] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(output.toString());
    while (!/\) Z /.test(fs.readFileSync(`/proc/${pid}/stat`, 'latin1'))) await setTimeout(10);
    expect(process.kill(pid, 0)).toBe(true);
    expect(processStart(pid)).toBeNull();
    parent.kill('SIGKILL');
    await once(parent, 'exit');
  });

  it('takes a process that it may not signal as running', () => {
    // Every system has a first process; only root may signal it, and it answers to root.
    expect(processStart(1)).not.toBeNull();
  });
});
