/** Other programs use the models over real HTTP: `verisim serve --api` as a process, with a trainer behind it. */
import type { ChildProcess } from 'node:child_process';
import { request as httpRequest } from 'node:http';
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEndpointProgram } from './endpoint-program.js';
import { jsonLines, temporaryFolder, verisim } from './program.js';

const home = temporaryFolder();
let server: ChildProcess;
let base: string;
let token: string;

beforeAll(async () => {
  ({ server, base, token } = await startEndpointProgram(home));
});
afterAll(() => {
  server.kill('SIGKILL');
  rmSync(home, { recursive: true, force: true });
});

interface Completion {
  readonly choices: readonly {
    readonly text: string;
    readonly finish_reason: string | null;
    readonly logprobs: { readonly tokens: string[]; readonly token_logprobs: number[]; readonly text_offset: number[] };
  }[];
  readonly usage: { readonly completion_tokens: number };
  readonly error?: { readonly message: string; readonly code: string; readonly param: string | null };
}

async function ask(path: string, body?: object, headers: Record<string, string> = {}, signal?: AbortSignal) {
  const response = await fetch(`${base}/${path}`, {
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    headers: { authorization: `Bearer ${token}`, ...headers },
    ...(signal && { signal }),
  });
  return { status: response.status, body: (await response.json()) as Completion };
}
const request = { model: 'book', prompt: 'Call me ', max_tokens: 12, seed: 1 };
const complete = (change: object = {}) => ask('completions', { ...request, ...change });
const textsOf = ({ body }: { body: Completion }) => body.choices.map(({ text }) => text);

/** Parts of a streamed answer. */
async function stream(change: object): Promise<Completion[]> {
  const response = await fetch(`${base}/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ ...request, ...change, stream: true }),
  });
  const parts = (await response.text()).split('\n\n').filter((part) => part !== '');
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  expect(parts.pop()).toBe('data: [DONE]');
  return parts.map((part) => JSON.parse(part.slice('data: '.length)) as Completion);
}

describe('completions', () => {
  it('lists the generators, and a project’s name means its newest', async () => {
    const { body } = await ask('models');
    const ids = (body as object as { data: { id: string }[] }).data.map(({ id }) => id);
    expect(ids).toEqual(['book/base_model_v1', 'book/base_model_v2']);
    for (const id of ['book/base_model_v1', 'book/base_model_v1'.replace('/', '%2F'), 'book'])
      expect(await ask(`models/${id}`)).toMatchObject({
        status: 200,
        body: { id: decodeURIComponent(id), object: 'model' },
      });
    for (const id of ['none', '%zz', 'book%2Fbase_model_v3'])
      expect(await ask(`models/${id}`)).toMatchObject({ status: 404, body: { error: { code: 'model_not_found' } } });
    const newest = textsOf(await complete());
    expect(newest).toEqual(textsOf(await complete({ model: 'book/base_model_v2' })));
    expect(newest).not.toEqual(textsOf(await complete({ model: 'book/base_model_v1' })));
  });

  it('are the same for the same seed, as many as requested, and as long', async () => {
    const first = await complete({ n: 2, logprobs: 1 });
    expect(first).toMatchObject({ status: 200, body: { object: 'text_completion', usage: { completion_tokens: 24 } } });
    expect(await complete({ n: 2, logprobs: 1 })).toMatchObject({ body: { choices: first.body.choices } });
    expect(new Set([...textsOf(first), ...textsOf(await complete({ n: 2, seed: 2 }))]).size).toBe(4);
    const [choice] = first.body.choices;
    expect(choice).toMatchObject({ finish_reason: 'length' });
    expect(choice?.logprobs.tokens.join('')).toBe(choice?.text);
    expect(choice?.logprobs.token_logprobs.every((value) => value < 0)).toBe(true);
    expect(choice?.logprobs.text_offset).toEqual(Array.from({ length: 12 }, (_, at) => at));
  });

  it('follow the rule without compiling again: greedy, top_p, min_p and the penalty', async () => {
    const greedy = textsOf(await complete({ temperature: 0 }));
    for (const change of [{ temperature: 0, seed: 9 }, { top_p: 0 }, { min_p: 1, top_p: 1 }])
      expect(textsOf(await complete(change)), JSON.stringify(change)).toEqual(greedy);
    expect(textsOf(await complete({ temperature: 0, repetition_penalty: 2 }))).not.toEqual(greedy);
  });

  it('end before a text that stops them', async () => {
    const [text = ''] = textsOf(await complete({ max_tokens: 40 }));
    const stop = text.slice(5, 7);
    const ended = await complete({ max_tokens: 40, stop: [stop] });
    expect(ended.body.choices[0]).toMatchObject({ text: text.slice(0, text.indexOf(stop)), finish_reason: 'stop' });
  });

  it('stream the same text in parts, with usage at the end', async () => {
    const change = { n: 2, max_tokens: 30, logprobs: 1, stop: 'qq' };
    const whole = await complete(change);
    const parts = await stream({ ...change, stream_options: { include_usage: true } });
    expect(parts.length).toBeGreaterThan(3);
    expect(parts.at(-1)?.usage).toEqual(whole.body.usage);
    for (const [index, { text, logprobs, finish_reason }] of whole.body.choices.entries()) {
      const own = parts.flatMap(({ choices }) =>
        choices.filter((choice) => 'index' in choice && choice.index === index),
      );
      expect(own.map((choice) => choice.text).join('')).toBe(text);
      expect(own.flatMap((choice) => choice.logprobs.text_offset)).toEqual(logprobs.text_offset);
      expect(own.map((choice) => choice.finish_reason).filter((reason) => reason !== null)).toEqual([finish_reason]);
    }
  });

  it('has the naturalness of each token', async () => {
    const { body } = await ask('score', { model: 'book', input: 'the whale' });
    const { tokens } = body as object as { tokens: { text: string; natural: number }[] };
    expect(tokens.map(({ text }) => text).join('')).toBe('the whale');
    for (const { natural } of tokens) expect(natural).toBeGreaterThan(0);
  });
});

describe('what is not allowed', () => {
  it.each([
    { what: 'a wrong token', headers: { authorization: 'Bearer wrong' }, status: 401, code: 'invalid_api_key' },
    { what: 'no token', headers: { authorization: '' }, status: 401, code: 'invalid_api_key' },
    { what: 'a web page', headers: { origin: 'https://example.com' }, status: 403, code: 'other_origin' },
  ])('is refused: $what', async ({ headers, status, code }) => {
    const refused = await ask('completions', request, headers);
    expect(refused).toMatchObject({ status, body: { error: { type: 'invalid_request_error', code } } });
    expect(refused.body.error?.message).not.toBe('');
  });

  it('is refused: another name of this machine', async () => {
    const { hostname, port } = new URL(base);
    const headers = { host: 'evil.example', authorization: `Bearer ${token}` };
    const status = await new Promise((resolve) => {
      httpRequest({ hostname, port, path: '/v1/models', headers }, ({ statusCode }) => resolve(statusCode)).end();
    });
    expect(status).toBe(403);
  });

  it.each([
    { what: 'no such model', change: { model: 'none' }, status: 404, code: 'model_not_found', param: 'model' },
    { what: 'too many', change: { n: 99 }, status: 400, code: 'invalid_value', param: 'n' },
    { what: 'an echo', change: { echo: true }, status: 400, code: 'invalid_value', param: 'echo' },
    { what: 'no token', change: { prompt: '鲸' }, status: 400, code: 'unknown_character', param: null },
  ])('is named: $what', async ({ change, status, code, param }) => {
    expect(await complete(change)).toMatchObject({ status, body: { error: { code, param } } });
  });

  it('is named: no JSON, another method, another address', async () => {
    const headers = { authorization: `Bearer ${token}` };
    const broken = await fetch(`${base}/completions`, { method: 'POST', headers, body: '{"model":' });
    expect(broken.status).toBe(400);
    expect((await fetch(`${base}/completions`, { headers })).status).toBe(405);
    expect(await ask('chat/completions', {})).toMatchObject({ status: 404, body: { error: { code: 'unknown_url' } } });
  });

  it.each(['with its length', 'in chunks'])('is refused: a body of 100 MB, %s', async (how) => {
    const piece = Buffer.alloc(1_000_000, 'x');
    const pieces = async function* () {
      for (let i = 0; i < 100; i++) yield piece;
    };
    const body = how === 'in chunks' ? pieces() : Buffer.concat(Array.from({ length: 100 }, () => piece));
    const options = { method: 'POST', headers: { authorization: `Bearer ${token}` }, body, duplex: 'half' };
    const response = await fetch(`${base}/completions`, options as RequestInit);
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: { code: 'request_too_large' } });
  });

  it('limits guesses of the token, and not those who have it', async () => {
    const guesses: number[] = [];
    for (let i = 0; i < 20; i++)
      guesses.push((await ask('models', undefined, { authorization: `Bearer ${i}` })).status);
    expect(new Set(guesses.slice(-5))).toEqual(new Set([429]));
    expect((await ask('models')).status).toBe(200);
  });

  it('keeps its token to this user', () => {
    expect(statSync(join(home, 'data', 'endpoint.token')).mode & 0o077).toBe(0);
  });
});

it('answers 200 requests at once in their order, and forgets those whose client left', async () => {
  const ended: number[] = [];
  const leaving = new AbortController();
  const left = ask('completions', { ...request, max_tokens: 4096, stream: true }, {}, leaving.signal).catch(() => null);
  await new Promise((resolve) => setTimeout(resolve, 300));
  const all = Array.from({ length: 200 }, async (_, at) => {
    // Sent in order, each on its own connection.
    await new Promise((resolve) => setTimeout(resolve, at * 3));
    const { status, body } = await complete({ max_tokens: 2, seed: at % 5 });
    ended.push(at);
    return { status, text: body.choices[0]?.text };
  });
  await new Promise((resolve) => setTimeout(resolve, 700));
  leaving.abort();
  const answers = await Promise.all(all);
  await left;
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  expect(new Set(answers.map(({ text }, at) => `${at % 5} ${text}`)).size).toBe(5);
  const early = ended.filter((at, place) => Math.abs(at - place) > 20);
  expect(early).toEqual([]);
});

it('is not there without the flag, and says so when its port is taken', async () => {
  const port = new URL(base).port;
  const flags = ['--data_dir', join(home, 'other'), '--projects_dir', join(home, 'projects'), '--json'];
  const taken = await verisim(['serve', '--api', '--api_port', port, ...flags]);
  expect(taken.code).toBe(2);
  expect(taken.stderr + taken.stdout).toContain('api_port');
  const quiet = await verisim(['serve', '--api_port', '0', ...flags], {
    onOutput(output, child) {
      if (output.includes('Open this address')) setTimeout(() => child.kill('SIGINT'), 200);
    },
  });
  expect(jsonLines(quiet.stdout).map(({ code }) => code)).not.toContain('endpoint');
});
