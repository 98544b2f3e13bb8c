import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { pipelineList } from '../../../src/ci/pipelines/public.ts';
import { forEachEngine } from '../../support/engines.ts';
import { planWithoutSorting, wholeReadsOf } from '../../support/query-plans.ts';
import { addPerson, addProject, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const projects = 10;
const pipelinesOfEach = 300;

forEachEngine((engine) => {
  describe('pipeline list query plans', () => {
    let server: TestServer;
    let owner: Person;
    let project: { id: number };

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      for (let n = 0; n < projects; n++) {
        project = await addProject(server, owner, `p${n}`);
        const rows = Array.from({ length: pipelinesOfEach }, (_, index) => ({
          project_id: project.id,
          iid: index + 1,
          sha: `${index}`.padStart(40, 'f'),
          ref: index % 3 === 0 ? `topic-${index}` : 'main',
          source: index % 10 === 0 ? 'parent_pipeline' : 'push',
          status: index % 50 === 0 ? 'failed' : 'success',
          user_id: owner.user.id,
          started_at: 1,
          finished_at: 1,
          created_at: index,
          updated_at: index,
        }));
        await server.db.write((trx) => trx.insertInto('pipelines').values(rows).execute());
      }
      await server.db.write((trx) => sql`analyze`.execute(trx));
    });

    const slowPlans = engine === 'postgres' && 'each plan of PostgreSQL takes as long as all of SQLite';
    it('never scan the whole table with any filter', { skip: slowPlans }, async () => {
      for (const children of [false, true]) {
        const scope = { project: project.id, children };
        assert.deepEqual(await wholeReadsOf(server.running.services.db, pipelineList, scope, 'pipelines'), []);
      }
    });

    it('use an index for each order', async () => {
      const { db } = server.running.services;
      for (const [by, own, ofChildren] of [
        ['id', 'pipelines_listed', 'pipelines_source'],
        ['status', 'pipelines_status', 'child_pipelines_status'],
        ['ref', 'pipelines_listed_ref', 'child_pipelines_ref'],
        ['updated_at', 'pipelines_updated', 'child_pipelines_updated'],
        ['user_id', 'pipelines_of_user', 'child_pipelines_user'],
      ] as const) {
        for (const children of [false, true]) {
          const queries: string[] = [];
          const stop = db.onQuery((text) => queries.push(text));
          const slice = { offset: 0, perPage: 20 };
          await pipelineList.rows(db.read, { project: project.id, children }, {}, { by, direction: 'desc' }, slice);
          stop();
          const [page = ''] = queries;
          const plan = await planWithoutSorting(db, page);
          assert.match(plan, new RegExp(`\\b${children ? ofChildren : own}\\b`), `${by}\n${plan}`);
        }
      }
    });

    it('read given IDs by primary key', async () => {
      const { db } = server.running.services;
      const queries: string[] = [];
      const stop = db.onQuery((text) => queries.push(text));
      const scope = { project: project.id, children: false, ids: [1, 2, 3] };
      await pipelineList.page(db.read, scope, {}, { by: 'status', direction: 'asc' }, { offset: 0, perPage: 20 });
      stop();
      const plan = await planWithoutSorting(db, queries[0] ?? '');
      assert.match(plan, engine === 'sqlite' ? /pipelines USING INTEGER PRIMARY KEY/ : /pipelines_pkey/, plan);
    });

    it('list the newest pipeline of each existing branch or tag', async () => {
      await server.must(`POST /projects/${project.id}/repository/files/a`, {
        token: owner.token,
        json: { branch: 'main', content: 'a', commit_message: 'a' },
      });
      for (const order of ['id', 'status', 'ref', 'updated_at', 'user_id']) {
        const found = await server.must(`GET /projects/${project.id}/pipelines?scope=branches&order_by=${order}`);
        assert.equal(found.length, 1, order);
        assert.deepEqual([found[0].ref, found[0].iid], ['main', pipelinesOfEach], order);
        assert.deepEqual(await server.must(`GET /projects/${project.id}/pipelines?scope=tags&order_by=${order}`), []);
      }
      const children = await server.must(`GET /projects/${project.id}/pipelines?source=parent_pipeline&per_page=100`);
      assert.equal(children.length, pipelinesOfEach / 10);
    });
  });
});
