import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { openMigrated } from '../../../src/open-services.ts';
import type { Database } from '../../../src/platform/database/database.ts';
import { createLogger } from '../../../src/platform/log.ts';
import { startServer } from '../../../src/server.ts';
import { forEachEngine } from '../../support/engines.ts';
import { assertSameRows, projectRows, tableReferences } from '../../support/project-rows.ts';
import { addPerson } from '../../support/scene.ts';
import { TestServer } from '../../support/server.ts';
import { ServerPlace } from '../../support/server-process.ts';
import { until } from '../../support/until.ts';
import { type HostaWorld, startHosta, token } from './world.ts';

/** Where the server is killed, one after the other: somewhere in each stage. */
const deaths = [
  'import.stage.repository',
  'import.stage.wiki',
  // Of the labels, and so on: where nothing is said, the end of the stage is near.
  'import.written:2',
  'import.stage.milestones',
  'import.stage.releases',
  // A page of requests.
  'import.advanced:1',
  'import.stage.collaborators',
  // Issues.
  'import.written:3',
  'import.stage.diff_notes',
  // Timelines.
  'import.written:5',
  'import.stage.protected_branches',
  'import.stage.lfs_objects',
];
/** What the engines do not share is the database: a few deaths tell whether it keeps what it acknowledged. */
const onBoth = new Set(['import.stage.repository', 'import.written:3', 'import.written:5']);

forEachEngine((engine) => {
  let place: ServerPlace;
  let world: HostaWorld;

  before(async () => {
    world = await startHosta({ plainIssues: 5, plainPulls: 3 });
    place = await ServerPlace.make(engine, ['--allow-local-egress', '--hosta-url', world.url]);
  });

  const withDatabase = async <T>(work: (db: Database) => Promise<T>): Promise<T> => {
    const { db } = await openMigrated(place.config());
    return work(db).finally(() => db.close());
  };
  const withServer = async <T>(work: (server: TestServer) => Promise<T>): Promise<T> => {
    const server = new TestServer(await startServer(place.config(), createLogger({ logLevel: 'error' })));
    return work(server).finally(() => server.running.close());
  };
  /** The minute in which a silent worker could still come back has passed. */
  const leasesEnd = () =>
    withDatabase((db) =>
      db.write((trx) => trx.updateTable('jobs').set({ lease_until: 1 }).where('state', '=', 'running').execute()),
    );

  it('an import whose server is killed in every stage ends like one that nothing happened to', async () => {
    const since = Date.now();
    const owner = await withServer(async (server) => {
      const person = await addPerson(server, 'owner');
      await server.must('POST /groups', { token: person.token, json: { name: 'Team', path: 'team' } });
      return person;
    });
    const wanted = (new_name: string) => ({
      personal_access_token: token,
      repo_id: 77,
      target_namespace: 'team',
      new_name,
      pagination_limit: 2,
      optional_stages: { collaborators_import: true, attachments_import: true },
    });
    let killed = 0;
    for (const death of deaths.filter((name) => engine === 'sqlite' || onBoth.has(name))) {
      const served = await place.serve(death);
      if (killed === 0) {
        const headers = { 'private-token': owner.token, 'content-type': 'application/json' };
        const body = JSON.stringify(wanted('killed-one'));
        // It may die before it has answered: what it had written by then goes on all the same.
        await fetch(`${served.line}/api/v4/import/hosta`, { method: 'POST', headers, body }).catch(() => undefined);
      }
      await served.ended;
      assert.equal(served.child.signalCode, 'SIGKILL', death);
      killed += 1;
      await leasesEnd();
    }
    const references = await tableReferences();
    await withServer(async (server) => {
      const { services } = server.running;
      const ended = async (path: string) => {
        const status = () => server.must(`GET /projects/team%2F${path}/import`);
        await until(async () => !['scheduled', 'started'].includes((await status()).import_status));
        const { id, import_status, import_error, stats } = await status();
        assert.equal(import_status, 'finished', import_error);
        const refs = await services.git.listRefs(services.git.repository(id), 'refs/');
        return { id, stats, refs: refs.map(({ name, oid }) => `${name} ${oid}`) };
      };
      const rough = await ended('killed-one');
      await server.must('POST /import/hosta', { token: owner.token, json: wanted('spared-one') });
      const calm = await ended('spared-one');
      assert.deepEqual(rough.stats, calm.stats);
      assert.deepEqual(rough.refs, calm.refs);
      await services.queue.drain();
      const [got, expected] = [
        await projectRows(server.db, references, rough.id, since),
        await projectRows(server.db, references, calm.id, since),
      ];
      assertSameRows(got, expected);
      for (const table of ['issues', 'merge_requests', 'notes', 'labels', 'releases', 'milestones']) {
        assert.ok((expected[table]?.length ?? 0) > 0, table);
      }
    });
  });
});
