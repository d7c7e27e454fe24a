/** Two processes train as one does, whoever starts them; a stranger at their door is not let in; one that is killed is missed by the other. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { launchers } from '../../tools/cluster/launchers.js';
import { startOne } from '../../tools/cluster/start.js';
import { jsonLines, program, smallest, temporaryFolder, verisim, writeText } from '../cli/program.js';
import { ranks } from './ranks.js';

const folder = temporaryFolder();
const text = writeText(folder);
const settings = [
  ...['train', ...smallest, '--data_path', text, '--dropout', '0.1', '--warmup_iters', '2', '--log_interval', '1'],
  ...['--gradient_accumulation_steps', '2'],
];

/** XLA compiles as it does for people; elsewhere here as fast as it can (vitest.config.ts). */
const asShipped = { XLA_FLAGS: '' };

interface Metrics {
  readonly step: number;
  readonly values: Readonly<Record<string, number>>;
}
const metricsOf = (out: string) =>
  jsonLines(readFileSync(join(out, 'metrics.jsonl'), 'utf8')) as unknown as readonly Metrics[];

it('two ranks lose what one process loses, to 1e-5, and rank 0 alone keeps what is made', async () => {
  const steps = ['--max_iters', '6', '--eval_interval', '3'];
  const [one, two] = [join(folder, 'one'), join(folder, 'two')];
  const alone = await verisim([...settings, ...steps, '--out_dir', one], { environment: asShipped });
  const away = join(folder, 'not-made');
  const both = await ranks(2, (rank) => ({
    args: [...settings, ...steps, '--out_dir', rank === 0 ? two : away],
    environment: asShipped,
  }));
  expect([alone, ...both].map(({ code, stderr }) => [code, stderr])).toEqual([
    [0, ''],
    [0, ''],
    [0, ''],
  ]);
  expect(existsSync(away)).toBe(false);
  const [expected, actual] = [metricsOf(one), metricsOf(two)];
  expect(actual.map(({ step }) => step)).toEqual(expected.map(({ step }) => step));
  expected.forEach(({ values }, row) => {
    for (const key of ['loss', 'val_loss', 'grad_norm'].filter((each) => each in values))
      expect(Math.abs((actual[row]?.values[key] ?? NaN) - (values[key] ?? NaN))).toBeLessThan(1e-5);
  });
  const told = actual.flatMap(({ values: { ranks: size, waiting } }) =>
    size === undefined ? [] : [[size, waiting ?? NaN]],
  );
  expect(told.length).toBeGreaterThan(3);
  for (const [size = NaN, waiting = NaN] of told) {
    expect(size).toBe(2);
    expect(waiting).toBeGreaterThan(0);
    expect(waiting).toBeLessThanOrEqual(1);
  }
});

it('two ranks that average their weights after every third step, rounded on the way, have the same in the end', async () => {
  const out = join(folder, 'averaged');
  const args = [...settings, '--max_iters', '5', '--eval_interval', '5', '--cluster_sums', 'bf16', '--cluster_every'];
  const averaged = await ranks(2, (rank) => ({ args: [...args, '3', '--out_dir', rank === 0 ? out : `${out}-away`] }));
  expect(averaged.map(({ code, stderr }) => [code, stderr])).toEqual([
    [0, ''],
    [0, ''],
  ]);
  expect(averaged[0]?.stdout).toContain('All 2 ranks have the same trained weights');
});

it('two ranks that mpirun or Slurm starts come to the same bytes as two with torchrun’s variables', async () => {
  const args = [...settings, '--max_iters', '4', '--eval_interval', '4', '--out_dir'];
  const weights = (out: string) => readFileSync(join(folder, out, 'model/weights.safetensors'));
  await ranks(2, () => ({ args: [...args, join(folder, 'by-hand')] }));
  for (const [name, by] of [
    ['mpirun', 'mpirun'],
    ['slurm', 'Slurm'],
  ] as const) {
    await launchers[name](
      async (before, environment) => {
        const command = [...before, process.execPath, program, ...args, join(folder, name)];
        const { code, output } = await startOne(command, environment).ended;
        expect(output).toContain(`of 2 (${by})`);
        expect(code).toBe(0);
      },
      () => undefined,
    );
    expect(weights(name).equals(weights('by-hand'))).toBe(true);
  }
}, 300_000);

/** What a stranger hears who speaks gRPC to a member: `said`, and whether the connection is closed to him. */
function stranger(port: number): Promise<{ readonly heard: Buffer; readonly isClosed: boolean }> {
  return new Promise((resolve) => {
    const heard: Buffer[] = [];
    const socket: Socket = connect(port, '127.0.0.1', () => {
      // HTTP/2's preface and settings, with which every gRPC call begins; a server that serves answers with its own.
      socket.write(
        Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), Buffer.from('000000040000000000', 'hex')]),
      );
      socket.write(Buffer.alloc(64));
    });
    socket.on('data', (bytes) => heard.push(bytes));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve({ heard: Buffer.concat(heard), isClosed: true }));
    setTimeout(() => (socket.destroy(), resolve({ heard: Buffer.concat(heard), isClosed: false })), 8000).unref();
  });
}

/** The addresses where a process listens. */
const listening = (pid: number): readonly { readonly host: string; readonly port: number }[] =>
  execFileSync('ss', ['-tlnpH'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(`pid=${pid},`))
    .map((line) => line.trim().split(/\s+/)[3] ?? '')
    .map((local) => ({
      host: local.slice(0, local.lastIndexOf(':')),
      port: Number(local.slice(local.lastIndexOf(':') + 1)),
    }));

it('members listen on loopback alone and let nobody in; one that is killed ends the other with code 75', async () => {
  const out = join(folder, 'killed');
  const heard: { readonly heard: Buffer; readonly isClosed: boolean }[] = [];
  let hosts: readonly string[] = [];
  let visit: Promise<void> | null = null;
  const outcomes = await ranks(2, (rank) => ({
    args: [...settings, '--max_iters', '1000000', '--eval_interval', '100000', '--out_dir', out],
    onOutput(output, child) {
      if (rank !== 1 || visit || !output.includes('Meeting the others')) return;
      visit = (async () => {
        const pid = child.pid ?? -1;
        let places = listening(pid);
        while (places.length === 0 && child.exitCode === null) {
          await new Promise((resolve) => setTimeout(resolve, 200));
          places = listening(pid);
        }
        hosts = places.map(({ host }) => host);
        for (const { port } of places) heard.push(await stranger(port));
        child.kill('SIGKILL');
      })();
    },
  }));
  expect(hosts.length).toBeGreaterThan(0);
  expect(hosts.every((host) => /^(\[::ffff:127\.0\.0\.1\]|127\.0\.0\.1)$/.test(host))).toBe(true);
  for (const { heard: bytes, isClosed } of heard) {
    expect(isClosed).toBe(true);
    expect(bytes.length).toBeLessThanOrEqual(16); // what it is asked, and no word of HTTP/2
  }
  expect(outcomes[0]).toMatchObject({
    code: 75,
    stderr: expect.stringMatching(/Rank 1 .*does not answer|Another rank/) as string,
  });
  rmSync(folder, { recursive: true, force: true });
});
