/** Who calls rank 0 gives up in time, whatever becomes of the way there. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
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
