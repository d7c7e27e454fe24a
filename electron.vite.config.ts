/**
 * How the desktop app is built (scripts/setup/window.mjs runs it). Main process, trainer and preload script become CommonJS
 * for Node 16, which the test runtime has and every newer Electron runs; the page is renderer/vite.config.ts.
 */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineConfig } from 'electron-vite';
import renderer from './renderer/vite.config.js';

const folder = resolve(process.env['VERISIM_WINDOW_FOLDER'] ?? 'dist/app');

const olderNode = readFileSync(resolve('main/older-node.cjs'), 'utf8');

export default defineConfig({
  main: {
    build: {
      outDir: `${folder}/main`,
      target: 'node16',
      externalizeDeps: false,
      rolldownOptions: {
        input: {
          index: 'main/index.ts',
          ...(existsSync('main/trainer.ts') ? { trainer: 'main/trainer.ts' } : {}),
        },
        // tfjs-node registers itself with the one tfjs that is loaded, so neither may be bundled.
        external: [/^@tensorflow\//],
        output: {
          format: 'cjs',
          entryFileNames: '[name].js',
          chunkFileNames: 'parts/[name]-[hash].js',
          banner: ({ isEntry }) => (isEntry ? olderNode : ''),
        },
      },
    },
  },
  preload: {
    build: {
      outDir: `${folder}/preload`,
      target: 'node16',
      externalizeDeps: false,
      rolldownOptions: {
        input: { index: 'main/preload/index.ts' },
        output: { format: 'cjs', entryFileNames: '[name].js' },
      },
    },
  },
  renderer: { ...renderer, build: { ...renderer.build, outDir: `${folder}/renderer` } },
});
