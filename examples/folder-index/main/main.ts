/** Folder Index: an example of a desktop app that does its long work through Leasehold. See folder-index/app.ts. */
import { startFolderIndex } from './app.ts';

startFolderIndex();
