/** The files of docs/clusters by what reads them: Kubernetes' schemas and SkyPilot, in a Python environment of their own. */
import { join } from 'node:path';
import { lastLines, run } from '../../scripts/setup/run.mjs';
import { pythonOf } from '../bench/peers.js';

/** @throws Error that says what does not fit */
export async function checkFiles(root: string): Promise<void> {
  const own = join(root, 'tools/cluster/schemas');
  const python = await pythonOf(
    {
      name: 'schemas',
      requirements: join(own, 'requirements.txt'),
      size: 'some 600 MB',
      again: 'npm run cluster -- --files',
    },
    (line) => console.error(line),
  );
  const environment = { ...process.env, SKYPILOT_DISABLE_USAGE_COLLECTION: '1' };
  const { code, stdout, stderr } = await run(python, [join(own, 'check.py'), join(root, 'docs/clusters')], {
    env: environment,
  });
  if (code !== 0) throw new Error(`A file of docs/clusters does not fit: ${lastLines(stderr, 12)}`);
  console.log(stdout.trimEnd());
}
