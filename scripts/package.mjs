// `npm run package`: what people install. Builds the window, puts beside it what it loads and brings along, has electron-builder
// make the app, and on Linux makes the packages out of it (scripts/package). `-- deb AppImage` makes only those, `-- dir` only the
// folder, `-- --check` tries all four, `-- --gpu` makes the runtime for NVIDIA GPUs as well,
// `-- --twice` makes everything twice and compares, `-- --quick` compresses little. Where Electron cannot be downloaded, that of the tests is packaged instead.
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
const withGpu = args.includes('--gpu');
const unknown = args.find((name) => !['dir', '--check', '--gpu', '--quick', '--twice', ...kinds].includes(name));

/** Seconds since 1970 of the commit: nothing in a package says when it was built. */
function timeOfCommit() {
  const given = process.env['SOURCE_DATE_EPOCH'];
  if (given) return Number(given);
  const { stdout } = spawnSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' });
  return Number(stdout.trim()) || 1_700_000_000;
}

const prepare = async () => {
  if (unknown)
    throw new SetupProblem(
      `There is no ${unknown}`,
      `npm run package -- [dir] [${kinds.join('] [')}] [--quick] [--gpu] [--twice] [--check]`,
    );
  const only = ['packages', 'tensorflow', 'sample', 'window', 'model'];
  await setUp(report, { strict: linux, only });
  if (withGpu) await setUp(report, { strict: true, gpu: true, only: ['tensorflow'] });
};
await orExplain(report, prepare);
const { ensureTools } = await import('./package/tools.mjs');
const { gpuPlace, makeFolder } = await import('./package/folder.mjs');
const { aboutOf } = await import('./package/about.mjs');

/** @returns {Promise<{ unpacked: string, packages: string[] }>} what was made: the app's folder, and the packages */
async function makeAll() {
  const about = aboutOf(root, timeOfCommit(), args.includes('--quick') ? 1 : undefined);
  const unpacked = await makeFolder(root, about, report, withGpu);
  const [output, work] = [join(root, 'dist/packages'), join(root, 'dist/packages/work')];
  mkdirSync(work, { recursive: true });
  const { makeAppImage } = await import('./package/appimage.mjs');
  const { makeArchive } = await import('./package/archive.mjs');
  const { makeDeb } = await import('./package/deb.mjs');
  const { makeRpm } = await import('./package/rpm.mjs');
  const make = {
    AppImage: () => [makeAppImage(root, unpacked, work, output, about)],
    deb: () => makeDeb(root, unpacked, work, output, about),
    rpm: () => makeRpm(root, unpacked, work, output, about),
    'tar.gz': () => [makeArchive(unpacked, work, output, about)],
  };
  const packages = wanted.flatMap((kind) => {
    const started = performance.now();
    const files = make[kind]();
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    for (const file of files) report.say(`${file} (${megabytes(statSync(file).size)} MB)`);
    report.say(`(${kind}: ${seconds} s)`);
    return files;
  });
  if (withGpu) {
    const { makeGpuFile } = await import('./package/gpu-runtime.mjs');
    packages.push(await makeGpuFile(gpuPlace(root), output, about.level));
  }
  rmSync(work, { recursive: true, force: true });
  const key = process.env['VERISIM_UPDATES_SIGNING_KEY'];
  if (key) {
    const { writeManifest } = await import('./package/manifest.mjs');
    const { readRuntime } = await import('./package/runtime.mjs');
    const runtime = readRuntime(unpacked).version;
    report.say(await writeManifest({ version: about.version, runtime, packages, output, key }));
  }
  return { unpacked, packages };
}

/**
 * The window is built anew as well.
 * @param {Awaited<ReturnType<typeof makeAll>>} made the first time
 * @returns {Promise<number>} an exit code
 */
async function makeAgain(made) {
  const { differing, sumsOf } = await import('./package/twice.mjs');
  const before = await sumsOf(made.unpacked, made.packages);
  rmSync(join(root, 'dist/app'), { recursive: true });
  await orExplain(report, prepare);
  const again = await makeAll();
  const after = await sumsOf(again.unpacked, again.packages);
  const names = differing(before, after);
  const count = String(Object.keys(after).length);
  report.say(
    names.length === 0
      ? `Made twice: ${count} files, all the same.`
      : `Made twice: of ${count} files these differ: ${names.join(', ')}`,
  );
  return names.length === 0 ? 0 : 1;
}

if (!args.includes('--check') || args.some((name) => name !== '--check')) {
  await orExplain(report, () => ensureTools(linux ? ['stage', ...wanted] : [], report));
  const made = await makeAll();
  if (args.includes('--twice')) process.exitCode = await makeAgain(made);
}
if (args.includes('--check')) {
  const { checkPackages } = await import('./package/check/index.mjs');
  await orExplain(report, () => ensureTools(['check'], report));
  const code = await checkPackages(root, wanted, report);
  process.exitCode = process.exitCode || code;
}
