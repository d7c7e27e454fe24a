/** A trainer under Electron continues after it has printed more than a pipe holds, to either of its outputs. */
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { expect, it } from 'vitest';
import { inElectron } from '../support/in-electron.js';

const MEGABYTES = 4;

const main = `
const { app, utilityProcess } = require('electron');
const { utilityTrainer } = require('./trainer-process.js');
app.whenReady().then(() => {
  let printed = 0;
  const child = utilityTrainer(utilityProcess, __dirname + '/child.js', (text) => { printed += text.length; })();
  const end = (answer) => { console.log('ANSWER ' + JSON.stringify({ ...answer, printed })); child.kill(); app.exit(0); };
  child.onMessage((message) => setTimeout(() => end({ message }), 200));
  setTimeout(() => end({ message: 'none' }), 15000);
});`;

const child = (handle: number) => `
for (let i = 0; i < ${MEGABYTES}; i++) {
  const bytes = Buffer.alloc(1 << 20, 'x');
  for (let done = 0; done < bytes.length; ) {
    // A full pipe that does not block fails with EAGAIN.
    try { done += require('node:fs').writeSync(${handle}, bytes, done); } catch (error) { if (error.code !== 'EAGAIN') throw error; }
  }
}
process.parentPort.postMessage('went on');
setInterval(() => undefined, 1000);`;

it.each([
  ['standard output', 1],
  ['standard error', 2],
])('%s', async (_name, handle) => {
  const built = buildSync({
    entryPoints: [join(import.meta.dirname, '../../main/supervisor/trainer-process.ts')],
    ...{ bundle: true, write: false, platform: 'node', format: 'cjs', target: 'node18' },
  });
  const files = {
    'main.js': main,
    'child.js': child(handle),
    'trainer-process.js': built.outputFiles[0]?.text ?? '',
  };
  expect(await inElectron(files)).toEqual({ message: 'went on', printed: MEGABYTES << 20 });
});
