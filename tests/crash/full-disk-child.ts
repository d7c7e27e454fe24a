/**
 * For full-disk.test: runs the cycle without an engine on a real disk that has only so much room, then with room enough.
 * argv: the folder, and how many fill levels to try, from none to as much as a run needs; without levels (where the
 * limit is one on file sizes) it runs once. Prints one line of JSON for each.
 */
import * as fs from 'node:fs';
import * as path from 'node:path';
import { toFault } from '../../shared/errors.js';
import { runToEnd } from './fake-cycle.js';

const [root = '', levels = '0'] = process.argv.slice(2);
const project = path.join(root, 'project');
const filler = path.join(root, 'filler');
const free = () => fs.statfsSync(root).bavail * fs.statfsSync(root).bsize;
const say = (value: object) => fs.writeSync(1, `${JSON.stringify(value)}\n`);

async function attempt(): Promise<object | null> {
  try {
    await runToEnd(project);
    return null;
  } catch (error) {
    return toFault(error);
  }
}

/** Every file's text but the log of what happened, which records interruptions. */
function contents(): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of fs.readdirSync(project, { withFileTypes: true, recursive: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isFile() && entry.name !== 'events.jsonl') {
      found[path.relative(project, file)] = fs.readFileSync(file, 'latin1');
    }
  }
  return found;
}

const count = Number(levels);
if (count === 0) say({ fault: await attempt(), contents: fs.existsSync(project) ? contents() : {} });
else {
  const before = free();
  await runToEnd(project);
  const whole = JSON.stringify(contents());
  const needed = before - free();
  fs.rmSync(project, { recursive: true });
  for (let level = 0; level < count; level += 1) {
    const room = Math.floor((needed * level) / count);
    fs.writeFileSync(filler, Buffer.alloc(free() - room, 1));
    const fault = await attempt();
    fs.rmSync(filler);
    const afterwards = await attempt();
    say({ room, fault, afterwards, same: JSON.stringify(contents()) === whole });
    fs.rmSync(project, { recursive: true });
  }
}
process.exit(0);
