/** TensorFlow's binding makes a process give back what it has freed, once it has grown since. */
import { execFileSync } from 'node:child_process';
import process from 'node:process';
import { expect, it } from 'vitest';
import { bindingFile, tensorflowFolder } from '../../main/installation/locations.mjs';

/**
 * Frees every other MiB of 400, takes 100 MiB more, which no gap has room for, and prints how many the process has got since.
 * V8 frees in a thread of its own, on a busy machine after the process has grown: it grows again then.
 */
const program = `
const MiB = 2 ** 20;
const filled = (bytes) => Buffer.alloc(bytes, 1);
if (process.argv[1]) process.dlopen({ exports: {} }, process.argv[1]);
const before = process.memoryUsage.rss();
// From the first such block that is freed, glibc keeps room for blocks of its size.
filled(31 * MiB);
gc();
let many = Array.from({ length: 400 }, () => filled(MiB));
many = many.filter((_, index) => index % 2 === 0);
gc();
setTimeout(() => {
  let more;
  const end = Date.now() + 20_000;
  const grow = () => {
    more = undefined;
    gc();
    more = filled(100 * MiB);
    setTimeout(look, 500);
  };
  const look = () => {
    const held = (process.memoryUsage.rss() - before) / MiB;
    if (held > 400 && Date.now() < end && process.argv[1]) grow();
    else console.log(JSON.stringify({ held, used: (more.length + many.length * MiB) / MiB }));
  };
  grow();
}, 500);`;

function measure(...binding: readonly string[]): { readonly held: number; readonly used: number } {
  const args = ['--expose-gc', '--eval', program, ...binding];
  const env = { ...process.env, TF_CPP_MIN_LOG_LEVEL: '3' };
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', env })) as ReturnType<typeof measure>;
}

it('gives back what was freed when the process has grown', () => {
  const { held, used } = measure(bindingFile(tensorflowFolder()));
  expect(used).toBe(300);
  expect(held).toBeLessThan(400);
});

it('without it the process keeps that: when it does not any more, it is needed no more', () => {
  expect(measure().held).toBeGreaterThan(450);
});
