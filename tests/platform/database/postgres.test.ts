import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import { afterCommit, openDatabase, type Reader } from '../../../src/platform/database/database.ts';
import { openTestDatabase, type TestDatabase } from '../../support/engines.ts';
import { migrations } from './specimens.ts';

let db: TestDatabase;
before(async () => {
  db = await openTestDatabase('postgres', migrations);
  await db.write(async (trx) => {
    const rows = [1, 2].map((id) => ({ id, capacity: 0 }));
    await trx.insertInto('specimen_shelves').values(rows).execute();
  });
});

test('the victim of a deadlock is retried and its actions run only once', async () => {
  let arrived = 0;
  let tries = 0;
  const ran: number[] = [];
  const bothInside = Promise.withResolvers<void>();
  const fill = (order: readonly number[]) =>
    db.write(async (trx) => {
      tries++;
      afterCommit(trx, () => ran.push(order[0] ?? 0));
      for (const id of order) {
        const shelf = trx.updateTable('specimen_shelves').where('id', '=', id);
        await shelf.set((eb) => ({ capacity: eb('capacity', '+', 1) })).execute();
        if (++arrived === 2) bothInside.resolve();
        await bothInside.promise;
      }
    });
  await Promise.all([fill([1, 2]), fill([2, 1])]);
  // On a busy machine the retry may start before the winner has committed, and fail once more.
  assert.ok(tries >= 3, `${tries} tries`);
  assert.deepEqual(ran.sort(), [1, 2]);
  const shelves = await db.read.selectFrom('specimen_shelves').select('capacity').execute();
  assert.deepEqual(shelves, [{ capacity: 2 }, { capacity: 2 }]);
});

test('a transaction that continues after a failed statement is rejected', async () => {
  const write = db.write(async (trx) => {
    await trx.insertInto('specimens').values({ title: 'lost' }).execute();
    await sql`select nonsense`.execute(trx).catch(() => undefined);
  });
  await assert.rejects(write, /its work continued/);
  assert.deepEqual(await db.read.selectFrom('specimens').select('id').where('title', '=', 'lost').execute(), []);
});

test('a connection terminated by the server only fails its own transaction', async () => {
  const write = db.write(async (trx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
    await sql`select pg_terminate_backend(${rows[0]?.pid ?? 0})`.execute(db.read);
    await trx.insertInto('specimens').values({ title: 'cut off' }).execute();
  });
  await assert.rejects(write);
  await db.ping();
  await db.write((trx) => trx.insertInto('specimens').values({ title: 'after' }).execute());
});

test('statements report an unreachable database and a broken connection alike, and later ones succeed', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'hearth-socket-'));
  const target = new URL(db.options.url ?? '');
  const folder = target.searchParams.get('host');
  const real = { host: target.hostname, port: Number(target.port || 5432) };
  target.port = '';
  target.searchParams.set('host', directory);
  const sockets = new Set<Socket>();
  const between = createServer((socket) => {
    const upstream = connect(folder === null ? real : { path: join(folder, '.s.PGSQL.5432') });
    for (const end of [socket, upstream]) sockets.add(end.on('error', () => undefined));
    socket.pipe(upstream).pipe(socket);
  });
  const listen = () => once(between.listen(join(directory, '.s.PGSQL.5432')), 'listening');
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  await listen();
  const own = await openDatabase({ url: target.href, poolSize: 2 });
  const lost = { name: 'ConnectionLost', code: '08006' };
  const read = () => own.read.selectFrom('specimens').select('id').execute();
  try {
    const write = own.write(async (trx) => {
      await sql`select 1`.execute(trx);
      cut();
      await sql`select 1`.execute(trx);
    });
    await assert.rejects(write, lost);
    cut();
    await new Promise((resolve) => between.close(resolve));
    await assert.rejects(read(), lost);
    await assert.rejects(
      own.write((trx) => sql`select 1`.execute(trx)),
      lost,
    );
    await listen();
    await read();
  } finally {
    await own.close();
    cut();
    between.close();
    await rm(directory, { recursive: true });
  }
});

test('a number too large for JavaScript throws instead of losing precision', async () => {
  await assert.rejects(sql`select 9007199254740993::bigint as n`.execute(db.read), /too large/);
});

test('writes that wait for a connection when the database is closed still run', async () => {
  const closed = await openTestDatabase('postgres', migrations);
  const first = Promise.withResolvers<void>();
  const under = Array.from({ length: 30 }, (_, number) =>
    closed.write(async (trx) => {
      await first.promise;
      await trx
        .insertInto('specimens')
        .values({ title: `${number}` })
        .execute();
      return number;
    }),
  );
  const closing = closed.close();
  first.resolve();
  assert.equal((await Promise.all(under)).length, 30);
  await closing;
  await assert.rejects(closed.ping());
});

test('transactions that read outside themselves on all connections do not deadlock', async () => {
  const connections = db.options.url === undefined ? 0 : (db.options.poolSize ?? 0);
  assert.ok(connections > 0);
  let inside = 0;
  const allInside = Promise.withResolvers<void>();
  const readOutside = () =>
    db.write(async () => {
      if (++inside === connections) allInside.resolve();
      await allInside.promise;
      return db.read.selectFrom('specimen_shelves').select('id').execute();
    });
  const found = await Promise.all(Array.from({ length: connections }, readOutside));
  assert.ok(found.every((rows) => rows.length === 2));
});

test('JIT compilation is disabled', async () => {
  const jit = async (reader: Reader) => (await sql<{ jit: string }>`show jit`.execute(reader)).rows[0]?.jit;
  assert.deepEqual([await jit(db.read), await db.write(jit)], ['off', 'off']);
});
