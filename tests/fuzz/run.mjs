// `npm run fuzz`: sets up what is missing, bundles the fuzzer and runs it.
import '../../scripts/setup/check-node.mjs';

const { join } = await import('node:path');
const { pathToFileURL } = await import('node:url');
const { orExplain, root, setUp } = await import('../../scripts/setup/index.mjs');
const { createReport } = await import('../../scripts/setup/report.mjs');

const report = createReport(process.stderr);
await orExplain(report, () => setUp(report, { only: ['packages'] }));
const { bundleFuzzer } = await import('./bundle.mjs');
const folder = await bundleFuzzer(root);
process.setSourceMapsEnabled(true);
/** @type {{ fuzz: (root: string, args: readonly string[]) => Promise<number> }} */
const { fuzz } = await import(pathToFileURL(join(folder, 'index.js')).href);
process.exit(await fuzz(root, process.argv.slice(2)));
