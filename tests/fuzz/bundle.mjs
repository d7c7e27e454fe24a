// Bundles the fuzzer (dist/fuzz) as the product itself is bundled: for `npm run fuzz` and for its test.
import { join } from 'node:path';
import { build } from 'esbuild';

/**
 * @param {string} root the repository
 * @param {string} outdir below the root, two folders deep, as the sources are
 * @returns {Promise<string>} the folder of the bundle
 */
export async function bundleFuzzer(root, outdir = 'dist/fuzz') {
  await build({
    absWorkingDir: root,
    entryPoints: { index: 'tests/fuzz/index.ts', child: 'tests/fuzz/child.ts' },
    outdir: join(root, outdir),
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    splitting: true,
    sourcemap: true,
    logLevel: 'warning',
  });
  return join(root, outdir);
}
