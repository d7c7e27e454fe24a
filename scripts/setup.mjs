// `npm run setup`: the set-up alone. `-- --gpu` sets TensorFlow up for NVIDIA GPUs, which happens by itself where one is
// found (VERISIM_GPU=off: not even then); `-- --only tensorflow,sample` runs some steps. Unlike a start it repeats failed downloads.
import './setup/check-node.mjs';

const { parseArgs } = await import('node:util');
const { orExplain, setUp, steps, whole } = await import('./setup/index.mjs');
const { createReport } = await import('./setup/report.mjs');

const { values } = parseArgs({
  options: { gpu: { type: 'boolean' }, only: { type: 'string' } },
});
const only = values.only?.split(',') ?? whole;
const unknown = only.find((step) => !steps.includes(step));
if (unknown !== undefined) {
  console.error(`There is no step "${unknown}"; the steps are ${steps.join(', ')}.`);
  process.exit(2);
}
const report = createReport(process.stdout);
const started = performance.now();
const { tensorflow } = await orExplain(report, () => setUp(report, { force: true, gpu: values.gpu ?? false, only }));
const seconds = ((performance.now() - started) / 1000).toFixed(1);
const without = only.includes('tensorflow') && !tensorflow ? ', without TensorFlow' : '';
const next = values.only === undefined ? ' Next: npm start' : '';
report.say(`Set up${without} (${seconds} s).${next}`);
