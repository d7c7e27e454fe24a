/** In Electron, TensorFlow gets a block of more than 2 GiB, of which Electron's own allocator would end the process. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bindingFile, largeBlocksFile, tensorflowFolder } from '../../main/installation/locations.mjs';
import { inElectron } from '../support/in-electron.js';

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

async function answerOf(withBlocks: boolean): Promise<{ code: number; answer: { places: number } | null }> {
  const answer = await inElectron({ 'main.js': main, 'child.js': child(withBlocks) });
  return answer as Awaited<ReturnType<typeof answerOf>>;
}

test('a block of more than 2 GiB is there, and gone again, three times over', async () => {
  const { code, answer } = await answerOf(true);
  expect(code).toBe(0);
  expect(answer?.places).toBeGreaterThan(5);
});

test('without it the process ends: when it does not any more, it is needed no more', async () => {
  expect((await answerOf(false)).answer).toBeNull();
});
