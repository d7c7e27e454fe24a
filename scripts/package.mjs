// `npm run package`: what people install. Builds the window, puts beside it what it loads and brings along, and calls
// electron-builder (electron-builder.yml). Arguments go to electron-builder: `npm run package -- --dir`.
// Where Electron cannot be downloaded, the Electron of the tests is packaged instead, to try the packaging itself.
import './setup/check-node.mjs';

const { spawnSync } = await import('node:child_process');
const { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } = await import('node:fs');
const { join } = await import('node:path');
const { electronReady } = await import('./setup/electron.mjs');
const { orExplain, root, setUp } = await import('./setup/index.mjs');
const { licences, licencesText } = await import('./setup/licences.mjs');
const { electronFolder } = await import('../main/installation/locations.mjs');
const { electronRuntime } = await import('../main/installation/pinned.mjs');
const { createReport } = await import('./setup/report.mjs');
const { npmElectron } = await import('./setup/shell.mjs');
const { windowFolder } = await import('./setup/window.mjs');

const report = createReport(process.stdout);
const only = /** @type {const} */ (['packages', 'tensorflow', 'sample', 'window', 'model']);
await orExplain(report, () => setUp(report, { strict: process.platform === 'linux', only }));
const { stageModules, stageRuntime } = await import('./setup/package.mjs');

const staged = join(root, 'dist', 'staged');
rmSync(staged, { recursive: true, force: true });
cpSync(windowFolder(root), join(staged, 'app'), { recursive: true });
const modules = await stageModules(root, join(staged, 'app', 'main', 'node_modules'));
report.say(
  `${String(modules.files)} files of packages are loaded as they are (${(modules.bytes / 1e6).toFixed(1)} MB).`,
);
mkdirSync(join(staged, 'runtime'));
stageRuntime(join(staged, 'runtime'));
writeFileSync(join(staged, 'licences.txt'), licencesText(licences(root)));

const own = npmElectron(root) === null && electronReady();
const settings = readFileSync(join(root, 'electron-builder.yml'), 'utf8');
const config = join(staged, 'electron-builder.yml');
// An old Electron has not every switch yet.
writeFileSync(config, own ? settings.replace(/^ *grantFileProtocolExtraPrivileges:.*\n/m, '') : settings);
const { version } = JSON.parse(readFileSync(join(root, 'node_modules/electron/package.json'), 'utf8'));
const electron = own
  ? [`-c.electronDist=${electronFolder()}`, `-c.electronVersion=${electronRuntime.electronVersion}`]
  : [`-c.electronVersion=${version}`];
if (own) report.say('Electron itself is not there: the Electron of the tests is packaged, to try this out.');
const builder = join(root, 'node_modules/electron-builder/cli.js');
const { status } = spawnSync(process.execPath, [builder, '--config', config, ...electron, ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
});
process.exit(status ?? 1);
