/**
 * For disk-watch.test: runs a copy of a project, by the supervisor, on a disk that something else has nearly filled, and
 * makes room once the run has paused. argv: the built trainer, the project, the small disk. Prints one line of JSON.
 */
import * as fs from 'node:fs';
import * as path from 'node:path';
import { createSupervisor } from '../../main/supervisor/index.js';
import { nodeTrainer } from '../../main/supervisor/trainer-process.js';
import { freeBytes } from '../../main/storage/disk/disk.js';

const [program = '', source = '', disk = '', left = '0'] = process.argv.slice(2);
const folder = path.join(disk, 'project');
const filler = path.join(disk, 'filler');
const free = () => freeBytes(disk) ?? NaN;

fs.cpSync(source, folder, { recursive: true });
fs.writeFileSync(filler, Buffer.alloc(free() - Number(left), 1));
const supervisor = createSupervisor({ start: nodeTrainer(program), queueFile: path.join(disk, 'queue.json') });
const notices: string[] = [];
const freeWhenPaused: number[] = [];
const ended = new Promise<string>((done) => {
  supervisor.subscribe((event) => {
    if (event.type === 'event' && event.event.event === 'notice') notices.push(event.event.code);
    if (event.type === 'status' && event.status.state === 'paused') {
      freeWhenPaused.push(free());
      fs.rmSync(filler);
    }
    if (event.type === 'ended') done(event.outcome);
  });
});
await supervisor.start(folder);
const outcome = await ended;
await supervisor.close();
fs.writeSync(1, `${JSON.stringify({ outcome, notices, freeWhenPaused, weights: weightsOf(folder) })}\n`);

/** The finished model's bytes. */
function weightsOf(project: string): string {
  const models = path.join(project, 'checkpoints');
  const last =
    fs
      .readdirSync(models)
      .filter((name) => /^base_model_v\d+$/.test(name))
      .sort()
      .at(-1) ?? '';
  return fs.readFileSync(path.join(models, last, 'weights.safetensors')).toString('base64');
}
