/** Where the build puts the app's other files (vite.config.ts): beside the folder of the main process. */
import { join } from 'node:path';

const here = import.meta.dirname;

export const PAGE_FOLDER = join(here, '../page');
export const PRELOAD_FILE = join(here, '../preload/preload.cjs');
export const THREAD_FILE = join(here, 'index.thread.js');
