import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { openMigrated } from '../../src/open-services.ts';
import type { Database, Engine } from '../../src/platform/database/database.ts';
import { createLogger } from '../../src/platform/log.ts';
import { startServer } from '../../src/server.ts';
import { assertSameRows, projectRows, tableReferences } from './project-rows.ts';
import { rootToken, TestServer } from './server.ts';
import { ServerPlace, type StartedProcess } from './server-process.ts';
import { until } from './until.ts';

/** Path and parameters of an import into the group `team`. */
export interface SentImport {
  readonly path: string;
  readonly json?: object;
  readonly form?: FormData;
}

/** An import during which servers are killed. */
export interface KilledImport {
  readonly engine: Engine;
  readonly flags: readonly string[];
  /** The fault points at which the server is killed in turn, in every stage. */
  readonly deaths: readonly string[];
  /** Creates the source of the import if it is on the same server. */
  readonly prepare?: (server: TestServer) => Promise<void>;
  readonly wanted: (newName: string) => SentImport;
  /** Tables that must not be empty afterwards. */
  readonly filled: readonly string[];
}

/** Kills servers during an import, lets another one finish it, and compares the result with an undisturbed import. */
export async function killImport({ engine, flags, deaths, prepare, wanted, filled }: KilledImport): Promise<void> {
  const since = Date.now();
  const place = await ServerPlace.make(engine, ['--allow-local-egress', ...flags]);
  const withServer = async <T>(work: (server: TestServer) => Promise<T>): Promise<T> => {
    const server = new TestServer(await startServer(place.config(), createLogger({ logLevel: 'error' })));
    return work(server).finally(() => server.running.close());
  };
  await withServer(async (server) => {
    await server.must('POST /groups', { json: { name: 'Team', path: 'team' } });
    await prepare?.(server);
  });
  const begin = async (url: string, newName: string): Promise<void> => {
    const { path, json, form } = wanted(newName);
    const type: Record<string, string> = json ? { 'content-type': 'application/json' } : {};
    const body = json ? JSON.stringify(json) : (form ?? null);
    const headers = { 'private-token': rootToken, ...type };
    const answer = await fetch(`${url}/api/v4${path}`, { method: 'POST', headers, body });
    assert.equal(answer.status, 201, await answer.text());
  };
  for (const [at, death] of deaths.entries()) {
    const served = await place.serve(death);
    if (at === 0) {
      await begin(served.line, 'killed-one').catch((error: unknown) => {
        // The server may die before responding; the import continues anyway if it was recorded.
        if (error instanceof assert.AssertionError) throw error;
      });
    }
    await Promise.race([served.ended, over(served)]);
    assert.notEqual(served.child.exitCode ?? served.child.signalCode, null, `the import ended before ${death}`);
    assert.equal(served.child.signalCode, 'SIGKILL', death);
    await endLeases(place);
  }
  const references = await tableReferences();
  await withServer(async (server) => {
    const rough = await ended(server, 'killed-one');
    await begin(server.url, 'spared-one');
    const calm = await ended(server, 'spared-one');
    assert.deepEqual(rough.stats, calm.stats);
    assert.deepEqual(rough.refs, calm.refs);
    await server.running.services.queue.drain();
    const expected = await projectRows(server.db, references, calm.id, since);
    assertSameRows(await projectRows(server.db, references, rough.id, since), expected);
    for (const table of filled) assert.ok((expected[table]?.length ?? 0) > 0, table);
  });
}

/** Waits for the end of an import on a server that was expected to die. */
async function over({ line, child }: StartedProcess): Promise<void> {
  const headers = { 'private-token': rootToken };
  const said = async () => (await fetch(`${line}/api/v4/projects/team%2Fkilled-one/import`, { headers })).text();
  // A dying server does not respond any more.
  const isOver = async () => /"import_status":"(finished|failed)"/.test(await said().catch(() => ''));
  while (child.exitCode === null && child.signalCode === null && !(await isOver())) await setTimeout(100);
}

/** Expires the leases of jobs, as if a minute had passed. */
export async function endLeases(place: ServerPlace): Promise<void> {
  const { db }: { db: Database } = await openMigrated(place.config());
  await db
    .write((trx) => trx.updateTable('jobs').set({ lease_until: 1 }).where('state', '=', 'running').execute())
    .finally(() => db.close());
}

async function ended(server: TestServer, path: string) {
  const { git } = server.running.services;
  const status = () => server.must(`GET /projects/team%2F${path}/import`);
  // A project created by another job may not exist yet.
  await until(async () => (await server.api(`GET /projects/team%2F${path}/import`)).status === 200);
  await until(async () => !['none', 'scheduled', 'started'].includes((await status()).import_status));
  const { id, import_status, import_error, stats } = await status();
  assert.equal(import_status, 'finished', import_error);
  const refs = await git.listRefs(git.repository(id), 'refs/');
  return { id, stats, refs: refs.map(({ name, oid }) => `${name} ${oid}`) };
}
