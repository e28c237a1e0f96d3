// A reporter for `node --test`. Prints a line for each file and every failure in full. Writes the tally to the file UNIT_REPORT.
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';
import { countEvent, emptyTally, failureType, type Tally } from './tally.ts';

type Failure = Extract<TestEvent, { type: 'test:fail' }>;

const indent = (text: string) => text.replace(/^(?=.)/gm, '      ');

function describeFailure(event: Failure, parents: string[]): string {
  const { error } = event.data.details;
  const where = event.data.file === undefined ? '' : `${relative('', event.data.file)}:${event.data.line}`;
  // Node wraps the error of a test. The wrapper and Node's own stack frames carry no information.
  const thrown = error.cause ?? error;
  const reason = thrown instanceof Error && thrown.cause === undefined ? thrown.stack : inspect(thrown);
  const lines = reason?.split('\n').filter((line) => !/^\s+at .*\bnode:internal\//.test(line)) ?? [];
  return `  FAILED ${[...parents, event.data.name].join(' > ')}\n${indent([where, ...lines].join('\n'))}\n\n`;
}

export default async function* reporter(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const total = emptyTally();
  const parents: string[] = [];
  let ofFile: Tally = emptyTally();
  for await (const event of source) {
    countEvent(total, event);
    countEvent(ofFile, event);
    if (event.type === 'test:start') {
      parents.length = event.data.nesting;
      parents[event.data.nesting] = event.data.name;
    } else if (event.type === 'test:fail' && failureType(event) !== 'subtestsFailed') {
      yield describeFailure(event, parents.slice(0, event.data.nesting));
    } else if (event.type === 'test:diagnostic' && /after the test ended/.test(event.data.message)) {
      // An error after the end of its test fails the file. Only this event has the reason.
      yield `  ${event.data.message}\n`;
    } else if (event.type === 'test:stdout' || event.type === 'test:stderr') {
      yield event.data.message;
    } else if (event.type === 'test:summary' && event.data.file !== undefined) {
      const { passed, failed } = ofFile;
      const seconds = (event.data.duration_ms / 1000).toFixed(1);
      const count = failed === 0 ? `${passed} passed` : `${passed} passed, ${failed} FAILED`;
      yield `  ${relative('', event.data.file)}: ${count} (${seconds} s)\n`;
      ofFile = emptyTally();
    }
  }
  // Written at the end: a runner that crashes leaves no report, which counts as a failure.
  if (process.env.UNIT_REPORT !== undefined) writeFileSync(process.env.UNIT_REPORT, JSON.stringify(total));
}
