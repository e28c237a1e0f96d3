/**
 * A program that opens an untrusted file whose schema has no end. It tells when the child begins to open the file. The child
 * inherits the streams, so these end with the last of both.
 */
import { forkChild } from '../../rpc/fork-child.ts';
import { openAdminWith } from '../open-admin.ts';

const { path, exits } = JSON.parse(process.argv[2] ?? '') as { path: string; exits: boolean };

const admin = openAdminWith(
  (file, argument, events) =>
    forkChild(file, argument, {
      ...events,
      onMessage(message) {
        events.onMessage(message);
        process.stdout.write('"up"\n');
        if (exits) process.exit(0);
      },
    }),
  { path, untrusted: true },
);
await admin.overview();
