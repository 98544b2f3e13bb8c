import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import { labelList } from '../../../src/planning/labels/list.ts';
import { forEachEngine } from '../../support/engines.ts';
import { wholeReadsOf } from '../../support/query-plans.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  let server: TestServer;
  let project: { id: number };
  let group: { id: number };

  before(async () => {
    server = await startTestServer(engine);
    group = await server.must('POST /groups', { json: { name: 'listed', path: 'listed' } });
    const children = await server.must('POST /groups', { json: { name: 'child', path: 'child', parent_id: group.id } });
    project = await server.must('POST /projects', { json: { name: 'listed', namespace_id: children.id } });
    // Enough other projects with labels of their own that no database prefers a full scan.
    const at = { created_at: 1, updated_at: 1 };
    await server.db.write(async (trx) => {
      const others = Array.from({ length: 300 }, (_, n) => ({ name: `other-${n}`, path: `other-${n}`, visibility: 0 }));
      const made = await trx
        .insertInto('projects')
        .values(others.map((other) => ({ ...other, ...at, namespace_id: 1, last_activity_at: 1 })))
        .returning('id')
        .execute();
      for (let n = 0; n < 10; n += 1) {
        const label = { title: `other ${n}`, color: '#112233', ...at };
        await trx
          .insertInto('labels')
          .values(made.map(({ id }) => ({ ...label, project_id: id })))
          .execute();
      }
      await sql`analyze`.execute(trx);
    });
  });

  test('label lists do not read labels of other projects with any filter', async () => {
    const reader = { rankingProjectId: project.id, userId: 1 };
    const scopes = [
      { kind: 'project' as const, ownerId: project.id, ...reader },
      { kind: 'group' as const, ownerId: group.id, ...reader },
    ];
    // The plan of a text search depends on the search term, so a generic plan is not meaningful.
    const searches = engine === 'postgres' ? ['search'] : [];
    assert.deepEqual(await wholeReadsOf(server.running.services.db, labelList, scopes, 'labels', searches), []);
  });

  test('labels of a tree with many groups are listed by one query per page', async () => {
    for (let n = 0; n < 40; n += 1) {
      const json = { name: `many${n}`, path: `many${n}`, parent_id: group.id };
      const made = await server.must('POST /groups', { json });
      if (n % 10 === 0) {
        await server.must(`POST /groups/${made.id}/labels`, { json: { name: `of ${n}`, color: 'red' } });
      }
    }
    await server.must(`POST /projects/${project.id}/labels`, { json: { name: 'inner', color: 'red' } });
    const query = 'include_descendant_groups=true&only_group_labels=false';
    const seen: string[] = [];
    const stop = server.db.onQuery((text) => seen.push(text));
    const found = await server.must(`GET /groups/${group.id}/labels?${query}`);
    stop();
    const names = (found as { name: string }[]).map(({ name }) => name);
    assert.deepEqual(names, ['inner', 'of 0', 'of 10', 'of 20', 'of 30']);
    assert.equal(seen.filter((text) => /from "labels"/.test(text)).length, 1);
  });
});
