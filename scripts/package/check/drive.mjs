// Sits before the window of an installed app, in a network of its own that leads nowhere: starts it as an ordinary user under Xvfb,
// clicks as a person would, and writes one finding a line. Arguments: the clean root, the command in it; `open` where it is only
// opened and closed.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { budgets, load, withinSeconds } from './budgets.mjs';
import { tryPage } from './checklist.mjs';
import { asPerson } from './clean-root.mjs';
import { openPage, until } from './page.mjs';

const [root = '', command = '', mode = 'train'] = process.argv.slice(2);
const PORT = 9333;
/** Seconds that something may take on a machine that does other things as well. */
const PATIENCE = 120;

/** The last that is told: what comes no further was not tried to the end. */
const CLOSED = 'closes at the end';

/** @param {string} name @param {boolean} passed @param {string} [detail] */
const tell = (name, passed, detail = '') => console.log(JSON.stringify({ name, passed, detail }));

const environment = {
  PATH: '/usr/bin:/bin:/usr/sbin:/sbin',
  LANG: 'C.UTF-8',
  DISPLAY: ':7',
  HOME: '/home/person',
  XDG_RUNTIME_DIR: '/tmp/person',
  VERISIM_HOME: '/home/person/projects',
  VERISIM_TIMINGS: '1',
};
/** @param {string} line a shell's */
const inside = (line) => {
  const [program = '', ...args] = asPerson(root, line);
  return spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], env: environment });
};

/**
 * Every process that one has begun, and those begun by these, as they stand in /proc; a page's own root is an empty folder.
 * @param {number} ancestor
 */
function processesBelow(ancestor) {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const status = readFileSync(`/proc/${pid}/status`, 'utf8');
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return [{ pid: Number(pid), parent: Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]), line, status }];
      } catch {
        return []; // it has ended
      }
    });
  const below = new Set([ancestor]);
  for (let before = 0; before !== below.size;) {
    before = below.size;
    for (const { pid, parent } of all) if (below.has(parent)) below.add(pid);
  }
  return all.filter(({ pid }) => below.has(pid));
}

/** Starts the app and waits for its window. */
async function start() {
  const began = performance.now();
  const app = inside(`exec ${command} --remote-debugging-port=${String(PORT)}`);
  let said = '';
  /** @type {number | null} */
  let shown = null;
  app.stderr.setEncoding('utf8').on('data', (text) => {
    said += text;
    if (shown === null && said.includes('Window shown.')) shown = (performance.now() - began) / 1000;
  });
  /** @type {Promise<number | null>} */
  const ended = new Promise((resolve) => app.once('exit', resolve));
  const page = await openPage(PORT, PATIENCE).catch((/** @type {unknown} */ error) => {
    throw new Error(`${String(error)}; it said: ${said.slice(-600)}`);
  });
  return {
    page,
    said: () => said.slice(-600),
    processes: () => processesBelow(app.pid ?? 0),
    /** Seconds from the command to the window. */
    shownAfter: () => until(() => Promise.resolve(shown), PATIENCE, 'the window'),
    async close() {
      await page.close();
      return Promise.race([ended, sleep(PATIENCE * 1000).then(() => 'still running')]);
    },
  };
}

/** @typedef {Awaited<ReturnType<typeof start>>} App */

/** The one that is open, for the end of a trial that failed. */
const open = /** @type {{ app: App | null }} */ ({ app: null });

/**
 * Opens the app until its window came in time, as often as budgets.mjs has it; the last one stays open.
 * @param {string} name
 * @param {number} most seconds
 * @param {() => void} [prepare] before each
 * @returns {Promise<App>}
 */
async function openInTime(name, most, prepare) {
  /** @type {{ seconds: number, load: number }[]} */
  const tries = [];
  for (;;) {
    prepare?.();
    const app = await start();
    open.app = app;
    tries.push({ seconds: await app.shownAfter(), load: load() });
    const finding = withinSeconds(name, tries, most);
    if (finding.passed || tries.length === budgets.tries) {
      tell(finding.name, finding.passed, finding.detail);
      return app;
    }
    await app.close();
  }
}

/** As the app was never started: what it keeps for itself is gone. */
const forget = () => rmSync(join(root, 'home/person/.local/share/verisim'), { recursive: true, force: true });

/** @param {App} app */
async function train({ page, processes }) {
  await page.press('The sample from nothing');
  await page.waitFor(/steps\/s/, 3 * PATIENCE);
  const projects = join(root, 'home/person/projects');
  const saved = existsSync(projects)
    ? readdirSync(projects).filter((name) => existsSync(join(projects, name, 'project.json')))
    : [];
  tell('trains the sample, begun by a click', saved.length === 1, saved.join(' '));
  tell(
    'in a process of its own',
    processes().some(({ line }) => line.includes('node.mojom.NodeService')),
  );
  await page.press('Stop');
  await page.press('After this step');
  await page.waitFor(/^Stopped$/m);
  tell('stops with a checkpoint', true);
}

/** First start, training, closing, second start, Electron's checklist. */
async function tryAll() {
  const first = await openInTime('shows its window at the first start', budgets.firstStart, forget);
  const pages = first.processes().filter(({ line }) => line.includes('--type=renderer'));
  const confined = pages.length > 0 && pages.every(({ status }) => /^Seccomp:\s+2$/m.test(status));
  tell(
    'the page runs in the sandbox',
    confined && !first.processes().some(({ line }) => line.includes('--no-sandbox')),
  );
  await train(first);
  const code = await first.close();
  tell('closes', code === 0, code === 0 ? '' : `${String(code)} ${first.said()}`);
  const again = await openInTime('shows its window again, warm', budgets.warmStart);
  await again.page.waitFor(/Moby-Dick/i);
  tell('and the project in it', true);
  console.log(JSON.stringify(await tryPage(again.page)));
  tell(CLOSED, (await again.close()) === 0);
}

/** Only the window, and where the program lies that shows it. */
async function tryOpening() {
  const app = await start();
  open.app = app;
  const after = await app.shownAfter();
  const lies =
    app
      .processes()
      .find(({ line }) => line.includes('--type=renderer'))
      ?.line.split(' ')[0] ?? '';
  tell('shows its window', lies.startsWith('/home/person/.cache/verisim/unpacked-'), `${after.toFixed(1)} s, ${lies}`);
  tell(CLOSED, (await app.close()) === 0);
}

// A screen that was killed leaves these, and looks as if it were there.
for (const name of ['.X7-lock', '.X11-unix/X7']) rmSync(join(root, 'tmp', name), { force: true });
spawnSync('ip', ['link', 'set', 'lo', 'up']);
const screen = inside(
  'mkdir -p -m 700 /tmp/person /home/person/projects; exec Xvfb :7 -screen 0 1400x900x24 -nolisten tcp',
);
try {
  await until(async () => (existsSync(join(root, 'tmp/.X11-unix/X7')) ? true : null), PATIENCE, 'the screen');
  await (mode === 'open' ? tryOpening() : tryAll());
} catch (error) {
  tell('works', false, `${String(error).slice(0, 900)} ${open.app?.said() ?? ''}`);
} finally {
  for (const { pid } of [...(open.app?.processes() ?? []), ...processesBelow(screen.pid ?? 0)]) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // it has ended
    }
  }
}
process.exit(0);
