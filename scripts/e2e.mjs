// `npm run e2e`: the tests of the window alone, in a real Electron and in a current browser, with what they need set up first.
// Pictures and traces are under tests/artifacts/e2e. Arguments go to vitest.
import './setup/check-node.mjs';

const { spawnSync } = await import('node:child_process');
const { join } = await import('node:path');
const { orExplain, root, setUp, steps } = await import('./setup/index.mjs');
const { createReport } = await import('./setup/report.mjs');

const report = createReport(process.stdout);
await orExplain(report, () => setUp(report, { strict: true, required: true, only: steps }));
const folders = ['tests/e2e', 'tests/app', 'tests/security'];
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const { status } = spawnSync(process.execPath, [vitest, 'run', ...folders, ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
});
process.exit(status ?? 1);
