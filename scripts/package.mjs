// `npm run package`: what people install. Builds the window, puts beside it what it loads and brings along, has electron-builder
// make the app, and on Linux makes the packages out of it (scripts/package). `-- deb AppImage` makes only those, `-- dir` only the
// folder, `-- --check` tries what is there,
// `-- --quick` compresses little. Where Electron cannot be downloaded, that of the tests is packaged instead.
import './setup/check-node.mjs';

const { spawnSync } = await import('node:child_process');
const { mkdirSync, rmSync, statSync } = await import('node:fs');
const { join } = await import('node:path');
const { orExplain, root, setUp } = await import('./setup/index.mjs');
const { SetupProblem, createReport, megabytes } = await import('./setup/report.mjs');

const kinds = /** @type {const} */ (['AppImage', 'deb', 'rpm', 'tar.gz']);
const args = process.argv.slice(2);
const report = createReport(process.stdout);
const linux = process.platform === 'linux';
const chosen = kinds.filter((kind) => args.includes(kind));
const wanted = args.includes('dir') || !linux ? [] : chosen.length > 0 ? chosen : [...kinds];
const unknown = args.find((name) => !['dir', '--check', '--quick', ...kinds].includes(name));

/** Seconds since 1970 of the commit: nothing in a package says when it was built. */
function timeOfCommit() {
  const given = process.env['SOURCE_DATE_EPOCH'];
  if (given) return Number(given);
  const { stdout } = spawnSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' });
  return Number(stdout.trim()) || 1_700_000_000;
}

await orExplain(report, async () => {
  if (unknown)
    throw new SetupProblem(
      `There is no ${unknown}`,
      `npm run package -- [dir] [${kinds.join('] [')}] [--quick] [--check]`,
    );
  const only = ['packages', 'tensorflow', 'sample', 'window', 'model'];
  await setUp(report, { strict: linux, only });
});
const { ensureTools } = await import('./package/tools.mjs');
const { makeFolder } = await import('./package/folder.mjs');
const { aboutOf } = await import('./package/about.mjs');

if (!args.includes('--check') || args.some((name) => name !== '--check')) {
  await orExplain(report, () => ensureTools(linux ? ['stage', ...wanted] : [], report));
  const about = aboutOf(root, timeOfCommit(), args.includes('--quick') ? 1 : undefined);
  const unpacked = await makeFolder(root, about, report);
  const [output, work] = [join(root, 'dist/packages'), join(root, 'dist/packages/work')];
  mkdirSync(work, { recursive: true });
  const { makeAppImage } = await import('./package/appimage.mjs');
  const { makeArchive } = await import('./package/archive.mjs');
  const { makeDeb } = await import('./package/deb.mjs');
  const { makeRpm } = await import('./package/rpm.mjs');
  const make = {
    AppImage: () => makeAppImage(root, unpacked, work, output, about),
    deb: () => makeDeb(root, unpacked, work, output, about),
    rpm: () => makeRpm(root, unpacked, work, output, about),
    'tar.gz': () => makeArchive(unpacked, work, output, about),
  };
  for (const kind of wanted) {
    const started = performance.now();
    const file = make[kind]();
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    report.say(`${file} (${megabytes(statSync(file).size)} MB, ${seconds} s)`);
  }
  rmSync(work, { recursive: true, force: true });
}
if (args.includes('--check')) {
  const { checkPackages } = await import('./package/check/index.mjs');
  await orExplain(report, () => ensureTools(['check'], report));
  process.exitCode = await checkPackages(root, wanted, report);
}
