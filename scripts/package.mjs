// `npm run package [-- KIND...]`: makes the packages that users install, in dist/packages. electron-builder makes the app's folder
// (`dir`), AppImage, NSIS and dmg; deb and rpm are made from the folder (package/linux.mjs). `-- --check` then installs the deb
// in a clean Debian and starts it. When Electron cannot be downloaded, the Electron of the tests is packaged instead.
import './setup/check-node.mjs';

const { orExplain, root, setUp } = await import('./setup/index.mjs');
const { SetupProblem, createReport } = await import('./setup/report.mjs');

const linux = process.platform === 'linux';
const kinds = linux ? ['dir', 'AppImage', 'deb', 'rpm'] : ['dir', 'installer'];
const args = process.argv.slice(2);
const report = createReport(process.stdout);
const named = args.filter((name) => name !== '--check');
const wanted = named.length > 0 || args.length > 0 ? named : kinds.filter((kind) => kind !== 'dir');

await orExplain(report, async () => {
  const unknown = wanted.find((kind) => !kinds.includes(kind));
  if (unknown) throw new SetupProblem(`There is no package "${unknown}"`, `npm run package -- [${kinds.join('] [')}]`);
  if (wanted.length > 0) {
    await setUp(report, { strict: linux, only: ['packages', 'tensorflow', 'sample', 'window', 'model'] });
    const { makePackages } = await import('./package/builder.mjs');
    for (const file of await makePackages(root, wanted, report)) report.say(file);
  }
  if (args.includes('--check')) {
    const { checkDeb } = await import('./package/check.mjs');
    await checkDeb(root, report);
  }
});
