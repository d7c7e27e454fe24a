/** In Electron, TensorFlow gets a block of more than 2 GiB, of which Electron's own allocator would end the process. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bindingFile, electronProgram, largeBlocksFile, tensorflowFolder } from '../../main/installation/locations.mjs';
import { startDisplay } from '../e2e/support/display.js';

const checkout = join(import.meta.dirname, '../..');

const main = `
const { app, utilityProcess } = require('electron');
app.whenReady().then(() => {
  const child = utilityProcess.fork(__dirname + '/child.js', [], { stdio: 'inherit' });
  let answer = null;
  child.on('message', (message) => { answer = message; });
  child.on('exit', (code) => { console.log('ANSWER ' + JSON.stringify({ code, answer })); app.exit(0); });
});`;

/** An array that nothing is written to costs no memory, only room for addresses. */
const child = (withBlocks: boolean) => `
process.env.TF_CPP_MIN_LOG_LEVEL = '3';
const tf = require(${JSON.stringify(join(checkout, 'node_modules/@tensorflow/tfjs'))});
const node = ${JSON.stringify(join(checkout, 'node_modules/@tensorflow/tfjs-node-gpu/dist/nodejs_kernel_backend'))};
const binding = require(${JSON.stringify(bindingFile(tensorflowFolder()))});
const places = ${withBlocks ? `require(${JSON.stringify(largeBlocksFile(tensorflowFolder()))}).places` : 'null'};
tf.registerBackend('tensorflow', () => new (require(node).NodeJSKernelBackend)(binding, 'tfjs-node'), 3);
tf.setBackend('tensorflow');
const attributes = [
  { name: 'dtype', type: binding.TF_ATTR_TYPE, value: binding.TF_FLOAT },
  { name: 'init', type: binding.TF_ATTR_BOOL, value: false },
];
for (let time = 0; time < 3; time++) {
  const shape = tf.tensor1d([600 * 1024 * 1024], 'int32');
  tf.dispose([shape, tf.backend().executeSingleOutput('Empty', attributes, [shape])]);
}
process.parentPort.postMessage({ places });
setTimeout(() => process.exit(0), 100);`;

async function inElectron(withBlocks: boolean): Promise<{ code: number; answer: { places: number } | null }> {
  const folder = mkdtempSync(join(tmpdir(), 'verisim-blocks-'));
  writeFileSync(join(folder, 'package.json'), '{"name":"blocks","version":"1.0.0","main":"main.js"}');
  writeFileSync(join(folder, 'main.js'), main);
  writeFileSync(join(folder, 'child.js'), child(withBlocks));
  try {
    const env = { ...process.env, DISPLAY: await startDisplay() };
    const args = ['--no-sandbox', `--user-data-dir=${join(folder, 'data')}`, folder];
    const electron = spawn(electronProgram(), args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    electron.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    await new Promise((resolve) => electron.once('close', resolve));
    const [, answer = 'null'] = /ANSWER (.*)/.exec(output) ?? [];
    return JSON.parse(answer) as Awaited<ReturnType<typeof inElectron>>;
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

test('a block of more than 2 GiB is there, and gone again, three times over', async () => {
  const { code, answer } = await inElectron(true);
  expect(code).toBe(0);
  expect(answer?.places).toBeGreaterThan(5);
});

test('without it the process ends: when it does not any more, it is needed no more', async () => {
  expect((await inElectron(false)).answer).toBeNull();
});
