/** Folder Index: a sample app whose long work runs through a Leasehold queue. */
import { startFolderIndex } from './app.ts';

startFolderIndex();
