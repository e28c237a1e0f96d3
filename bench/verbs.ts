/** publish, claim and ack one by one at several backlogs, by the public API, by its bare SQL and by the specification's. */
import { SqliteTransport } from '../core/index.ts';
import { type Backlog, EVENT, EVENT_JSON, fill, named } from './backlog.ts';
import { bareStatements, openEmpty } from './bare.ts';
import { inFolder, Stopwatch, takeTurns } from './measure.ts';
import { atLeast, type Bench, forComparison, perSecond, type Row } from './row.ts';
import { type Durability, openSpecification } from './specification.ts';

const BACKLOGS: readonly Backlog[] = [
  { messages: 1000, groups: 100 },
  { messages: 100_000, groups: 10_000 },
  { messages: 1_000_000, groups: 1 },
  { messages: 1_000_000, groups: 100 },
  { messages: 1_000_000, groups: 100_000 },
];

const VERBS = ['publish', 'claim', 'ack'] as const;

/** The three verbs of a contender. Each loop claims a message, acks it and publishes another to its group. */
interface Contender<Lease extends { groupId: string }> {
  publish(groupId: string): void;
  claim(): Lease | null;
  ack(lease: Lease): void;
  close(): void;
}

class Run {
  readonly watch = new Stopwatch();
  loops = 0;

  /** Times claim, ack and publish in `loops` loops. */
  readonly round =
    <Lease extends { groupId: string }>(contender: Contender<Lease>, loops: number) =>
    (counts: boolean) => {
      const watch = counts ? this.watch : new Stopwatch();
      for (let i = 0; i < loops; i++) {
        const lease = watch.time('claim', () => contender.claim());
        if (!lease) throw new Error('Nothing was claimable.');
        watch.time('ack', () => contender.ack(lease));
        watch.time('publish', () => contender.publish(lease.groupId));
      }
      if (counts) this.loops += loops;
    };

  /** Ms for each loop of these verbs. */
  cost(...verbs: string[]): number {
    return this.watch.ms(...verbs) / this.loops;
  }

  rates(): string {
    return VERBS.map((verb) => perSecond(this.loops, this.watch.ms(verb))).join(', ');
  }
}

function compare(folder: string, backlog: Backlog, durability: Durability): Row[] {
  const specification = openSpecification(`${folder}/specification.db`, durability);
  fill(specification.db, backlog);
  const bareDb = openEmpty(`${folder}/bare.db`, durability);
  fill(bareDb, backlog);
  const apiDb = openEmpty(`${folder}/api.db`, durability);
  fill(apiDb, backlog);
  const transport = new SqliteTransport({ database: apiDb, durability });
  const statements = bareStatements(bareDb);
  const [spec, bare, api] = [new Run(), new Run(), new Run()];
  // The specification's claim reads the whole group, so a hundred claims in a group of a million take seconds.
  const slow = backlog.messages / backlog.groups >= 10_000;
  const loops = durability === 'full' ? 40 : 200;
  takeTurns(20, [
    spec.round(
      { ...specification, publish: (groupId) => specification.publish(groupId, EVENT_JSON) },
      slow ? 1 : loops,
    ),
    bare.round(
      { ...statements, publish: (groupId) => statements.publish(groupId, EVENT), close: () => undefined },
      loops,
    ),
    api.round(
      {
        publish: (groupId) => transport.publish(groupId, EVENT),
        claim: () => transport.claim('worker', 30_000),
        ack: (lease) => transport.ack(lease),
        close: () => undefined,
      },
      loops,
    ),
  ]);
  specification.close();
  bareDb.close();
  apiDb.close();
  const where = `${named(backlog)}, ${durability.toUpperCase()}`;
  const rows = [
    forComparison(`${where}: publish, claim, ack by the specification's SQL`, spec.rates()),
    forComparison(`${where}: by Leasehold's SQL, bare`, bare.rates()),
    atLeast(
      `${where}: publish, claim, ack by the API, against the same SQL bare`,
      0.85,
      bare.cost(...VERBS) / api.cost(...VERBS),
      api.rates(),
    ),
  ];
  const ratio = spec.cost('claim', 'ack') / api.cost('claim', 'ack');
  const detail = `${perSecond(1, api.cost('claim', 'ack'))} against ${perSecond(1, spec.cost('claim', 'ack'))}`;
  return [
    ...rows,
    atLeast(`${where}: claim and ack, against the specification's SQL bare`, 0.8, ratio, detail),
  ];
}

export const verbs: Bench = {
  title: 'One message at a time, 100-byte events',
  async run() {
    const rows: Row[] = [];
    for (const durability of ['normal', 'full'] as const)
      for (const backlog of BACKLOGS)
        rows.push(...(await inFolder((folder) => compare(folder, backlog, durability))));
    return rows;
  },
};
