// Models of the hub, fetched from one that runs on this machine: what is requested and shown before, what is fetched, and what
// becomes of cut connections, wrong contents, refusals and lies.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { parseHubName } from '../../../shared/config/hub-name.js';
import { hubFolder, hubModelAt, hubModelFolder, partFolder, partOf } from '../../../main/storage/hub/hub-cache.js';
import { fetchHubModel, missingOf, removeFetched, sizeOfModel } from '../../../main/storage/hub/hub-fetch.js';
import { hubClient } from '../../../main/storage/hub/hub-client.js';
import { hubOffer } from '../../../main/storage/hub/hub-offer.js';
import { removeHubModel } from '../../../main/storage/hub/hub-cache.js';
import { faultOfAsync } from '../fault-of.js';
import { serveHub, TOKEN, type HostedModel, type HubServer } from './hub-server.js';
import { inEnglish } from '../../support/messages.js';

const llama = {
  model_type: 'llama',
  hidden_size: 8,
  intermediate_size: 16,
  num_hidden_layers: 1,
  num_attention_heads: 2,
  max_position_embeddings: 64,
  vocab_size: 100,
};
const config = (changes: object = {}) => Buffer.from(JSON.stringify({ ...llama, ...changes }));
const weights = randomBytes(300_000);
const tiny: HostedModel = {
  files: {
    '.gitattributes': Buffer.from('*.safetensors filter=lfs'),
    'README.md': Buffer.from('# Tiny'),
    'config.json': config(),
    'generation_config.json': Buffer.from('{}'),
    'model.safetensors': weights,
    'pytorch_model.bin': randomBytes(50_000),
    'tokenizer.json': Buffer.from('{"a":1}'.repeat(5000)),
    'tokenizer_config.json': Buffer.from('{}'),
    'onnx/model.onnx': randomBytes(20_000),
  },
};

let server: HubServer;
let cache: string;
beforeEach(async () => {
  cache = mkdtempSync(join(tmpdir(), 'verisim-hub-'));
  vi.stubEnv('XDG_CACHE_HOME', cache);
  server = await serveHub({ 'some/tiny': tiny });
});
afterEach(() => {
  server.close();
  rmSync(cache, { recursive: true });
  vi.unstubAllEnvs();
});

const nameOf = (text: string) => {
  const name = parseHubName(text);
  if (name === null) throw new Error(text);
  return name;
};
const name = nameOf('some/tiny');
const patience = { attempts: 3, pauseSeconds: 0.01, stallSeconds: 5 };
const options = (environment: Readonly<Record<string, string>> = {}) => ({
  environment: { HF_ENDPOINT: server.endpoint, HF_HOME: '/none', ...environment },
  patience,
});
const fetched = (text = 'some/tiny') => fetchHubModel(nameOf(text), options());
const wanted = [
  'config.json',
  'generation_config.json',
  'model.safetensors',
  'tokenizer.json',
  'tokenizer_config.json',
];

/** In place of the hub. */
function answer(response: ServerResponse, status: number, body: string): true {
  response.writeHead(status, { 'retry-after': '0' }).end(body);
  return true;
}

it('says first what it is, then fetches only what is needed, and asks nothing once it is there', async () => {
  const offer = await hubOffer(name, options());
  expect(offer).toMatchObject({ name: 'some/tiny', licence: 'apache-2.0', gated: false, architecture: 'llama' });
  expect(offer.files.map((file) => file.name).sort()).toEqual(wanted);
  const total = wanted.reduce((sum, file) => sum + (tiny.files[file]?.length ?? 0), 0);
  expect([sizeOfModel(offer), missingOf(name, offer)]).toEqual([total, total]);
  expect(server.sent).toBe(0);
  expect(existsSync(hubFolder())).toBe(false);

  const progress: number[] = [];
  const model = await fetchHubModel(name, {
    ...options(),
    offer,
    onProgress: (done, of) => {
      expect(of).toBe(total);
      progress.push(done);
    },
  });
  expect(progress.at(-1)).toBe(total);
  expect(progress).toEqual([...progress].sort((a, b) => a - b));
  expect(model.path).toBe(hubModelFolder(name));
  expect(readdirSync(model.path).sort()).toEqual([...wanted, 'hub.json'].sort());
  for (const file of wanted)
    expect(readFileSync(join(model.path, file)).equals(tiny.files[file] ?? weights)).toBe(true);
  expect(readdirSync(hubFolder())).toEqual(['some--tiny']);

  const requests = server.requests.length;
  server.close();
  expect((await fetchHubModel(name, options())).path).toBe(model.path);
  expect(server.requests).toHaveLength(requests);
});

it('takes shards as the index names them, revisions, and one GGUF file of many', async () => {
  const shards = {
    'model-00001-of-00002.safetensors': randomBytes(40_000),
    'model-00002-of-00002.safetensors': randomBytes(9),
  };
  const map = Object.fromEntries(Object.keys(shards).map((file, i) => [`t${i}`, file]));
  const index = Buffer.from(JSON.stringify({ weight_map: map }));
  server.models.set('some/sharded', {
    files: { 'config.json': config(), 'model.safetensors.index.json': index, ...shards, 'extra.safetensors': weights },
  });
  server.models.set('some/gguf', {
    files: { 'a.Q8_0.gguf': weights, 'sub/b.gguf': randomBytes(20), 'sub/c.gguf': weights },
  });
  const model = await fetched('some/sharded@v1');
  expect(readdirSync(model.path).sort()).toEqual(
    ['config.json', 'hub.json', 'model.safetensors.index.json', ...Object.keys(shards)].sort(),
  );
  expect(hubModelAt(nameOf('some/sharded'))).toBeNull();
  const file = await fetched('some/gguf/sub/b.gguf');
  expect(file.path.endsWith('some--gguf--sub--b.gguf/b.gguf')).toBe(true);
  expect(server.requests.filter((each) => each.includes('c.gguf'))).toEqual([]);

  expect(await faultOfAsync(fetched('some/gguf'))).toMatchObject({
    code: 'checkpoint',
    hint: /some\/gguf\/a\.Q8_0\.gguf/,
  });
  expect(await faultOfAsync(fetched('some/gguf/none.gguf'))).toMatchObject({ code: 'checkpoint' });
  expect(await faultOfAsync(fetched('some/tiny@v9'))).toMatchObject({ code: 'file_not_found', message: /revision v9/ });
});

it('names an architecture that it does not compute before it fetches any of it', async () => {
  server.models.set('some/other', { files: { ...tiny.files, 'config.json': config({ model_type: 'mamba2' }) } });
  expect(await faultOfAsync(fetched('some/other'))).toMatchObject({
    code: 'checkpoint',
    message: /some\/other.*"mamba2"/,
  });
  server.models.set('some/bin', { files: { 'config.json': config(), 'pytorch_model.bin': weights } });
  expect(await faultOfAsync(fetched('some/bin'))).toMatchObject({
    code: 'checkpoint',
    message: /no model\.safetensors/,
  });
  expect(server.sent).toBe(0);
  expect(existsSync(hubFolder()) ? readdirSync(hubFolder()) : []).toEqual([]);
});

it('resumes where a connection was cut, in the same attempt and in a later one', async () => {
  server.models.set('some/tiny', { files: { ...tiny.files, 'tokenizer.json': Buffer.from('{}') } });
  server.pace = { bytes: 60_000, pause: 5 };
  server.cut = { times: 2, after: 100_000 };
  await fetched();
  const ranges = server.requests.filter((each) => each.startsWith('content model.safetensors'));
  expect(ranges).toEqual(['', ' bytes=120000-', ' bytes=240000-'].map((range) => `content model.safetensors${range}`));
  expect(server.sent).toBe(weights.length);
  removeHubModel(name);

  const controller = new AbortController();
  const onProgress = (done: number) => done > 200_000 && controller.abort();
  const stopped = fetchHubModel(name, { ...options(), signal: controller.signal, onProgress });
  expect(await faultOfAsync(stopped)).toMatchObject({ code: 'stopped' });
  const part = partOf(name);
  expect(part?.here).toBeGreaterThan(150_000);
  expect(hubModelAt(name)).toBeNull();
  server.requests.length = 0;
  const model = await fetched();
  expect(server.requests.filter((each) => each.startsWith('content'))).toMatchObject([/bytes=[1-9]\d+-$/]);
  expect(server.requests.filter((each) => /^(info|tree)/.test(each))).toEqual([]);
  expect(readFileSync(join(model.path, 'model.safetensors')).equals(weights)).toBe(true);
});

it('keeps nothing of contents that are not what was notices', async () => {
  const wrong = randomBytes(weights.length);
  const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
    'other bytes': (response) => void response.writeHead(200).end(wrong),
    'fewer bytes': (response) => void response.writeHead(200, { 'content-length': 1000 }).end(wrong.subarray(0, 1000)),
    'more bytes': (response) => void response.writeHead(200).end(Buffer.concat([weights, wrong])),
    'a page': (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in</html>'),
  };
  for (const [what, send] of Object.entries(answers)) {
    server.interfere = ({ kind, file, response }) => {
      if (kind !== 'content' || file !== 'model.safetensors') return false;
      send(response);
      return true;
    };
    const { code } = await faultOfAsync(fetched());
    expect([what, code]).toEqual([what, expect.stringMatching(/^(file_damaged|network)$/)]);
    expect(hubModelAt(name)).toBeNull();
    expect(existsSync(join(partFolder(name), 'model.safetensors'))).toBe(false);
  }
  server.interfere = () => false;
  expect(readFileSync(join((await fetched()).path, 'model.safetensors')).equals(weights)).toBe(true);
});

it('says what to do where the hub refuses, and what where it cannot be reached', async () => {
  server.models.set('some/gated', { ...tiny, access: 'gated' });
  server.models.set('some/private', { ...tiny, access: 'private' });
  const refused = (text: string, environment = {}) => faultOfAsync(fetchHubModel(nameOf(text), options(environment)));
  expect(await refused('some/none')).toMatchObject({ code: 'file_not_found', message: /some\/none/ });
  expect(await refused('some/private')).toMatchObject({ code: 'file_not_found', hint: /HF_TOKEN/ });
  expect(await refused('some/gated')).toMatchObject({ code: 'file_not_readable', hint: /set HF_TOKEN/ });
  expect(await refused('some/gated', { HF_TOKEN: 'hf_other' })).toMatchObject({ hint: /account of HF_TOKEN/ });
  expect(await refused('some/tiny', { HF_TOKEN: 'nonsense' })).toMatchObject({ message: /token in HF_TOKEN/ });
  expect(await refused('some/tiny', { HF_ENDPOINT: 'nonsense' })).toMatchObject({ code: 'bad_input' });
  for (const [status, code] of [
    [429, 'network'],
    [503, 'network'],
    [418, 'network'],
  ] as const) {
    server.interfere = ({ response }) => answer(response, status, '');
    expect(await refused('some/tiny')).toMatchObject({ code, message: new RegExp(String(status)) });
  }
  for (const body of ['<html>', 'null', '[1,2', '{"sha":"../../x"}', '{"sha":5,"gated":[]}']) {
    server.interfere = ({ response }) => answer(response, 200, body);
    expect(await refused('some/tiny')).toMatchObject({ code: 'network', message: /not the hub/ });
  }
  server.interfere = ({ kind, response }) => kind === 'tree' && answer(response, 200, '{"a":1}');
  expect(await refused('some/tiny')).toMatchObject({ code: 'network' });
  server.close();
  expect(await refused('some/tiny')).toMatchObject({ code: 'network', message: /ECONNREFUSED/, hint: /HTTPS_PROXY/ });
});

it.each(['HF_HOME', 'XDG_CACHE_HOME', 'HOME', 'HF_TOKEN_PATH'])(
  'takes the token of hf auth login, by %s',
  async (name) => {
    const root = mkdtempSync(join(tmpdir(), 'verisim-token-'));
    const below =
      { HF_HOME: '', XDG_CACHE_HOME: 'huggingface', HOME: '.cache/huggingface', HF_TOKEN_PATH: '' }[name] ?? '';
    mkdirSync(join(root, below), { recursive: true });
    const file = join(root, below, 'token');
    writeFileSync(file, `${TOKEN}\n`);
    const environment = { HF_ENDPOINT: server.endpoint, [name]: name === 'HF_TOKEN_PATH' ? file : root };
    expect(await hubClient({ environment })).toMatchObject({ headers: { authorization: `Bearer ${TOKEN}` } });
    // One that is set wins.
    expect((await hubClient({ environment: { ...environment, HF_TOKEN: 'hf_own' } })).headers).toEqual({
      authorization: 'Bearer hf_own',
    });
  },
);

it('takes older forms of a tokenizer where there is no tokenizer.json', async () => {
  const { 'tokenizer.json': _, ...files } = tiny.files;
  const old = { 'vocab.json': Buffer.from('{}'), 'merges.txt': Buffer.from('') };
  server.models.set('some/old', { files: { ...files, ...old } });
  const { files: offered } = await hubOffer(nameOf('some/old'), options());
  expect(offered.map((file) => file.name)).toEqual(expect.arrayContaining(['vocab.json', 'merges.txt']));
});

it('waits and asks again where the trouble passes, and gives the token to the hub alone', async () => {
  server.models.set('some/gated', { ...tiny, access: 'gated' });
  server.interfere = ({ visit, kind, response }) => {
    if (visit > 1 || kind === 'resolve') return false;
    response.writeHead(kind === 'info' ? 503 : 429, { 'retry-after': '0' }).end();
    return true;
  };
  const notices: string[] = [];
  await fetchHubModel(nameOf('some/gated'), {
    ...options({ HF_TOKEN: TOKEN }),
    say: (message) => notices.push(inEnglish(message)),
  });
  expect(notices.join('\n')).toMatch(/503.*trying again[^]*429.*trying again/);
  expect(server.leaked).toEqual([]);
});

it('believes no name, size or page of a list that it cannot have', async () => {
  const evil = (says: HostedModel['says']) => server.models.set('some/evil', { ...tiny, ...(says ? { says } : {}) });
  for (const path of [
    '../../model.safetensors',
    '/etc/model.safetensors',
    'sub/model.safetensors',
    'model.safetensors\0',
    '.',
    5,
  ]) {
    evil((entry) => (entry['path'] === 'model.safetensors' ? { ...entry, path } : entry));
    expect(await faultOfAsync(fetched('some/evil'))).toMatchObject({
      code: 'checkpoint',
      message: /no model\.safetensors/,
    });
  }
  const lfs = { oid: '0'.repeat(64), size: 300_000, pointerSize: 1 };
  for (const lie of [{ size: -1, lfs: undefined }, { size: 1e300, lfs: undefined }, { lfs: { ...lfs, oid: '../x' } }]) {
    evil((entry) => (entry['path'] === 'model.safetensors' ? { ...entry, ...lie } : entry));
    expect(await faultOfAsync(fetched('some/evil'))).toMatchObject({ code: 'checkpoint' });
  }
  evil((entry) => (entry['path'] === 'model.safetensors' ? { ...entry, lfs: { ...lfs, size: 9e15 } } : entry));
  expect(await faultOfAsync(fetched('some/evil'))).toMatchObject({ code: 'disk_full', message: /PB|TB/ });
  const index = Buffer.from('{"weight_map":{"a":"../../../etc/passwd"}}');
  server.models.set('some/index', { files: { 'config.json': config(), 'model.safetensors.index.json': index } });
  expect(await faultOfAsync(fetched('some/index'))).toMatchObject({ code: 'file_damaged' });
  server.interfere = ({ kind, request, response }) => {
    if (kind !== 'tree') return false;
    const link = `<${server.endpoint}${request.url ?? ''}>; rel="next"`;
    const entry = { type: 'file', path: 'x', size: 1, oid: 'a'.repeat(40) };
    response.setHeader('link', link);
    return answer(response, 200, JSON.stringify(Array.from({ length: 1000 }, () => entry)));
  };
  expect(await faultOfAsync(fetched())).toMatchObject({ code: 'network', message: /10000/ });
  expect(readdirSync(hubFolder()).filter((entry) => !entry.endsWith('.part'))).toEqual([]);
  expect(existsSync(join(cache, 'model.safetensors'))).toBe(false);
});

it('is fetched once, however many want it, and is not removed meanwhile', async () => {
  server.pace = { bytes: 30_000, pause: 20 };
  const notices: string[] = [];
  const all = [1, 2, 3].map(() =>
    fetchHubModel(name, { ...options(), say: (message) => notices.push(inEnglish(message)) }),
  );
  while (partOf(name) === null) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await faultOfAsync(removeFetched(name, removeHubModel))).toMatchObject({ code: 'busy' });
  const models = await Promise.all(all);
  expect(new Set(models.map(({ path }) => path)).size).toBe(1);
  expect(server.requests.filter((each) => each === 'content model.safetensors')).toHaveLength(1);
  expect(notices.filter((line) => line.includes('waiting for it'))).toHaveLength(2);
  await removeFetched(name, removeHubModel);
  expect(readdirSync(hubFolder())).toEqual([]);
});

it('downloads files again that have changed on the hub, and no others', async () => {
  const controller = new AbortController();
  const onProgress = (done: number) => done > 200_000 && controller.abort();
  await faultOfAsync(fetchHubModel(name, { ...options(), signal: controller.signal, onProgress }));
  const changed = {
    ...tiny,
    files: { ...tiny.files, 'model.safetensors': randomBytes(200_000) },
    commit: 'dead'.repeat(10),
  };
  server.models.set('some/tiny', changed);
  server.requests.length = 0;
  const model = await fetched();
  expect(
    readFileSync(join(model.path, 'model.safetensors')).equals(changed.files['model.safetensors'] ?? weights),
  ).toBe(true);
  expect(model.record.commit).toBe(changed.commit);
  expect(server.requests).not.toContain('content tokenizer.json');
});

it('a file that a folder with a name lacks, or has too short, makes it no model', async () => {
  const { path } = await fetched();
  writeFileSync(join(path, 'model.safetensors'), 'short');
  expect(hubModelAt(name)).toBeNull();
  await fetched();
  expect(readFileSync(join(path, 'model.safetensors')).equals(weights)).toBe(true);
  rmSync(join(path, 'config.json'));
  expect(hubModelAt(name)).toBeNull();
  mkdirSync(join(path, 'config.json'));
  await fetched();
  expect(hubModelAt(name)).not.toBeNull();
});

it('goes through the proxy that the environment names, and around it where that says so', async () => {
  const through: string[] = [];
  const proxy = createServer((request, response) => {
    through.push(String(request.url));
    if (request.headers['proxy-authorization'] !== `Basic ${Buffer.from('me:pass word').toString('base64')}`) {
      response.writeHead(407).end();
      return;
    }
    const { hostname, port, pathname, search } = new URL(request.url ?? '');
    const socket = connect(Number(port), hostname, () => {
      socket.write(`GET ${pathname}${search} HTTP/1.1\r\nhost: ${hostname}\r\nconnection: close\r\n\r\n`);
      socket.pipe(response.socket ?? socket);
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  try {
    process.env['http_proxy'] = `http://me:pass%20word@127.0.0.1:${port}`;
    await fetched();
    expect(through.length).toBeGreaterThan(5);
    removeHubModel(name);
    process.env['http_proxy'] = `http://127.0.0.1:${port}`;
    expect(await faultOfAsync(fetched())).toMatchObject({ code: 'network', message: /407/, hint: /HTTPS_PROXY/ });
    through.length = 0;
    process.env['no_proxy'] = 'localhost, 127.0.0.1';
    await fetched();
    expect(through).toEqual([]);
    process.env['http_proxy'] = 'http://127.0.0.1:1';
    delete process.env['no_proxy'];
    removeHubModel(name);
    expect(await faultOfAsync(fetched())).toMatchObject({ code: 'network', message: /proxy 127\.0\.0\.1:1/ });
    process.env['http_proxy'] = 'http://me:secret@127.0.0.1:none';
    const { message } = await faultOfAsync(fetched());
    expect(message).toMatch(/proxy http:\/\/…@127\.0\.0\.1:none: ERR_INVALID_URL$/);
  } finally {
    delete process.env['http_proxy'];
    delete process.env['no_proxy'];
    proxy.closeAllConnections();
    proxy.close();
  }
});
