// `npm run setup`: only the set-up. `-- --gpu` sets TensorFlow up for NVIDIA GPUs, which happens by itself where one is
// found (VERISIM_GPU=off: not even then); `-- --verify` reads every file of TensorFlow again; `-- --only tensorflow,sample`
// does some steps (packages, tensorflow, sample, build, window, model; electron and system are for the tests).
// Unlike a start it tries again what failed a moment ago.
import './setup/check-node.mjs';

const { parseArgs } = await import('node:util');
const { orExplain, setUp, steps, whole } = await import('./setup/index.mjs');
const { createReport } = await import('./setup/report.mjs');

const { values } = parseArgs({
  options: { verify: { type: 'boolean' }, gpu: { type: 'boolean' }, only: { type: 'string' } },
});
const only = values.only?.split(',') ?? whole;
const unknown = only.find((step) => !steps.some((known) => known === step));
if (unknown !== undefined) {
  console.error(`There is no step "${unknown}"; the steps are ${steps.join(', ')}.`);
  process.exit(2);
}
const report = createReport(process.stdout);
const started = performance.now();
const { tensorflow } = await orExplain(report, () =>
  setUp(report, { force: true, verify: values.verify ?? false, gpu: values.gpu ?? false, only }),
);
const seconds = ((performance.now() - started) / 1000).toFixed(1);
const without = only.includes('tensorflow') && !tensorflow ? ', without TensorFlow' : '';
const next = values.only === undefined ? ' Next: npm start' : '';
report.say(`Set up${without} (${seconds} s).${next}`);
