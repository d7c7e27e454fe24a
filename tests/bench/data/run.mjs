// `npm run bench:data`: sets up what is missing, bundles the measurements of data preparation (dist/bench-data), runs them.
import '../../../scripts/setup/check-node.mjs';

const { join } = await import('node:path');
const { pathToFileURL } = await import('node:url');
const { build } = await import('esbuild');
const { orExplain, root, setUp } = await import('../../../scripts/setup/index.mjs');
const { createReport } = await import('../../../scripts/setup/report.mjs');

const report = createReport(process.stderr);
await orExplain(report, () => setUp(report, { only: ['packages', 'sample'] }));
const outdir = join(root, 'dist/bench-data');
await build({
  absWorkingDir: root,
  entryPoints: { index: 'tests/bench/data/index.ts', prepare: 'tests/bench/data/prepare.ts' },
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
/** @type {{ benchData: (root: string, args: readonly string[]) => Promise<number> }} */
const { benchData } = await import(pathToFileURL(join(outdir, 'index.js')).href);
process.exit(await benchData(root, process.argv.slice(2)));
