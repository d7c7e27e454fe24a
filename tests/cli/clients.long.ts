/** OpenAI's own clients for Node and Python, downloaded for it, use the endpoint: their examples of completions. */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Endpoint, startEndpointProgram } from './endpoint-program.js';
import { temporaryFolder } from './program.js';

const [FOR_NODE, FOR_PYTHON] = ['openai@6.49.0', 'openai==3.57.0'];

const node = `
import OpenAI from 'openai';
const [baseURL, apiKey] = process.argv.slice(1);
const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 });
const request = { model: 'book', prompt: 'Call me ', max_tokens: 9, seed: 3 };
const ids = [];
for await (const { id } of client.models.list()) ids.push(id);
const retrieved = (await client.models.retrieve(ids[0])).id;
const plain = await client.completions.create(request);
let [streamed, streamedUsage] = ['', null];
const stream = await client.completions.create({ ...request, stream: true, stream_options: { include_usage: true } });
for await (const part of stream) {
  streamed += part.choices[0]?.text ?? '';
  streamedUsage = part.usage ?? streamedUsage;
}
const several = await client.completions.create({ ...request, n: 3, logprobs: 1 });
const stopped = await client.completions.create({ ...request, max_tokens: 60, stop: [' '] });
const refused = [];
for (const change of [{ model: 'none' }, { echo: true }, { prompt: '\\u9cb8' }])
  await client.completions.create({ ...request, ...change }).catch((e) => refused.push([e.status, e.code, e.param]));
await new OpenAI({ baseURL, apiKey: 'wrong', maxRetries: 0 }).models.list().catch((e) => refused.push([e.status, e.code, e.param]));
console.log(JSON.stringify({
  ids, retrieved, streamed, plain: plain.choices[0].text, usage: [plain.usage.total_tokens, streamedUsage.total_tokens],
  several: several.choices.map(({ text, logprobs }) => [text, logprobs.tokens, logprobs.token_logprobs, logprobs.text_offset]),
  stopped: [stopped.choices[0].text, stopped.choices[0].finish_reason], refused,
}));`;

const python = `
import json, sys
from openai import APIError, OpenAI
base_url, api_key = sys.argv[1:]
client = OpenAI(base_url=base_url, api_key=api_key, max_retries=0)
request = {'model': 'book', 'prompt': 'Call me ', 'max_tokens': 9, 'seed': 3}
create = lambda **change: client.completions.create(**{**request, **change})
ids = [model.id for model in client.models.list()]
retrieved = client.models.retrieve(ids[0]).id
plain = create()
streamed, streamed_usage = '', None
for part in create(stream=True, stream_options={'include_usage': True}):
    streamed += part.choices[0].text if part.choices else ''
    streamed_usage = part.usage or streamed_usage
several = create(n=3, logprobs=1)
stopped = create(max_tokens=60, stop=[' ']).choices[0]
refused = []
wrong = OpenAI(base_url=base_url, api_key='wrong', max_retries=0)
for call in [lambda: create(model='none'), lambda: create(echo=True), lambda: create(prompt='\\u9cb8'), lambda: wrong.models.list()]:
    try: call()
    except APIError as error: refused.append([error.status_code, error.code, error.param])
print(json.dumps({
    'ids': ids, 'retrieved': retrieved, 'streamed': streamed, 'plain': plain.choices[0].text,
    'usage': [plain.usage.total_tokens, streamed_usage.total_tokens],
    'several': [[c.text, c.logprobs.tokens, c.logprobs.token_logprobs, c.logprobs.text_offset] for c in several.choices],
    'stopped': [stopped.text, stopped.finish_reason], 'refused': refused,
}))`;

interface Result {
  readonly ids: string[];
  readonly plain: string;
  readonly several: [string, string[]][];
}

const home = temporaryFolder();
let endpoint: Endpoint;
beforeAll(async () => {
  endpoint = await startEndpointProgram(home);
});
afterAll(() => {
  endpoint.server.kill('SIGKILL');
  rmSync(home, { recursive: true, force: true });
});
const run = (command: string, ...args: string[]) => execFileSync(command, args, { cwd: home, encoding: 'utf8' });
const resultOf = (printed: string) => JSON.parse(printed) as Result;

it('they read all answers and errors, and get the same texts', () => {
  run('npm', 'install', '--prefix', home, '--ignore-scripts', FOR_NODE);
  run('python3', '-m', 'venv', 'venv');
  run(join(home, 'venv/bin/pip'), 'install', '-q', FOR_PYTHON);
  const { base, token } = endpoint;
  const result = resultOf(run(process.execPath, '--input-type=module', '-e', node, base, token));
  expect(resultOf(run(join(home, 'venv/bin/python'), '-c', python, base, token))).toEqual(result);
  const { ids, plain, several } = result;
  expect(ids).toEqual(['book/base_model_v1', 'book/base_model_v2']);
  expect(plain).toHaveLength(9);
  expect(new Set(several.map(([text]) => text)).size).toBe(3);
  for (const [text, tokens] of several) expect(tokens.join('')).toBe(text);
  expect(result).toMatchObject({
    retrieved: ids[0],
    streamed: plain,
    usage: [17, 17],
    stopped: [expect.not.stringContaining(' '), 'stop'],
    refused: [
      [404, 'model_not_found', 'model'],
      [400, 'invalid_value', 'echo'],
      [400, 'unknown_character', null],
      [401, 'invalid_api_key', null],
    ],
  });
});
