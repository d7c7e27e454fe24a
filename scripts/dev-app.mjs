// `npm run dev:app`: the desktop app with its real backend, rebuilt on every change. A change of the main process restarts the
// app; after a change of the page, reload it in the window (Ctrl+R).
import './setup/check-node.mjs';

const { spawn } = await import('node:child_process');
const { cpSync, mkdirSync, watch } = await import('node:fs');
const { join } = await import('node:path');
const { orExplain, root, setUp, whole } = await import('./setup/index.mjs');
const { SetupProblem, createReport } = await import('./setup/report.mjs');
const { findShell } = await import('./setup/shell.mjs');
const { windowFolder } = await import('./setup/window.mjs');

const report = createReport(process.stdout);
await orExplain(report, () => setUp(report, { only: whole }));
const shell = await orExplain(report, async () => {
  const found = await findShell(root, report);
  if ('reason' in found) throw new SetupProblem(found.reason, 'start it where there is a display');
  return found;
});

const folder = join(root, 'dist/dev');
cpSync(windowFolder(root), folder, { recursive: true });
mkdirSync(join(folder, 'main'), { recursive: true });
const builder = spawn(
  process.execPath,
  [join(root, 'node_modules/electron-vite/bin/electron-vite.js'), 'build', '--watch', '--mode', 'development'],
  { cwd: root, stdio: 'inherit', env: { ...process.env, VERISIM_WINDOW_FOLDER: folder } },
);

/** @type {import('node:child_process').ChildProcess | null} */
let app = null;
let restarting = false;
const start = () => {
  restarting = false;
  app = spawn(shell.program, [...shell.switches, folder, ...process.argv.slice(2)], { stdio: 'inherit' });
  app.on('close', () => {
    if (restarting) start();
    else builder.kill();
  });
};
start();

/** @type {NodeJS.Timeout | undefined} */
let pause;
// A build writes several files: restart once they have settled.
watch(join(folder, 'main'), () => {
  clearTimeout(pause);
  pause = setTimeout(() => {
    restarting = true;
    app?.kill();
  }, 500);
});
builder.on('close', (code) => {
  app?.kill();
  process.exitCode = code ?? 0;
});
