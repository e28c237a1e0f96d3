/**
 * Builds the inspector for the library (`vite build --app`). tsc builds the rest of the library into dist/lib.
 *
 *   dist/renderer   the page. electron/main/inspector-session.ts serves it, so addresses are relative and nothing is inline.
 *   dist/preload    one CommonJS file: a sandboxed preload can only require electron.
 *
 * The targets are Node 20 and Chrome 130, those of Electron 33, the oldest one that Leasehold supports.
 */
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: at('renderer'),
  base: './',
  publicDir: false,
  plugins: [react()],
  builder: {},
  environments: {
    client: {
      build: {
        outDir: at('dist/renderer'),
        emptyOutDir: true,
        target: 'chrome130',
        // Vite inlines files as data: addresses, which the page's content security policy allows for images only.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        rolldownOptions: { input: { inspector: at('renderer/inspector/index.html') } },
      },
    },
    preload: {
      consumer: 'server',
      build: {
        outDir: at('dist/preload'),
        emptyOutDir: true,
        target: 'chrome130',
        minify: false,
        rolldownOptions: {
          input: { inspector: at('electron/preload/inspector.ts') },
          platform: 'browser',
          external: ['electron'],
          output: { format: 'cjs', entryFileNames: '[name].cjs' },
        },
      },
    },
  },
});
