// A fetch that is killed at any moment, again and again: nothing half-written is ever taken for whole, and in the end every
// byte is there.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, it, onTestFinished } from 'vitest';
import { serveHub } from './hub-server.js';

const root = join(import.meta.dirname, '../../..');

it('survives SIGKILL at random moments', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'verisim-hub-kill-'));
  const shards = ['a', 'b', 'c'].map((name) => [`${name}.safetensors`, randomBytes(700_000)] as const);
  const map = Object.fromEntries(shards.map(([file]) => [file, file]));
  const settings = { model_type: 'llama', hidden_size: 8, intermediate_size: 16, num_hidden_layers: 1 };
  const more = { num_attention_heads: 2, max_position_embeddings: 64, vocab_size: 100 };
  const files: Record<string, Buffer> = {
    ...Object.fromEntries(shards),
    'config.json': Buffer.from(JSON.stringify({ ...settings, ...more })),
    'tokenizer.json': randomBytes(60_000),
    'model.safetensors.index.json': Buffer.from(JSON.stringify({ weight_map: map })),
  };
  const server = await serveHub({ 'some/model': { files } });
  server.pace = { bytes: 40_000, pause: 8 };
  onTestFinished(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });
  const program = join(folder, 'fetch.mjs');
  await build({
    absWorkingDir: root,
    stdin: {
      contents: `import { fetchHubModel } from './main/storage/hub/hub-fetch.ts';
        import { parseHubName } from './shared/config/hub-name.ts';
        await fetchHubModel(parseHubName('some/model'), { patience: { pauseSeconds: 0.05 } });`,
      resolveDir: root,
    },
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  const models = join(folder, 'cache', 'verisim', 'models');
  const whole = join(models, 'some--model');
  const isWhole = () => {
    try {
      return readdirSync(models).includes('some--model');
    } catch {
      return false;
    }
  };
  const mustBeRight = () => {
    for (const [file, bytes] of Object.entries(files)) expect(readFileSync(join(whole, file)).equals(bytes)).toBe(true);
  };

  const total = Object.values(files).reduce((sum, bytes) => sum + bytes.length, 0);
  const KILLS = 9;
  let kills = 0;
  for (let attempt = 0; attempt < KILLS + 1; attempt++) {
    const env = { ...process.env, HF_ENDPOINT: server.endpoint, XDG_CACHE_HOME: join(folder, 'cache') };
    const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'ignore', 'inherit'] });
    const ended = once(child, 'exit') as Promise<[number | null, string | null]>;
    // Somewhere in the share of this attempt, or before its first request.
    const until =
      attempt === KILLS ? Infinity : server.sent + (attempt === 0 ? 0 : (Math.random() * 1.6 * total) / KILLS);
    const timer = setInterval(() => {
      if (server.sent < until) return;
      kills += child.kill('SIGKILL') ? 1 : 0;
      clearInterval(timer);
    }, 1);
    const [code] = await ended;
    clearInterval(timer);
    expect([0, null]).toContain(code);
    if (code === 0) expect(isWhole()).toBe(true);
    if (isWhole()) mustBeRight();
  }
  expect(kills).toBeGreaterThan(KILLS / 2);
  mustBeRight();
  expect(readdirSync(models)).toEqual(['some--model']);
  // What had arrived was not fetched again, but for what a killed process had not written yet.
  expect(server.sent).toBeLessThan(2 * total);
});
