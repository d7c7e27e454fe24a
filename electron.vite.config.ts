/**
 * How the desktop app is built (scripts/setup/window.mjs runs it). Main process, trainer and preload script become CommonJS
 * for Node 18, which the test runtime has and every newer Electron runs; the page is renderer/vite.config.ts.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineConfig } from 'electron-vite';
import renderer from './renderer/vite.config.js';

const folder = resolve(process.env['VERISIM_WINDOW_FOLDER'] ?? 'dist/app');

export default defineConfig({
  main: {
    build: {
      outDir: `${folder}/main`,
      target: 'node18',
      externalizeDeps: false,
      rolldownOptions: {
        input: {
          index: 'main/index.ts',
          ...(existsSync('main/trainer.ts') ? { trainer: 'main/trainer.ts' } : {}),
        },
        // tfjs-node registers itself with the one tfjs that is loaded, so neither may be bundled.
        external: [/^@tensorflow\//, 'electron'],
        output: {
          format: 'cjs',
          entryFileNames: '[name].js',
          chunkFileNames: 'parts/[name]-[hash].js',
        },
      },
    },
  },
  preload: {
    build: {
      outDir: `${folder}/preload`,
      target: 'node18',
      externalizeDeps: false,
      rolldownOptions: {
        input: { index: 'main/preload/index.ts' },
        output: { format: 'cjs', entryFileNames: '[name].js' },
      },
    },
  },
  renderer: { ...renderer, build: { ...renderer.build, outDir: `${folder}/renderer` } },
});
