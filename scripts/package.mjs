// `npm run package`: what people install. Builds the window, puts beside it the packages that the trainer loads as they are,
// and calls electron-builder (electron-builder.yml). Arguments go to electron-builder: `npm run package -- --dir`.
// Where Electron cannot be downloaded, the Electron of the tests is packaged instead, to try the packaging itself.
import './setup/check-node.mjs';

const { spawnSync } = await import('node:child_process');
const { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } = await import('node:fs');
const { dirname, join } = await import('node:path');
const { electronReady } = await import('./setup/electron.mjs');
const { orExplain, root, setUp } = await import('./setup/index.mjs');
const { licences, licencesText } = await import('./setup/licences.mjs');
const { electronFolder } = await import('./setup/locations.mjs');
const { electronRuntime } = await import('./setup/pinned.mjs');
const { createReport } = await import('./setup/report.mjs');
const { npmElectron } = await import('./setup/shell.mjs');
const { windowFolder } = await import('./setup/window.mjs');

const report = createReport(process.stdout);
await orExplain(report, () => setUp(report, { strict: true, only: ['packages', 'window'] }));
const app = windowFolder(root);

/** Not bundled: tfjs and tfjs-node must be the one copy each that the other sees (electron.vite.config.ts). */
const loaded = ['@tensorflow/tfjs', '@tensorflow/tfjs-node-gpu'];
/** @type {Map<string, string>} where each package lies: its folder under node_modules */
const wanted = new Map();

/**
 * Finds a package as Node would from `from`, and all that it depends on.
 * @param {string} name
 * @param {string} from
 */
function collect(name, from) {
  let folder = from;
  while (!existsSync(join(folder, 'node_modules', name, 'package.json'))) {
    if (folder === root || dirname(folder) === folder) return; // optional, or left out on purpose
    folder = dirname(folder);
  }
  const place = join(folder, 'node_modules', name);
  const relative = place.slice(root.length + 1);
  if (wanted.has(relative)) return;
  wanted.set(relative, place);
  const { dependencies = {} } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'));
  for (const dependency of Object.keys(dependencies)) collect(dependency, place);
}
for (const name of loaded) collect(name, root);
rmSync(join(app, 'node_modules'), { recursive: true, force: true });
// Sources, maps and the builds for browsers are never loaded.
const left = /(\.map|\.ts|\.es2017\.js|\.fesm[^/]*\.js|\.min\.js|tf-[^/]*\.js)$|\/(src|demo|test|tests|scripts)\//;
for (const [relative, place] of wanted) {
  cpSync(place, join(app, relative), {
    recursive: true,
    dereference: true,
    filter: (source) => {
      const inside = source.slice(place.length);
      return !inside.startsWith('/node_modules') && !left.test(inside);
    },
  });
}
mkdirSync(join(root, 'dist'), { recursive: true });
writeFileSync(join(root, 'dist', 'licences.txt'), licencesText(licences(root)));

const own = npmElectron(root) === null && electronReady();
const settings = readFileSync(join(root, 'electron-builder.yml'), 'utf8');
const config = join(root, 'dist', 'electron-builder.yml');
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
