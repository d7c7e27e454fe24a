// `npm run bench`: sets up what is missing, bundles the benchmark (dist/bench) as the product itself is bundled, runs it.
import '../../scripts/setup/check-node.mjs';

const { join } = await import('node:path');
const { pathToFileURL } = await import('node:url');
const { build } = await import('esbuild');
const { orExplain, root, setUp } = await import('../../scripts/setup/index.mjs');
const { createReport } = await import('../../scripts/setup/report.mjs');

const report = createReport(process.stderr);
await orExplain(report, () => setUp(report, { only: ['packages', 'tensorflow', 'sample'] }));
const outdir = join(root, 'dist/bench');
await build({
  absWorkingDir: root,
  entryPoints: { index: 'tests/bench/index.ts', worker: 'tests/bench/engine/worker.ts' },
  outdir,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  splitting: true,
  sourcemap: true,
  logLevel: 'warning',
});
process.setSourceMapsEnabled(true);
/** @type {{ bench: (root: string, args: readonly string[]) => Promise<number> }} */
const { bench } = await import(pathToFileURL(join(outdir, 'index.js')).href);
process.exit(await bench(root, process.argv.slice(2)));
