// The whole way, with nothing stood in for: the built `verisim serve` as a process, a client over its WebSocket, a real
// trainer behind it.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { WebSocket } from 'ws';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient, createWebSocketTransport, type Client } from '../../shared/client/index.js';
import type { ChannelName, Input, Output, Progress } from '../../shared/contract/index.js';
import type { FileInfo } from '../../shared/contract/values.js';
import type { TopicMessage } from '../../shared/contract/index.js';

let folder: string;
let server: ChildProcess;
let origin: string;
let cookie: string;
let client: Client;

/** The value of an answer; what is refused fails the test in its own words. */
async function ask<C extends ChannelName>(
  channel: C,
  input: Input<C>,
  onProgress?: (progress: Progress<C>) => void,
): Promise<Output<C>> {
  const reply = await client.call(channel, input, onProgress ? { onProgress } : {});
  if (!reply.ok) throw new Error(`${channel}: ${reply.fault.code}: ${reply.fault.message} ${reply.fault.hint}`);
  return reply.value;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'verisim-serve-'));
  const words = ['the', 'whale', 'sea', 'and', 'ship', 'of', 'a', 'captain', 'wind.', 'Call', 'me', 'upon', 'deep,'];
  const text = Array.from({ length: 4000 }, (_, i) => words[(i * i + 3 * i + (i >> 3)) % words.length]).join(' ');
  writeFileSync(join(folder, 'book.txt'), text);
  const program = join(resolve(import.meta.dirname, '../..'), 'dist/cli.js');
  const flags = ['--data_dir', join(folder, 'data'), '--projects_dir', join(folder, 'projects'), '--json'];
  // Nothing to compile: what is tested here is around the engine.
  const env = { ...process.env, VERISIM_TENSORFLOW: 'none' };
  server = spawn(process.execPath, [program, 'serve', ...flags], { stdio: ['ignore', 'pipe', 'inherit'], env });
  let output = '';
  const address = await new Promise<string>((found, failed) => {
    server.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      const [printed] = /http:\/\/[^"\s]+/.exec(output) ?? [];
      if (printed !== undefined) found(printed);
    });
    server.once('exit', () => failed(new Error(output)));
  });
  origin = new URL(address).origin;
  const response = await fetch(address, { redirect: 'manual' });
  cookie = (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const open = () => {
    const socket = new WebSocket(`${origin.replace('http', 'ws')}/socket`, { origin, headers: { cookie } });
    // Once the server has ended, connecting again fails: a browser's socket only closes, this one would throw.
    socket.on('error', () => undefined);
    return socket;
  };
  client = createClient(createWebSocketTransport({ open }));
});
afterAll(async () => {
  client.close();
  if (server.exitCode === null) server.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

it('sends a text, looks at it, trains on it, shows what came of it, and ends with everything stopped', async () => {
  const sent = await fetch(`${origin}/upload?name=book.txt`, {
    method: 'POST',
    headers: { cookie, origin },
    body: 'Call me Ishmael. '.repeat(3000),
  });
  const { value: book } = (await sent.json()) as { value: FileInfo };

  const { id: draft } = await ask('drafts.create', { name: 'Book' });
  const given = {
    data_path: book.handle,
    tokenization: 'char',
    device: 'cpu',
    threads: 1,
    n_layer: 1,
    n_head: 1,
    n_embd: 16,
    block_size: 16,
    batch_size: 4,
    max_iters: 30,
    eval_interval: 10,
    eval_iters: 2,
    log_interval: 1,
    reward_train_samples: 40,
    reward_val_samples: 20,
    reward_max_iters: 10,
    grpo_max_steps: 4,
    grpo_eval_prompts: 4,
    prompts_per_step: 2,
    group_size: 2,
    max_cycles: 1,
    // A critic and a judge are networks more to train; this way is about the window's.
    reward_kind: 'head',
    judge_passages: 0,
  };
  await ask('drafts.save', { id: draft, preset: 'tiny', given });
  const preview = await ask('drafts.preview', { id: draft });
  expect(preview).toMatchObject({ tokenization: 'char', vocab_size: new Set('Call me Ishmael. ').size });
  const measured = await ask('drafts.measure', { id: draft });
  expect(measured.tokens_per_second).toBeGreaterThan(0);
  expect(measured.estimate.seconds.total).toBeGreaterThan(0);
  // The text is short and says the same again and again, which is only a warning.
  const { problems } = await ask('drafts.check', { id: draft });
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);

  const rows: TopicMessage<'runs.rows'>[] = [];
  const states = new Set<string>();
  client.subscribe('runs.rows', (told) => rows.push(told));
  client.subscribe('projects.changed', ({ summary }) => states.add(summary?.state ?? 'gone'));
  const { project: id } = await ask('drafts.start', { id: draft });
  await ask('runs.start', { id });
  expect((await ask('queue.get', {})).entries).toMatchObject([{ project: id, name: 'Book' }]);
  await expect.poll(() => states.has('finished') || states.has('failed'), { timeout: 100_000 }).toBe(true);

  const { summary, models, timeline } = await ask('projects.get', { id });
  expect(summary).toMatchObject({ state: 'finished', cycle: 1, fault: null, exact: true });
  expect(models).toEqual(['base_model_v1', 'base_model_v2']);
  expect(new Set(timeline.flatMap(({ phases }) => phases.map(({ state }) => state)))).toEqual(new Set(['finished']));
  // Each phase rings until its last row, which the window then asks for.
  for (const [cycle, name, step] of [
    [0, 'base_training', 30],
    [1, 'grpo', 4],
  ] as const)
    expect(rows.findLast((row) => row.cycle === cycle && row.phase === name)).toMatchObject({ id, step });
  expect((await ask('queue.get', {})).entries).toEqual([]);

  const phase = { id, cycle: 0, phase: 'base_training' } as const;
  const { series, last_step } = await ask('metrics.window', {
    ...phase,
    names: ['loss'],
    from: null,
    to: null,
    points: 100,
  });
  expect(last_step).toBe(30);
  expect(series['loss']?.values.length).toBeGreaterThan(20);
  const { reports } = await ask('projects.reports', { id });
  expect(reports.map(({ name }) => name)).toEqual(['base_model_v1', 'base_model_v2']);
  expect((await ask('projects.events', { id, count: 100 })).events.length).toBeGreaterThan(5);
  const quality = await ask('rewardData.summary', { id, cycle: 1 });
  expect(quality.crossover_counts.reduce((sum, count) => sum + count, 0)).toBe(40);
  const examples = await ask('rewardData.examples', { id, cycle: 1, order: 'first', offset: 0, count: 5 });
  expect(examples.total).toBe(20);
  expect(examples.rows[0]?.natural.length).toBeGreaterThan(0);
  const completions = { id, cycle: 1, search: '', sort: 'reward', descending: true, offset: 0, count: 50 } as const;
  expect((await ask('completions.page', completions)).total).toBeGreaterThan(0);

  const request = { project: id, model: 'base_model_v2', before: 'Call', text: ' me Ishmael' };
  const { tokens } = await ask('writing.inspect', request);
  expect(tokens.map(({ text }) => text).join('')).toBe(request.text);
  for (const { log_prob, natural, alternatives } of tokens) {
    expect(log_prob).toBeLessThan(0);
    expect(natural).toBeGreaterThan(0);
    expect(alternatives).toHaveLength(5);
  }

  const { undo } = await ask('projects.delete', { id });
  expect((await ask('projects.list', {})).projects).toEqual([]);
  expect(await ask('projects.restore', { undo })).toEqual({ id });

  server.kill('SIGINT');
  const [code] = (await once(server, 'exit')) as [number];
  expect(code).toBe(0);
});
