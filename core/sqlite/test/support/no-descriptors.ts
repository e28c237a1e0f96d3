/** Program: opens a queue when the process can open no file any more, and prints the error's code and message. */
import { openSync } from 'node:fs';
import { devNull } from 'node:os';
import { SqliteTransport } from '../../../index.ts';
import { programArguments } from './program-side.ts';

const { file } = programArguments<{ file: string }>();
new SqliteTransport({ path: ':memory:' }).close();
try {
  for (;;) openSync(devNull, 'r');
} catch {
  // The limit is reached.
}
try {
  new SqliteTransport({ path: file });
} catch (error) {
  const { code, message } = error as Error & { code: string };
  process.stdout.write(JSON.stringify({ code, message }));
}
