// Installs the deb in a clean Debian without a network (as root; made once by debootstrap, kept in the cache folder), starts it as
// an ordinary user under Xvfb with Chromium's sandbox on, trains the sample by a click, and removes it again. One line a finding.
import { spawn, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { cacheFolder } from '../../main/installation/locations.mjs';
import { SetupProblem } from '../setup/report.mjs';

/** @typedef {import('../setup/report.mjs').Report} Report */

const SUITE = 'bookworm';
const PORT = 9333;
const PATIENCE_SECONDS = 180;
/** What a desktop has besides what the deb names: a screen, fonts, menus and file types. */
const desktop =
  'xvfb,xauth,dbus-x11,fonts-dejavu-core,xdg-utils,shared-mime-info,desktop-file-utils,hicolor-icon-theme';
/** The libraries that the deb depends on: there is no network to install them from. */
const libraries =
  'libgtk-3-0,libnss3,libasound2,libgbm1,libnotify4,libsecret-1-0,libatspi2.0-0,libxcb-dri3-0,libglib2.0-bin';
/** Electron's fuses in their order, as electron-builder.yml sets them; an older Electron has fewer. */
const FUSES = '01001100';
const FUSE_SENTINEL = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';

/** @param {string} command @param {readonly string[]} args @returns {string} what it printed @throws with what it printed */
function must(command, ...args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', timeout: 1_200_000 });
  if (status !== 0)
    throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? `${stdout}\n${stderr}`.slice(-800)}`);
  return stdout;
}

/** Makes the clean Debian. @param {Report} report @returns {string} its folder */
function cleanDebian(report) {
  const folder = join(cacheFolder(), `check-root-${SUITE}`);
  if (existsSync(folder)) return folder;
  report.say('Making a clean Debian (debootstrap, some minutes, once).');
  const mirror = must('apt-get', 'indextargets', '--format', '$(REPO_URI)', `Codename: ${SUITE}`).split('\n')[0] ?? '';
  const fresh = `${folder}.making`;
  rmSync(fresh, { recursive: true, force: true });
  must(
    'debootstrap',
    '--variant=minbase',
    `--include=${desktop},${libraries}`,
    SUITE,
    fresh,
    ...(mirror ? [mirror] : []),
  );
  must('chroot', fresh, 'useradd', '--create-home', 'person');
  renameSync(fresh, folder);
  return folder;
}

/** Mounts a layer over the clean Debian, so that a trial leaves nothing in it. @param {string} lower */
function layerOver(lower) {
  const top = mkdtempSync(join(tmpdir(), 'verisim-check-'));
  for (const name of ['upper', 'work', 'root']) mkdirSync(join(top, name));
  const root = join(top, 'root');
  must('mount', '-t', 'overlay', 'overlay', '-o', `lowerdir=${lower},upperdir=${top}/upper,workdir=${top}/work`, root);
  must('mount', '-t', 'proc', 'proc', join(root, 'proc'));
  must('mount', '--rbind', '/dev', join(root, 'dev'));
  // Otherwise unmounting it below would unmount the system's own /dev/shm as well.
  must('mount', '--make-rprivate', join(root, 'dev'));
  mkdirSync(join(root, '.before'));
  const remove = () => {
    for (const name of ['dev', 'proc', '']) spawnSync('umount', ['-lR', join(root, name)]);
    rmSync(top, { recursive: true, force: true });
  };
  return { root, remove };
}

/** @param {string} name @param {boolean} passed @param {string} [detail] */
const finding = (name, passed, detail = '') =>
  console.log(`${passed ? 'ok    ' : 'FAILED'} ${name}${detail && `: ${detail}`}`);

/** @param {() => unknown} look @param {string} what @returns {Promise<void>} once `look` returns something true */
async function until(look, what) {
  for (const end = Date.now() + PATIENCE_SECONDS * 1000; !(await look());) {
    if (Date.now() > end) throw new Error(`${what} did not come within ${String(PATIENCE_SECONDS)} s`);
    await sleep(200);
  }
}

/** Evaluates an expression in the app's page over its debugging port. @param {string} expression @returns {Promise<unknown>} */
async function evaluate(expression) {
  const { WebSocket } = await import('ws');
  const pages = await fetch(`http://127.0.0.1:${String(PORT)}/json/list`)
    .then((reply) => reply.json())
    .catch(() => []);
  const page = /** @type {{ type: string, webSocketDebuggerUrl: string }[]} */ (pages).find(
    ({ type }) => type === 'page',
  );
  if (!page) return null;
  const socket = new WebSocket(page.webSocketDebuggerUrl);
  try {
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    const params = { expression, awaitPromise: true, returnByValue: true };
    socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params }));
    const reply = await new Promise((resolve) => socket.once('message', (data) => resolve(JSON.parse(String(data)))));
    return reply.result?.result?.value ?? null;
  } finally {
    socket.close();
  }
}

/** @param {string} words of a button */
const press = (words) => `(() => { const found = [...document.querySelectorAll('button, a, [role=menuitem]')]
  .find((one) => one.innerText.trim() === ${JSON.stringify(words)} && !one.disabled); found?.click(); return Boolean(found); })()`;
/** @param {string} words */
const shows = (words) => `document.body.innerText.includes(${JSON.stringify(words)})`;

/** Drives the installed app, in a network of its own. @param {string} root */
async function drive(root) {
  spawnSync('ip', ['link', 'set', 'lo', 'up']);
  // The clean Debian becomes `/`: in a chroot the kernel makes no user namespaces, which Chromium's sandbox needs.
  const inside =
    'cd "$0" && pivot_root . .before && umount -l /.before && cd /home/person && exec setpriv --reuid=person --regid=person --init-groups sh -c "$1"';
  const line = `mkdir -p -m 700 /tmp/person projects; Xvfb :7 -screen 0 1400x900x24 & until [ -e /tmp/.X11-unix/X7 ]; do sleep 0.1; done; DISPLAY=:7 verisim --remote-debugging-port=${String(PORT)}`;
  const env = {
    PATH: '/usr/bin:/bin:/usr/sbin',
    LANG: 'C.UTF-8',
    HOME: '/home/person',
    XDG_RUNTIME_DIR: '/tmp/person',
    VERISIM_HOME: '/home/person/projects',
    VERISIM_TIMINGS: '1',
  };
  const app = spawn('unshare', ['--mount', 'sh', '-c', inside, root, line], {
    env,
    detached: true,
  });
  let output = '';
  app.stderr.setEncoding('utf8').on('data', (text) => (output += text));
  const ended = new Promise((resolve) => app.once('exit', resolve));
  try {
    await until(() => output.includes('Window shown.'), 'The window');
    finding('shows its window', true);
    const states = readdirSync('/proc').flatMap((pid) => {
      try {
        const isPage = readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(
          '/usr/lib/verisim/verisim\0--type=renderer',
        );
        return isPage ? [/^Seccomp:\s+2$/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))] : [];
      } catch {
        return []; // it has ended, or is no process
      }
    });
    finding('the page runs in the sandbox', states.length > 0 && states.every(Boolean));
    await until(() => evaluate(press('The sample, from scratch')), 'The sample');
    await until(() => evaluate(shows('steps/s')), 'Training');
    finding(
      'trains the sample with the packaged TensorFlow',
      readdirSync(join(root, 'home/person/projects')).length > 0,
    );
    await until(() => evaluate(press('Stop')), 'Stop');
    await until(() => evaluate(press('After this step')), 'After this step');
    await until(() => evaluate(shows('Stopped')), 'The checkpoint');
    await evaluate('setTimeout(() => window.close())');
    const code = await Promise.race([ended, sleep(PATIENCE_SECONDS * 1000, 'still running')]);
    finding('stops with a checkpoint and closes', code === 0, String(code));
  } catch (error) {
    finding('works', false, `${String(error)}\n${output.slice(-800)}`);
  } finally {
    if (app.pid) process.kill(-app.pid, 'SIGKILL');
  }
}

/** @param {string} checkout @param {Report} report @throws {SetupProblem} if there is no deb, or a finding failed */
export async function checkDeb(checkout, report) {
  const output = join(checkout, 'dist/packages');
  const deb = existsSync(output) ? readdirSync(output).find((name) => name.endsWith('.deb')) : undefined;
  if (!deb) throw new SetupProblem('There is no deb in dist/packages', 'npm run package -- deb');
  if (process.getuid?.() !== 0)
    throw new SetupProblem('The check mounts file systems', 'sudo npm run package -- --check');
  const { root, remove } = layerOver(cleanDebian(report));
  let failures = 0;
  const tell = (/** @type {string} */ text) => {
    failures += text.split('\n').filter((line) => line.startsWith('FAILED')).length;
    report.say(text.trimEnd());
  };
  const check = (/** @type {string} */ name, /** @type {boolean} */ passed) =>
    tell(`${passed ? 'ok    ' : 'FAILED'} ${name}`);
  try {
    copyFileSync(join(output, deb), join(root, 'tmp/verisim.deb'));
    must('chroot', root, 'dpkg', '-i', '/tmp/verisim.deb');
    const program = readFileSync(join(root, 'usr/lib/verisim/verisim'));
    const at = program.indexOf(FUSE_SENTINEL) + FUSE_SENTINEL.length;
    const fuses = program.toString('latin1', at + 2, at + 2 + (program[at + 1] ?? 0));
    check(`installs, with the fuses ${fuses}`, fuses.length > 4 && FUSES.startsWith(fuses));
    must('chroot', root, 'desktop-file-validate', '/usr/share/applications/verisim.desktop');
    const types = must('chroot', root, 'cat', '/usr/share/applications/mimeinfo.cache', '/usr/share/mime/globs2');
    check(
      'opens project files',
      /verisim-project=verisim.desktop/.test(types) && /verisim-project:\*\.verisim\n/.test(types),
    );
    const { stdout, stderr } = spawnSync('unshare', ['--net', process.execPath, fileURLToPath(import.meta.url), root], {
      encoding: 'utf8',
    });
    tell(stdout || stderr);
    must('chroot', root, 'dpkg', '--purge', 'verisim');
    const left = ['usr/lib/verisim', 'usr/bin/verisim', 'usr/share/mime/packages/verisim.xml'].filter((name) =>
      existsSync(join(root, name)),
    );
    check('is removed, and the projects stay', left.length === 0 && existsSync(join(root, 'home/person/projects')));
  } finally {
    remove();
  }
  if (failures > 0) throw new SetupProblem(`${String(failures)} checks of the package failed`, 'see above');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await drive(process.argv[2] ?? '');
