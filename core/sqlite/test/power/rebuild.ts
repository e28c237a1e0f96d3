/** Program: `node rebuild.ts LOG SEED NUMBER FOLDER` lays the files of one state that power-loss.test.ts judged into a folder. */
import { mkdirSync } from 'node:fs';
import { rebuildState } from './judge.ts';
import { readLog } from './power-log.ts';

const [log, seed, number, folder] = process.argv.slice(2);
if (!log || !folder) throw new Error('Usage: node rebuild.ts LOG SEED NUMBER FOLDER');
mkdirSync(folder, { recursive: true });
rebuildState({ records: readLog(log), seed: Number(seed), folder }, Number(number));
