// `npm start`: sets everything up, then opens the window. Where there is no display or no Electron it says so, and makes or
// continues the sample project in the terminal (the command line's `start`); arguments are for that, and ask for it.
import './setup/check-node.mjs';

const { spawn } = await import('node:child_process');
const { launch } = await import('./setup/launch.mjs');
const { orExplain, root, setUp, whole } = await import('./setup/index.mjs');
const { createReport } = await import('./setup/report.mjs');
const { findShell, hasDisplay } = await import('./setup/shell.mjs');
const { windowFolder } = await import('./setup/window.mjs');

const args = process.argv.slice(2);
const report = createReport(process.stdout);

/** @returns {Promise<boolean>} whether the window was opened; it is closed again by then */
async function openWindow() {
  if (args.length > 0) return false;
  if (hasDisplay()) {
    await orExplain(report, () => setUp(report, { only: whole }));
  }
  const shell = await findShell(root, report);
  if ('reason' in shell) {
    report.say(`${shell.reason} The sample project runs here in the terminal instead.`);
    return false;
  }
  const child = spawn(shell.program, [...shell.switches, windowFolder(root)], { stdio: 'inherit' });
  // Ctrl-C in the terminal reaches the window as well, which then ends in its own time.
  const wait = () => undefined;
  process.on('SIGINT', wait).on('SIGTERM', () => child.kill());
  process.exitCode = await new Promise((resolve) => {
    child.on('error', () => resolve(1));
    child.on('close', (code) => resolve(code ?? 1));
  });
  return true;
}

if (!(await openWindow())) await launch(['start', ...args], process.stdout);
