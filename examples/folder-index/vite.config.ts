/**
 * Builds the sample app into dist/examples/folder-index, with one folder for each runtime:
 *
 *   page      the window's page
 *   preload   one CommonJS file: a sandboxed preload can only require electron
 *   main      the main process, and the thread's file under a fixed name
 *
 * `leasehold` stays an import, as it does in any app that installs the package. Leasehold starts threads and opens pages from
 * files that lie beside its own code, so a bundler must not copy that code elsewhere.
 */
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const out = (folder: string) => at(`../../dist/examples/folder-index/${folder}`);

export default defineConfig({
  root: at('page'),
  base: './',
  publicDir: false,
  plugins: [react()],
  builder: {},
  environments: {
    client: {
      build: {
        outDir: out('page'),
        emptyOutDir: true,
        target: 'chrome130',
        // Vite inlines files as data: addresses, which the page's content security policy allows for images only.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
      },
    },
    preload: {
      consumer: 'server',
      build: {
        outDir: out('preload'),
        emptyOutDir: true,
        target: 'chrome130',
        minify: false,
        rolldownOptions: {
          input: { preload: at('preload/preload.ts') },
          platform: 'browser',
          external: ['electron'],
          output: { format: 'cjs', entryFileNames: '[name].cjs' },
        },
      },
    },
    main: {
      consumer: 'server',
      build: {
        outDir: out('main'),
        emptyOutDir: true,
        target: 'node20',
        minify: false,
        rolldownOptions: {
          input: { main: at('main/main.ts'), 'index.thread': at('thread/index.thread.ts') },
          platform: 'node',
          external: ['electron', 'better-sqlite3', /^leasehold(?:\/|$)/, /^node:/],
          // Chunks lie beside the entries, so import.meta.dirname is the same folder in all of them.
          output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
        },
      },
    },
  },
});
