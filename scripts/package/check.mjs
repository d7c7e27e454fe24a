// Installs the deb in a clean Debian without a network (as root; made once by debootstrap), starts it as an ordinary user under
// Xvfb with Chromium's sandbox on, trains the sample by a click, and removes it again. Prints one line a finding.
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
/** A screen and what a desktop has; the packages that the deb depends on, as there is no network to install them from. */
const packages =
  'xvfb,dbus-x11,fonts-dejavu-core,xdg-utils,shared-mime-info,desktop-file-utils,libgtk-3-0,libnss3,libasound2';
const libraries = 'libgbm1,libnotify4,libsecret-1-0,libatspi2.0-0,libxcb-dri3-0,libglib2.0-bin';
/** Electron's fuses in their order, as electron-builder.yml sets them; an older Electron has fewer. */
const FUSES = '01001100';
const FUSE_SENTINEL = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';

/** @param {string} command @param {readonly string[]} args @returns {string} its output @throws if it fails */
function must(command, ...args) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${`${stdout}\n${stderr}`.slice(-800)}`);
  return stdout;
}

/** @param {Report} report @returns {string} the folder of the clean Debian */
function cleanDebian(report) {
  const folder = join(cacheFolder(), `check-root-${SUITE}`);
  if (existsSync(folder)) return folder;
  report.say('Making a clean Debian (debootstrap, some minutes, once).');
  const mirrors = must('apt-get', 'indextargets', '--format', '$(REPO_URI)', `Codename: ${SUITE}`).split('\n');
  const fresh = `${folder}.making`;
  rmSync(fresh, { recursive: true, force: true });
  const include = `--include=${packages},${libraries}`;
  must('debootstrap', '--variant=minbase', include, SUITE, fresh, ...mirrors.slice(0, 1).filter(Boolean));
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
  // Otherwise unmounting it would unmount the system's own /dev/shm as well.
  must('mount', '--make-rprivate', join(root, 'dev'));
  mkdirSync(join(root, '.before'));
  const remove = () => {
    for (const name of ['dev', 'proc', '']) spawnSync('umount', ['-lR', join(root, name)]);
    rmSync(top, { recursive: true, force: true });
  };
  return { root, remove };
}

/** Evaluates an expression in the app's page over its debugging port. @param {string} expression @returns {Promise<unknown>} */
async function evaluate(expression) {
  const { WebSocket } = await import('ws');
  const reply = await fetch(`http://127.0.0.1:${String(PORT)}/json/list`);
  const pages = /** @type {{ type: string, webSocketDebuggerUrl: string }[]} */ (await reply.json());
  const socket = new WebSocket(pages.find(({ type }) => type === 'page')?.webSocketDebuggerUrl ?? '');
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression, returnByValue: true } }));
  const data = await new Promise((resolve) => socket.once('message', resolve));
  socket.close();
  return JSON.parse(String(data)).result?.result?.value;
}

/** @param {string} what @param {() => unknown} look @returns {Promise<void>} once `look` returns something true */
async function until(what, look) {
  for (const end = Date.now() + PATIENCE_SECONDS * 1000; !(await look()); await sleep(200))
    if (Date.now() > end) throw new Error(`${what} did not come within ${String(PATIENCE_SECONDS)} s`);
  console.log(`ok     ${what}`);
}

/** @param {string} words of a button */
const press = (words) => () =>
  evaluate(`(() => { const found = [...document.querySelectorAll('button, a, [role=menuitem]')]
    .find((one) => one.innerText.trim() === ${JSON.stringify(words)} && !one.disabled); found?.click(); return !!found; })()`);
/** @param {string} words */
const shows = (words) => () => evaluate(`document.body.innerText.includes(${JSON.stringify(words)})`);

/** Reports whether a process is a page in Chromium's sandbox. @param {string} pid */
function isSandboxedPage(pid) {
  try {
    const isPage = /^\/usr\/lib\/verisim\/verisim\W--type=renderer/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
    return isPage && /^Seccomp:\s+2$/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false; // it is no process, or has ended
  }
}

/** Drives the installed app, in a network of its own. @param {string} root */
async function drive(root) {
  must('ip', 'link', 'set', 'lo', 'up');
  // The clean Debian becomes `/`: in a chroot the kernel makes no user namespaces, which Chromium's sandbox needs.
  const inside =
    'cd "$0" && pivot_root . .before && umount -l /.before && cd /home/person && exec setpriv --reuid=person --regid=person --init-groups sh -c "$1"';
  const line = `mkdir -p -m 700 /tmp/person projects; Xvfb :7 & until [ -e /tmp/.X11-unix/X7 ]; do sleep 0.1; done
    DISPLAY=:7 verisim --remote-debugging-port=${String(PORT)}`;
  const [home, PATH] = ['/home/person', '/usr/bin:/bin:/usr/sbin'];
  const env = {
    PATH,
    HOME: home,
    XDG_RUNTIME_DIR: '/tmp/person',
    VERISIM_HOME: `${home}/projects`,
    VERISIM_TIMINGS: '1',
  };
  const app = spawn('unshare', ['--mount', 'sh', '-c', inside, root, line], { env, detached: true });
  let output = '';
  app.stderr.setEncoding('utf8').on('data', (text) => (output += text));
  /** @type {unknown} */
  let code = null;
  app.once('exit', (status) => (code = status));
  try {
    await until('shows its window', () => output.includes('Window shown.'));
    await until('runs its page in the sandbox', () => readdirSync('/proc').some(isSandboxedPage));
    await until('begins the sample by a click', press('The sample, from scratch'));
    await until('trains with the packaged TensorFlow', shows('steps/s'));
    await until('offers to stop', press('Stop'));
    await until('after the step', press('After this step'));
    await until('stops with a checkpoint', shows('Stopped'));
    await evaluate('void setTimeout(() => window.close())');
    await until('closes', () => code === 0);
  } catch (error) {
    console.log(`FAILED ${String(error)} (exit code ${String(code)})\n${output.slice(-800)}`);
  }
  if (app.pid) process.kill(-app.pid, 'SIGKILL');
  process.exit();
}

/** @param {string} checkout @param {Report} report @throws {SetupProblem} if there is no deb, or a finding failed */
export async function checkDeb(checkout, report) {
  const output = join(checkout, 'dist/packages');
  const deb = existsSync(output) ? readdirSync(output).find((name) => name.endsWith('.deb')) : undefined;
  if (!deb) throw new SetupProblem('There is no deb in dist/packages', 'npm run package -- deb');
  if (process.getuid?.() !== 0)
    throw new SetupProblem('The check mounts file systems', 'sudo npm run package -- --check');
  const { root, remove } = layerOver(cleanDebian(report));
  let lines = '';
  const check = (/** @type {string} */ name, /** @type {boolean} */ passed) =>
    (lines += `${passed ? 'ok    ' : 'FAILED'} ${name}\n`);
  try {
    copyFileSync(join(output, deb), join(root, 'tmp/verisim.deb'));
    must('chroot', root, 'dpkg', '-i', '/tmp/verisim.deb');
    const program = readFileSync(join(root, 'usr/lib/verisim/verisim'));
    const at = program.indexOf(FUSE_SENTINEL) + FUSE_SENTINEL.length;
    const fuses = program.toString('latin1', at + 2, at + 2 + (program[at + 1] ?? 0));
    check(`installs, with the fuses ${fuses}`, fuses.length > 4 && FUSES.startsWith(fuses));
    const types = readFileSync(join(root, 'usr/share/applications/mimeinfo.cache'), 'utf8');
    check('opens project files', /verisim-project=verisim.desktop/.test(types));
    const driver = [process.execPath, fileURLToPath(import.meta.url), root];
    const { stdout, stderr } = spawnSync('unshare', ['--net', ...driver], { encoding: 'utf8' });
    lines += stdout;
    check(`is driven to the end ${stderr}`, stdout.includes('ok     closes'));
    must('chroot', root, 'dpkg', '--purge', 'verisim');
    const left = ['usr/lib/verisim', 'usr/share/mime/packages/verisim.xml'].filter((name) =>
      existsSync(join(root, name)),
    );
    check('is removed, and the projects stay', left.length === 0 && existsSync(join(root, 'home/person/projects')));
  } finally {
    remove();
    report.say(lines.trimEnd());
  }
  if (lines.includes('FAILED')) throw new SetupProblem('A check of the package failed', 'see above');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await drive(process.argv[2] ?? '');
