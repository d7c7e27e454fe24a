// `npm run soak`: sets up what is missing, bundles the soak, runs it, with the garbage collector at hand.
import '../../scripts/setup/check-node.mjs';

const { join } = await import('node:path');
const { pathToFileURL } = await import('node:url');
const { build } = await import('esbuild');
const { orExplain, root, setUp } = await import('../../scripts/setup/index.mjs');
const { createReport } = await import('../../scripts/setup/report.mjs');

const report = createReport(process.stderr);
await orExplain(report, () => setUp(report, { only: ['packages', 'tensorflow'] }));
const outfile = join(root, 'dist/soak/index.js');
await build({
  absWorkingDir: root,
  entryPoints: ['tests/soak/index.ts'],
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
process.chdir(root);
/** @type {{ soak: (args: readonly string[]) => Promise<number> }} */
const { soak } = await import(pathToFileURL(outfile).href);
process.exit(await soak(process.argv.slice(2)));
