// Other people who rate: their address shows one page and takes answers; every other thing of the server is refused to them.
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { channelNames } from '../../shared/contract/index.js';
import { hashedPart, type ExportedTask } from '../../shared/rating-task.js';
import { newProjectJob } from '../../main/jobs/project/cycle.js';
import { ratingGuests } from '../../main/jobs/rating/guests.js';
import { readVotes } from '../../main/storage/projects/rating-votes.js';
import { taskFolder, writePassages } from '../../main/storage/projects/ratings.js';
import { writeText } from '../cli/program.js';
import { projectSettings, temporaryFolder, testContext } from '../jobs/context.js';
import { addUntrainedModels } from '../support/untrained-project.js';
import { serve, type Serving } from './serving.js';

const home = temporaryFolder();
const folder = join(home, 'book');
const ratings = join(folder, 'ratings');
let serving: Serving;
let cookie = '';

beforeAll(async () => {
  const given = {
    ...{ data_path: writeText(home, 1500), tokenization: 'char', preset: 'none', threads: 1 },
    ...{ n_layer: 1, n_head: 1, n_embd: 8, block_size: 16, max_iters: 1 },
  };
  const { context } = testContext();
  await newProjectJob({ folder, settings: projectSettings({ project: folder, ...given }), given }, context);
  addUntrainedModels(folder, ['base_model_v1', 'base_model_v2']);
  for (const source of ['natural', 'base_model_v1', 'base_model_v2'])
    writePassages(taskFolder(ratings, 'pair'), source, [{ prompt: 'Call ', text: `me ${source.length + source}` }]);
  serving = await serve({ rating: ratingGuests(folder) });
  const let_in = await fetch(serving.ratingAddress ?? '', { redirect: 'manual' });
  expect(let_in.status).toBe(303);
  expect(let_in.headers.get('location')).toBe('/rate');
  cookie = (let_in.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
});
afterAll(async () => {
  await serving.close();
  rmSync(home, { recursive: true, force: true });
});

const ask = (path: string, options: RequestInit = {}) =>
  fetch(serving.origin + path, { redirect: 'manual', ...options, headers: { cookie, ...options.headers } });
const post = (body: string, headers = {}) =>
  ask('/rate', { method: 'POST', body, headers: { origin: serving.origin, ...headers } });

it('shows a page that may send answers back, and nothing else', async () => {
  const page = await ask('/rate');
  expect(page.status).toBe(200);
  const policy = page.headers.get('content-security-policy') ?? '';
  expect(policy).toMatch(
    /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; connect-src 'self'/,
  );
  const html = await page.text();
  expect(html).toContain('<html lang="en">');
  const german = await ask('/rate', { headers: { 'accept-language': 'de-CH,de;q=0.9,en;q=0.8' } });
  expect(await german.text()).toContain('<html lang="de">');
  const data = /id="task">([^]*?)<\/script>/.exec(html)?.[1] ?? '';
  const task = JSON.parse(data) as ExportedTask;
  const answers = [{ question: 'q1', answer: 'tie', seconds: 1, at: '2026-11-23T00:00:00.000Z' }] as const;
  const result = { task_id: task.task_id, rater: 'Ana', rater_id: '00000000', answers: [...answers] };
  const hash = createHash('sha256').update(hashedPart(result)).digest('hex');
  const file = JSON.stringify({ format: 'verisim-rating-result', format_version: 1, ...result, hash });
  expect((await post(file, { origin: 'http://evil.example' })).status).toBe(403);
  // All that it has is sent each time: the same once more is one vote.
  for (let time = 0; time < 2; time++) expect((await post(file)).status).toBe(204);
  const edited = await post(file.replace('tie', 'first'));
  expect([edited.status, await edited.text()]).toEqual([400, expect.stringMatching(/changed after/)]);
  expect((await post(' '.repeat(2 ** 21))).status).toBe(413);
  // Each of them in the language that the browser asks for.
  const inGerman = { 'accept-language': 'de-CH,de;q=0.9,en;q=0.8' };
  const refusedInGerman = async (sent: string, headers = {}) => (await post(sent, { ...inGerman, ...headers })).text();
  expect(await refusedInGerman(file, { origin: 'http://evil.example' })).toMatch(/^Nur die Seite dieses Servers/);
  expect(await refusedInGerman(file.replace('tie', 'first'))).toMatch(/verändert, nachdem/);
  expect(await refusedInGerman(file.replaceAll(task.task_id, '0'.repeat(32)))).toMatch(/eines anderen Projekts/);
  expect(await refusedInGerman('{}')).toMatch(/sind keine Antworten/);
  const resigned = (changed: object) => {
    const said = { ...result, answers: [{ ...answers[0], ...changed }] };
    const signed = createHash('sha256').update(hashedPart(said)).digest('hex');
    return JSON.stringify({ format: 'verisim-rating-result', format_version: 1, ...said, hash: signed });
  };
  expect(await refusedInGerman(resigned({ question: 'q999' }))).toMatch(/gibt es hier nicht/);
  expect(await refusedInGerman(resigned({ answer: 'natural', at: '2026-11-24T00:00:00.000Z' }))).toMatch(
    /passt nicht zu ihrer Frage/,
  );
  expect(await refusedInGerman(' '.repeat(2 ** 21))).toMatch(/^Das ist zu lang/);
  const stranger = await fetch(`${serving.origin}/rate`, { headers: inGerman });
  expect([stranger.status, await stranger.text()]).toEqual([401, expect.stringMatching(/die man Ihnen geschickt hat/)]);
  const unknown = await fetch(serving.origin, { headers: inGerman });
  expect(await unknown.text()).toMatch(/„verisim serve“/);
  expect(readVotes(ratings).votes).toMatchObject([{ rater: 'Ana (0000)', outcome: 'tie' }]);
});

it('is let in to nothing else: no file, no upload, no socket, and so to none of the channels', async () => {
  for (const path of ['/', '/index.html', '/assets/index-AbCd1234.js', '/download/file_a', '/rate/x', '/socket'])
    expect([path, (await ask(path)).status]).toEqual([path, 401]);
  const upload = await ask('/upload?name=x', { method: 'POST', body: 'x', headers: { origin: serving.origin } });
  expect(upload.status).toBe(401);
  for (const path of ['/socket', '/rate']) {
    const socket = serving.socket({ cookie, path });
    const status = await new Promise((resolve) =>
      socket.on('unexpected-response', (_request, response) => resolve(response.statusCode)),
    );
    expect([path, status]).toEqual([path, 401]);
  }
  for (const channel of channelNames) {
    const reply = await post(JSON.stringify({ type: 'call', id: 1, channel, input: {} }));
    expect([channel, reply.status]).toEqual([channel, 400]);
  }
  // Nor does its token open the window, nor the window's cookie this page.
  const token = new URL(serving.ratingAddress ?? '').searchParams.get('token') ?? '';
  expect((await fetch(`${serving.origin}/?token=${token}`, { redirect: 'manual' })).status).toBe(401);
  expect((await fetch(`${serving.origin}/rate`, { headers: { cookie: await serving.admit() } })).status).toBe(401);
});
