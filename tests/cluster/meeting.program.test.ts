/** Members find each other at rank 0, or give up in time and report who is missing. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { meet } from '../../main/cluster/meeting.js';
import { freePort } from './ranks.js';

/** Connects; null if nothing comes back. */
const reached = (port: number) =>
  new Promise<Socket | null>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    setTimeout(() => resolve(null), 1000).unref();
    socket.on('error', () => undefined);
  });

const member = (rank: number, size: number, port: number, patience = 20_000) =>
  meet({
    launch: { by: 'torchrun', rank, size, meeting: { host: '127.0.0.1', port }, members: null },
    ...{ patience, allow: () => undefined },
  });

const absent = { code: 'cluster', message: expect.stringMatching(/was not there/) as string };

it('gives up in time when rank 0 is silent, and when not even its system answers', async () => {
  const listen =
    "const s = require('net').createServer(); s.listen(0, '127.0.0.1', 1, () => console.log(s.address().port))";
  const silent = spawn(process.execPath, ['-e', listen], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(silent.stdout, 'data')) as [Buffer];
  const port = Number(line.toString());
  silent.kill('SIGSTOP');
  const sockets: (Socket | null)[] = [];
  try {
    await expect(member(1, 2, port, 500)).rejects.toMatchObject(absent);
    // Its system accepts a few connections for it and then stops answering, as if the network were cut.
    while (!sockets.includes(null) && sockets.length < 50) sockets.push(await reached(port));
    expect(sockets).toContain(null);
    await expect(member(1, 2, port, 500)).rejects.toMatchObject(absent);
  } finally {
    for (const socket of sockets) socket?.destroy();
    silent.kill('SIGKILL');
  }
});

it('admits a member again that died while it waited', async () => {
  const port = await freePort();
  const first = member(0, 3, port);
  let socket: Socket | null = null;
  while (!socket?.readyState.includes('open')) socket = await reached(port);
  socket.write(`${JSON.stringify({ verisim: 'rank', rank: 1, size: 3, port: 4444 })}\n`);
  await new Promise((resolve) => setTimeout(resolve, 300));
  socket.destroy();
  await once(socket, 'close');
  const [found, ...others] = await Promise.all([first, member(1, 3, port), member(2, 3, port)]);
  expect(found.map((one) => one.port)).not.toContain(4444);
  expect(new Set(found.map((one) => one.port)).size).toBe(3);
  expect(others).toEqual([found, found]);
});

it('reports to those who came that another did not, and refuses a wrong size', async () => {
  const port = await freePort();
  const members = [member(0, 3, port, 1500), member(1, 3, port, 10_000), member(1, 2, port, 10_000)];
  const [first, second, third] = await Promise.allSettled(members);
  expect(first).toMatchObject({ reason: { message: 'Rank 2 of 3 did not come within 2 s' } });
  expect(second).toMatchObject({ reason: { message: expect.stringMatching(/Rank 2 of 3 did not come/) as string } });
  expect(third).toMatchObject({ reason: { message: expect.stringMatching(/one of 3, rank 1 as one of 2/) as string } });
});
