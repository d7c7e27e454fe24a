/** Who calls rank 0 gives up in time, whatever becomes of the way there. */
import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { meet } from '../../main/cluster/meeting.js';

/** Connects; null where nothing comes back. */
const reached = (port: number) =>
  new Promise<Socket | null>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    setTimeout(() => resolve(null), 1000).unref();
    socket.on('error', () => undefined);
  });

it('says that rank 0 was not there when it is silent, and when not even its system answers', async () => {
  const listen =
    "const s = require('net').createServer(); s.listen(0, '127.0.0.1', 1, () => console.log(s.address().port))";
  const silent = spawn(process.execPath, ['-e', listen], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said] = (await once(silent.stdout, 'data')) as [Buffer];
  const port = Number(said.toString());
  silent.kill('SIGSTOP');
  const sockets: (Socket | null)[] = [];
  const call = () =>
    meet({
      launch: { by: 'a test', rank: 1, size: 2, meeting: { host: '127.0.0.1', port }, members: null },
      key: new Uint8Array(32),
      patience: 500,
      allow: () => undefined,
    });
  try {
    await expect(call()).rejects.toMatchObject({
      code: 'cluster',
      message: expect.stringMatching(/was not there/) as string,
    });
    // Its system takes in a few connections for it; then it answers no more of them, as where a network is cut.
    while (!sockets.includes(null) && sockets.length < 50) sockets.push(await reached(port));
    expect(sockets).toContain(null);
    await expect(call()).rejects.toMatchObject({
      code: 'cluster',
      message: expect.stringMatching(/was not there/) as string,
    });
  } finally {
    for (const socket of sockets) socket?.destroy();
    silent.kill('SIGKILL');
  }
});

const key = new Uint8Array(32);

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const member = (rank: number, size: number, port: number, patience = 20_000) =>
  meet({
    launch: { by: 'a test', rank, size, meeting: { host: '127.0.0.1', port }, members: null },
    ...{ key, patience, allow: () => undefined },
  });

/** Calls as rank 1 of 3 as a member does, and is gone. */
async function callAndLeave(port: number): Promise<void> {
  let socket: Socket | null = null;
  while (!socket) socket = await reached(port);
  const [greeting] = (await once(socket, 'data')) as [Buffer];
  const { nonce } = JSON.parse(greeting.toString()) as { nonce: string };
  const proof = createHmac('sha256', key).update(['call', nonce, 'mine', '1 3 4444'].join('\n')).digest('hex');
  socket.write(`${JSON.stringify({ rank: 1, size: 3, port: 4444, nonce: 'mine', proof })}\n`);
  await new Promise((resolve) => setTimeout(resolve, 300));
  socket.destroy();
  await once(socket, 'close');
}

it('lets a member in that died while it waited and was started again', async () => {
  const port = await freePort();
  const first = member(0, 3, port);
  await callAndLeave(port);
  const [seen, ...others] = await Promise.all([first, member(1, 3, port), member(2, 3, port)]);
  expect(seen.map((one) => one.port)).not.toContain(4444);
  expect(new Set(seen.map((one) => one.port)).size).toBe(3);
  expect(others).toEqual([seen, seen]);
});

it('tells those who came that another did not', async () => {
  const port = await freePort();
  const [first, second] = await Promise.allSettled([member(0, 3, port, 1500), member(1, 3, port, 10_000)]);
  expect(first).toMatchObject({ reason: { message: 'Rank 2 of 3 did not come within 2 s' } });
  expect(second).toMatchObject({ reason: { message: expect.stringMatching(/[Rr]ank 2 of 3 did not come/) as string } });
});
