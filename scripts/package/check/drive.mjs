// Sits before the window of an installed app, in a network of its own that leads nowhere: starts it as an ordinary user under Xvfb,
// clicks as a person would, and writes one finding a line. Arguments: the clean root, the command in it.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from 'playwright-core';

const [root = '', command = ''] = process.argv.slice(2);
const PORT = 9333;
const PATIENCE = 120_000;

/** @param {string} name @param {boolean} passed @param {string} [detail] */
const tell = (name, passed, detail = '') => console.log(JSON.stringify({ name, passed, detail }));

spawnSync('ip', ['link', 'set', 'lo', 'up']);
const settings = 'HOME=/home/person XDG_RUNTIME_DIR=/tmp/person VERISIM_HOME=/home/person/projects VERISIM_TIMINGS=1';
const start = `mkdir -p -m 700 /tmp/person /home/person/projects; cd /home/person; ${settings} exec xvfb-run -a ${command} --remote-debugging-port=${String(PORT)}`;
const began = performance.now();
const app = spawn('chroot', ['--userspec=person:person', root, 'sh', '-c', start], {
  stdio: ['ignore', 'ignore', 'pipe'],
  env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LANG: 'C.UTF-8' },
});
let said = '';
app.stderr.setEncoding('utf8').on('data', (text) => (said += text));
const ended = new Promise((resolve) => app.once('exit', resolve));

/** Processes of the app, by what they are started with. */
const processes = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        // Of this root, and nobody else's.
        if (readlinkSync(`/proc/${pid}/root`) !== root) return [];
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return /verisim/i.test(line) && line.includes('--type=')
          ? [{ line, status: readFileSync(`/proc/${pid}/status`, 'utf8') }]
          : [];
      } catch {
        return [];
      }
    });

async function connect() {
  const until = performance.now() + PATIENCE;
  for (;;) {
    try {
      return await chromium.connectOverCDP(`http://127.0.0.1:${String(PORT)}`);
    } catch (error) {
      if (performance.now() > until || app.exitCode !== null) throw error;
      await sleep(250);
    }
  }
}

try {
  const browser = await connect();
  const page = browser.contexts()[0]?.pages()[0] ?? (await browser.contexts()[0]?.waitForEvent('page'));
  if (!page) throw new Error('there is no page');
  page.setDefaultTimeout(PATIENCE);
  const button = page.getByRole('button', { name: 'The sample from nothing' }).first();
  await button.waitFor();
  tell(
    'shows its window',
    true,
    `${((performance.now() - began) / 1000).toFixed(1)} s after the start, this machine busy`,
  );
  const pages = processes().filter(({ line }) => line.includes('--type=renderer'));
  const confined = pages.length > 0 && pages.every(({ status }) => /^Seccomp:\s+2$/m.test(status));
  tell('the page runs in the sandbox', confined && !processes().some(({ line }) => line.includes('--no-sandbox')));
  await button.click();
  const projects = join(root, 'home/person/projects');
  const until = performance.now() + 3 * PATIENCE;
  const hasSaved = () =>
    existsSync(projects) &&
    readdirSync(projects).some(
      (name) => existsSync(join(projects, name, 'base_model_v0')) || existsSync(join(projects, name, 'project.json')),
    );
  while (!hasSaved() && performance.now() < until) await sleep(500);
  await page
    .getByText(/steps\/s/)
    .first()
    .waitFor({ timeout: 3 * PATIENCE });
  tell('trains the sample, begun by a click', hasSaved(), readdirSync(projects).join(' '));
  const runtime = processes().some(({ line }) => line.includes('node.mojom.NodeService'));
  tell('in a process of its own', runtime);
  await page.getByRole('button', { name: 'Stop', exact: true }).first().click();
  await page.getByRole('menuitem', { name: 'After this step' }).click();
  await page.getByText('Stopped', { exact: true }).first().waitFor({ timeout: PATIENCE });
  tell('stops with a checkpoint', true);
  await page.close({ runBeforeUnload: true });
  const code = await Promise.race([ended, sleep(PATIENCE).then(() => 'still running')]);
  tell('closes', code === 0 || code === null, code === 0 ? '' : String(code));
} catch (error) {
  tell('works', false, `${String(error).slice(0, 400)} ${said.slice(-600)}`);
} finally {
  for (const { status } of processes()) {
    const pid = Number(/^Pid:\s+(\d+)/m.exec(status)?.[1]);
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // it has ended
    }
  }
  app.kill('SIGKILL');
}
process.exit(0);
