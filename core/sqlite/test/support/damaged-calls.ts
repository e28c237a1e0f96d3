/** Calls everything on a damaged file. Each call must answer, or raise a LeaseholdError that says what is wrong. */

import { makeOperate } from '../../../admin/operations/operate.ts';
import { listGroups } from '../../../admin/queries/list-groups.ts';
import { listMessages } from '../../../admin/queries/list-messages.ts';
import { readMessage } from '../../../admin/queries/message-detail.ts';
import { readOverview } from '../../../admin/queries/overview.ts';
import type { QueueAdminCalls } from '../../../contract/admin.ts';
import { systemClock } from '../../../contract/clock.ts';
import { asLeaseholdError, type ErrorCode } from '../../../contract/errors.ts';
import type { Awaitable, Lease, Transport } from '../../../contract/transport.ts';
import { LeaseholdError, openAdmin, SqliteTransport } from '../../../index.ts';
import { textCodec } from '../../../validate/event-codec.ts';
import { Engine } from '../../engine.ts';
import { namesFor } from '../../file/names.ts';
import { openFile } from '../../file/open-file.ts';
import { toLeaseholdError } from '../../file/sqlite-errors.ts';
import { readSettings } from '../../transport-options.ts';
import { allSteps } from './foreign-reads.ts';

/** What no damage of the file explains. */
const WRONG: readonly ErrorCode[] = [
  'UNEXPECTED',
  'BAD_ARGUMENT',
  'BUSY',
  'CLOSED',
  'THREAD_FAILED',
  'NOT_ALLOWED',
];

export class DamagedCalls {
  readonly faults: string[] = [];

  /** Undefined after an error. */
  async call<T>(name: string, run: () => Awaitable<T>): Promise<T | undefined> {
    try {
      return await run();
    } catch (error) {
      const code = error instanceof LeaseholdError ? error.code : 'a raw error';
      if (code === 'a raw error' || WRONG.includes(code))
        this.faults.push(`${name}: ${code}: ${error instanceof Error ? error.stack : error}`);
      return undefined;
    }
  }

  async transport(name: string, open: () => Awaitable<Transport>): Promise<void> {
    const queue = await this.call(`open ${name}`, open);
    if (!queue) return;
    const on = <T>(call: string, run: (queue: Transport) => Awaitable<T>) =>
      this.call(`${name}.${call}`, () => run(queue));
    // Before anything writes: a write can put right what is damaged.
    await on('nextExpiry', (q) => q.nextExpiry({ minPriority: 1 }));
    const first = await on('claim', (q) => q.claim('w', 60_000));
    await on('publish', (q) => q.publish('group 1', { new: 1 }));
    await on('publishMany', (q) => q.publishMany([1, 2].map((n) => ({ groupId: `new ${n}`, event: n }))));
    await on('holders', (q) => q.holders());
    const leases: Lease[] = (await on('claimMany', (q) => q.claimMany('w', 60_000, 12))) ?? [];
    if (first) leases.push(first);
    const keyed = await on('claim with keys', (q) =>
      q.claim('w', 60_000, { routingKeys: ['key 0', 'key 1'] }),
    );
    if (keyed) leases.push(keyed);
    const settles: ((q: Transport, lease: Lease) => Awaitable<unknown>)[] = [
      (q, lease) => q.ack(lease),
      (q, lease) => q.nack(lease),
      (q, lease) => q.nack(lease, 60_000, { error: 'later' }),
      (q, lease) => q.bury(lease, { error: 'never' }),
      (q, lease) => q.extend(lease, 90_000),
      (q, lease) => q.ackAndClaim(lease, 60_000),
    ];
    for (const [n, lease] of leases.entries()) {
      const settle = settles[n % settles.length] as (typeof settles)[number];
      await on(`settle ${n % settles.length}`, (q) => settle(q, lease));
    }
    await on('nextExpiry with keys', (q) => q.nextExpiry({ routingKeys: ['key 0'] }));
    await on('release', (q) => q.release(['worker', 'w']));
    const dead = (await on('deadLetters', (q) => q.deadLetters())) ?? [];
    for (const letter of dead.slice(0, 2)) await on('republish', (q) => q.republish(letter.id));
    await on('dataVersion', (q) => q.dataVersion());
    await on('close', (q) => q.close());
  }

  async admin(name: string, admin: Omit<QueueAdminCalls, 'purge'>): Promise<void> {
    const on = <T>(call: string, run: () => Awaitable<T>) => this.call(`${name}.${call}`, run);
    await on('overview', () => admin.overview());
    for (const query of [{}, { sort: 'expiry' }, { search: '1', state: 'ready' }] as const)
      await on(`groups(${JSON.stringify(query)})`, () => admin.groups(query));
    const listed = await on('messages', () => admin.messages({}));
    for (const query of [{ state: 'leased' }, { state: 'dead' }, { state: 'waiting', search: 'x' }] as const)
      await on(`messages(${JSON.stringify(query)})`, () => admin.messages(query));
    const kinds = ['ack', 'nack', 'republish', 'park'] as const;
    for (const [n, { seq, deadId }] of (listed?.rows ?? []).slice(-8).entries()) {
      const detail = await on('message', () => admin.message(deadId === null ? seq : { deadId }));
      const kind = kinds[n % kinds.length] as (typeof kinds)[number];
      if (detail && kind === 'park')
        await on(kind, () => admin.operate({ kind, fence: detail.fence, delayMs: 1_000 }));
      else if (detail) await on(kind, () => admin.operate({ kind, fence: detail.fence } as never));
    }
  }

  /** The queries and operations of the admin's thread on this one, with its translation of errors. */
  async adminHere(path: string): Promise<void> {
    const translated = <T>(run: () => T): T => {
      try {
        return run();
      } catch (error) {
        throw asLeaseholdError(toLeaseholdError(error, path));
      }
    };
    const opened = await this.call('open the admin', () =>
      translated(() => {
        const engine = new Engine(
          { ...readSettings({ path, createSchema: false }), repair: false },
          textCodec.decode,
        );
        return { engine, reader: openFile(path, { readonly: true }) };
      }),
    );
    if (!opened) return;
    const { engine, reader } = opened;
    const snapshot = () => ({ db: reader, names: namesFor(), now: systemClock.now() / 1_000 });
    const operate = await this.call('makeOperate', () => makeOperate(engine, String));
    await this.admin('admin', {
      overview: async () => translated(() => allSteps(readOverview(snapshot()))),
      groups: async (query = {}) => translated(() => allSteps(listGroups(snapshot(), query))),
      messages: async (query = {}) => translated(() => allSteps(listMessages(snapshot(), query))),
      message: async (key) => translated(() => readMessage(snapshot(), key)),
      operate: async (operation) =>
        translated(() => operate?.(operation, 'ada') ?? { outcome: 'stale', message: '' }),
    });
    await this.call('close the admin', () => {
      reader.close();
      engine.close();
    });
  }

  async adminThread(path: string): Promise<void> {
    const admin = await this.call('openAdmin', () => openAdmin({ path }));
    if (!admin) return;
    await this.admin('the admin on its thread', admin);
    await this.call('close the admin', () => admin.close());
  }
}

export const openSync = (path: string) => () => new SqliteTransport({ path, durability: 'normal' });
