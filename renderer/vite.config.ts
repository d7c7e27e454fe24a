/**
 * Configures the build of the window's page: by electron-vite for the app and `verisim serve`, by plain Vite during
 * development (`npx vite renderer`). It must run in the Chromium of the test runtime (Chromium 114), in current ones
 * and, colours aside, in Chromium 108, and fetches nothing at run time: icons and styles are part of the build.
 */
import { fileURLToPath } from 'node:url';
import vue from '@vitejs/plugin-vue';
import ui from '@nuxt/ui/vite';
import { defineConfig, type Plugin } from 'vite';

const here = fileURLToPath(new URL('.', import.meta.url)).replace(/[\\/]$/, '');

/** Placeholder in the built page that the server replaces with a fresh nonce: see shared/page-security.ts. */
const noncePlaceholder = '__CSP_NONCE__';

/**
 * Nuxt UI writes its colour variables into a `<style>` when it starts, which the content security policy refuses;
 * styles/palettes.css has the same variables instead.
 */
const withoutInjectedColours: Plugin = {
  name: 'verisim:colours-from-stylesheet',
  enforce: 'pre',
  load: (id) => (/@nuxt\/ui\/dist\/runtime\/plugins\/colors\.js($|\?)/.test(id) ? 'export default () => {};' : null),
};

/**
 * Tailwind registers the variables named by `var(--x,)` (`@property`), and Chromium before 117 allows no empty fallback
 * for a registered property: outlined buttons and fields would have no border. Such a property is set for every element
 * instead, to nothing.
 */
const emptyFallbacks: Plugin = {
  name: 'verisim:empty-fallbacks',
  enforce: 'post',
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type !== 'asset' || !file.fileName.endsWith('.css')) continue;
      // A space, without which Chromium 108 takes no empty fallback at all.
      const styles = String(file.source).replaceAll(/(var\(--[\w-]+,)\)/g, '$1 )');
      const names = new Set([...styles.matchAll(/var\((--[\w-]+), \)/g)].map(([, name]) => name ?? ''));
      const registered = /@property (--[\w-]+)\{[^}]*\}/g;
      const unset = [...names].map((name) => `${name}:initial`).join(';');
      file.source =
        styles.replaceAll(registered, (rule, name: string) => (names.has(name) ? '' : rule)) +
        (unset ? `@layer properties{*,:before,:after,::backdrop{${unset}}}` : '');
    }
  },
};

const buttonColours = ['primary', 'secondary', 'success', 'info', 'warning', 'error'] as const;

export default defineConfig({
  root: here,
  base: './',
  plugins: [
    withoutInjectedColours,
    emptyFallbacks,
    vue(),
    ui({
      root: here,
      ui: {
        colors: {
          primary: 'primary',
          secondary: 'secondary',
          success: 'success',
          info: 'info',
          warning: 'warning',
          error: 'error',
          neutral: 'neutral',
        },
        // What went wrong may name a file: a path has no spaces to break at.
        toast: { slots: { title: 'wrap-anywhere', description: 'wrap-anywhere' } },
        // Only the main button of a screen is filled.
        button: {
          defaultVariants: { color: 'neutral', variant: 'outline' },
          // A filled button keeps its colour under the mouse: three quarters of it are too little for white text.
          compoundVariants: buttonColours.map((color) => ({
            color,
            variant: 'solid' as const,
            class: `hover:bg-${color} active:bg-${color}`,
          })),
        },
      },
      // Every icon named in the sources, in the page's thinking too, is part of the build; none is fetched.
      icon: { clientBundle: { scan: { globInclude: ['**/*.{vue,ts}'] }, sizeLimitKb: 512 } },
      // The theme is a setting of the app, kept by the main process, not in the page's storage.
      colorMode: false,
      autoImport: false,
      // Only Nuxt UI's components go without an import; types/nuxt-ui.d.ts lists them.
      components: { dirs: [], dts: false },
    }),
  ],
  // The demonstration (`?demo`) is for development and tests only: renderer/client/connect.ts asks for it where DEV holds.
  resolve: { alias: { '#demo': fileURLToPath(new URL('../tools/demo/transport.ts', import.meta.url)) } },
  html: { cspNonce: noncePlaceholder },
  build: {
    rolldownOptions: { input: `${here}/index.html` },
    outDir: fileURLToPath(new URL('../dist/app/renderer', import.meta.url)),
    emptyOutDir: true,
    target: 'chrome108',
    // electron-vite would leave it as written; what the browser reads before it shows anything should be short.
    minify: true,
    sourcemap: false,
    // A page of an app on this machine: one large file costs nothing.
    chunkSizeWarningLimit: 4096,
    assetsInlineLimit: 0,
  },
});
