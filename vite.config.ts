/**
 * Builds the whole app into dist/ (`vite build --app`):
 *
 *   dist/renderer   the pages, as the pages' own server (electron/main/page-session.ts) hands them out: relative addresses, no inline
 *                   script or style
 *   dist/preload    one CommonJS file for each page: a sandboxed preload can require nothing but electron
 *   dist/main       the main process as ES modules, and each thread's file under a name that is known beforehand
 *
 * node20 and chrome130 are what the oldest Electron that Leasehold runs in (33) brings.
 */
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type EnvironmentOptions } from 'vite';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const PRELOADS = {
  preloadInspector: { name: 'inspector', input: at('electron/preload/inspector.ts') },
  preloadFolderIndex: { name: 'folder-index', input: at('examples/folder-index/preload/preload.ts') },
};

function preload({ name, input }: { name: string; input: string }): EnvironmentOptions {
  return {
    consumer: 'server',
    build: {
      outDir: at('dist/preload'),
      emptyOutDir: false,
      target: 'chrome130',
      minify: false,
      rolldownOptions: {
        input: { [name]: input },
        platform: 'browser',
        external: ['electron'],
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  };
}

const main: EnvironmentOptions = {
  consumer: 'server',
  build: {
    outDir: at('dist/main'),
    emptyOutDir: true,
    target: 'node20',
    minify: false,
    rolldownOptions: {
      input: {
        main: at('examples/folder-index/main/main.ts'),
        'transport.thread': at('core/sqlite/async/transport.thread.ts'),
        'admin.thread': at('core/admin/admin.thread.ts'),
        'index.thread': at('examples/folder-index/thread/index.thread.ts'),
      },
      platform: 'node',
      external: ['electron', 'better-sqlite3', /^node:/],
      output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
    },
  },
};

export default defineConfig({
  root: at('renderer'),
  base: './',
  publicDir: false,
  plugins: [react()],
  environments: {
    client: {
      build: {
        outDir: at('dist/renderer'),
        emptyOutDir: true,
        target: 'chrome130',
        // Inlined files would be data: addresses, which the page's content security policy keeps to images.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        rolldownOptions: {
          input: {
            inspector: at('renderer/inspector/index.html'),
            'folder-index': at('renderer/folder-index/index.html'),
          },
        },
      },
    },
    ...Object.fromEntries(Object.entries(PRELOADS).map(([key, of]) => [key, preload(of)])),
    main,
  },
  builder: {
    async buildApp(builder) {
      const wanted = ['client', ...Object.keys(PRELOADS), 'main'];
      await Promise.all(
        wanted.map((name) => {
          const environment = builder.environments[name];
          if (!environment) throw new Error(`There is no environment "${name}" to build.`);
          return builder.build(environment);
        }),
      );
    },
  },
});
