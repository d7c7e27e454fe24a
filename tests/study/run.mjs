// `npm run study`: sets up what is missing, bundles the study as the product itself is bundled, runs it.
import '../../scripts/setup/check-node.mjs';

const { join } = await import('node:path');
const { pathToFileURL } = await import('node:url');
const { build } = await import('esbuild');
const { orExplain, root, setUp } = await import('../../scripts/setup/index.mjs');
const { createReport } = await import('../../scripts/setup/report.mjs');

const report = createReport(process.stderr);
await orExplain(report, () => setUp(report, { only: ['packages', 'tensorflow', 'sample'] }));
const outfile = join(root, 'dist/study/index.js');
await build({
  absWorkingDir: root,
  entryPoints: ['tests/study/index.ts'],
  outfile,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  sourcemap: true,
  logLevel: 'warning',
});
process.setSourceMapsEnabled(true);
/** @type {{ main: (root: string, args: readonly string[]) => Promise<number> }} */
const { main } = await import(pathToFileURL(outfile).href);
process.exit(await main(root, process.argv.slice(2)));
