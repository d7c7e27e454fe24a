// What `npm run bench`, `crash` and `study` have in common: what is missing is set up, the program is bundled
// as the product itself is, and its exit code is this process's.
import '../../scripts/setup/check-node.mjs';

const { join } = await import('node:path');
const { pathToFileURL } = await import('node:url');
const { orExplain, root, setUp } = await import('../../scripts/setup/index.mjs');
const { createReport } = await import('../../scripts/setup/report.mjs');
const { bundledPackages } = await import('../../scripts/setup/bundled-packages.mjs');
const { requireTensorflow } = await import('../../scripts/setup/require-tensorflow.mjs');

/**
 * @param {string} outdir below the repository
 * @param {Readonly<Record<string, string>>} entryPoints sources by the name of their bundle
 * @param {readonly string[]} [outside] packages that are not bundled; all by default
 * @returns {Promise<string>} the folder of the bundle
 */
export async function bundle(outdir, entryPoints, outside) {
  // Not before it is installed.
  const { build } = await import('esbuild');
  await build({
    absWorkingDir: root,
    entryPoints: { ...entryPoints },
    outdir: join(root, outdir),
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    ...(outside ? { external: [...outside] } : { packages: 'external' }),
    alias: bundledPackages,
    plugins: [requireTensorflow(root)],
    splitting: true,
    sourcemap: true,
    logLevel: 'warning',
  });
  return join(root, outdir);
}

/**
 * Ends the process.
 * @template {object} Program what the bundle's `index` exports
 * @param {object} options
 * @param {string} options.outdir
 * @param {Readonly<Record<string, string>>} options.entryPoints `index` among them
 * @param {readonly string[]} options.needs steps of the set-up
 * @param {(program: Program, root: string, args: readonly string[]) => Promise<number>} options.start
 * @returns {Promise<never>}
 */
export async function runProgram({ outdir, entryPoints, needs, start }) {
  const report = createReport(process.stderr);
  await orExplain(report, () => setUp(report, { only: needs }));
  const folder = await bundle(outdir, entryPoints);
  process.setSourceMapsEnabled(true);
  /** @type {Program} */
  const program = await import(pathToFileURL(join(folder, 'index.js')).href);
  process.exit(await start(program, root, process.argv.slice(2)));
}
