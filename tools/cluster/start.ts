/** Ranks of the real program as processes, on loopback or each in a network namespace of its own that can be cut off. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { program } from '../../tests/cli/program.js';
import { freePort } from '../../tests/cluster/ranks.js';

export interface Ended {
  readonly code: number | null;
  /** Of both streams. */
  readonly output: string;
  readonly seconds: number;
}

export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

/** Where ranks run: how a command begins there, and what the network wants to be told. */
export interface Place {
  command(rank: number): readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly flags: readonly string[];
}

export const loopback: Place = { command: () => [], environment: {}, flags: [] };

export async function startRanks(
  size: number,
  args: (rank: number) => readonly string[],
  place: Place = loopback,
): Promise<readonly Started[]> {
  const port = await freePort();
  return Array.from({ length: size }, (_, rank) => {
    const command = [...place.command(rank), process.execPath, program, ...args(rank), ...place.flags];
    const many = { RANK: String(rank), WORLD_SIZE: String(size), MASTER_PORT: String(port) };
    return startOne(command, { ...place.environment, ...many });
  });
}

/** A process, and all that it prints. */
export function startOne([file = '', ...args]: readonly string[], environment: Place['environment'] = {}): Started {
  const child = spawn(file, args, {
    env: { ...process.env, NO_COLOR: '1', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const end = () => void child.kill('SIGKILL');
  left.add(end);
  const began = performance.now();
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      left.delete(end);
      resolve({ code, output, seconds: (performance.now() - began) / 1000 });
    });
  });
  return { child, ended };
}

/** What this process has made and would leave behind. */
const left = new Set<() => void>();
process.on('exit', () => left.forEach((clear) => clear()));

/** Nothing stays behind when this process is ended by a signal, but by SIGKILL. */
export function endTidily(): void {
  // 128 and the signal's number, as shells have it.
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)
    process.on(signal, () => process.exit(code));
}

const ip = (...args: readonly string[]) => execFileSync('ip', args, { stdio: 'pipe' });

const delNamespace = (name: string) => {
  try {
    ip('netns', 'del', name);
  } catch {
    // It was not made, or is gone already.
  }
};

/** Those of a process that was killed. */
function clearLeft(): void {
  for (const line of ip('netns', 'list').toString().split('\n')) {
    const [name = '', maker] = /^vs(\d+)(?:hub|r\d+)/.exec(line) ?? [];
    if (maker !== undefined && !existsSync(`/proc/${maker}`)) delNamespace(name);
  }
}

/**
 * Namespaces on one bridge, which lies in a namespace too: nothing of the machine's own network is touched. Needs root and
 * iproute2.
 */
export function openNetwork(size: number) {
  const [name, hub] = [`vs${process.pid}`, `vs${process.pid}hub`];
  const rankName = (rank: number) => `${name}r${rank}`;
  const close = () => {
    [hub, ...Array.from({ length: size }, (_, rank) => rankName(rank))].forEach(delNamespace);
    left.delete(close);
  };
  clearLeft();
  left.add(close);
  try {
    ip('netns', 'add', hub);
    ip('-n', hub, 'link', 'add', 'bridge', 'type', 'bridge');
    ip('-n', hub, 'link', 'set', 'bridge', 'up');
    for (let rank = 0; rank < size; rank += 1) {
      const own = rankName(rank);
      ip('netns', 'add', own);
      ip('-n', own, 'link', 'add', 'eth', 'type', 'veth', 'peer', 'name', `eth${rank}`, 'netns', hub);
      ip('-n', own, 'addr', 'add', `10.77.0.${rank + 1}/24`, 'dev', 'eth');
      ip('-n', own, 'link', 'set', 'lo', 'up');
      ip('-n', own, 'link', 'set', 'eth', 'up');
      ip('-n', hub, 'link', 'set', `eth${rank}`, 'master', 'bridge', 'up');
    }
  } catch (error) {
    close();
    throw error;
  }
  const place: Place = {
    command: (rank) => ['ip', 'netns', 'exec', rankName(rank)],
    environment: { MASTER_ADDR: '10.77.0.1', VERISIM_CLUSTER_KEY: 'only between these namespaces' },
    flags: ['--cluster_network', 'private'],
  };
  return {
    place,
    close,
    /** Nothing reaches this rank any more, or leaves it; what was open stays open. */
    cut: (rank: number, isCut: boolean) => ip('-n', hub, 'link', 'set', `eth${rank}`, isCut ? 'down' : 'up'),
  };
}
