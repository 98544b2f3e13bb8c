import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { Role } from '../../../src/access/roles.ts';
import { backUp, newFolder, startRestored } from '../../instance/backups/restored.ts';
import { atOnce, inRounds } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import fc from '../../support/properties.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

interface Request {
  readonly iid: number;
  readonly state: string;
  readonly labels: readonly string[];
}

/**
 * Invariant of the triggers: every pair of labels of a merge request is recorded, unless one of them was added when the
 * merge request had very many labels.
 */
const problems = sql<{ problem: string }>`
  with expected as (
    select a.label_id as label_a, b.label_id as label_b, m.project_id, m.state, m.id
    from merge_request_labels a
    join merge_request_labels b on b.merge_request_id = a.merge_request_id and b.label_id > a.label_id
    join merge_requests m on m.id = a.merge_request_id
    where not exists (select 1 from derived_unpaired_request_labels u
      where u.merge_request_id = a.merge_request_id and u.label_id in (a.label_id, b.label_id)))
  select 'missing' as problem
    from (select * from expected except select * from derived_request_label_pairs) as missing
  union all select 'too many' from (select * from derived_request_label_pairs except select * from expected) as many
  union all select 'unpaired' from derived_unpaired_request_labels u
    where not exists (select 1 from merge_request_labels l
      where l.merge_request_id = u.merge_request_id and l.label_id = u.label_id)
  union all select 'unbounded' from (select merge_request_id from derived_request_label_pairs
    group by merge_request_id having count(*) > 45) as unbounded`;

forEachEngine((engine) => {
  describe('recorded label pairs of merge requests', () => {
    let server: TestServer;
    let reporter: Person;
    let outsider: Person;
    let group: { id: number };
    let project: { id: number };
    const titles = ['a', 'b', 'c', 'd', 'e'];
    const crowd = Array.from({ length: 20 }, (_, n) => `crowd${n}`);
    const count = 20;

    const change = (iid: number, json: object) =>
      server.must(`PUT /projects/${project.id}/merge_requests/${iid}`, { json });

    async function assertKept(): Promise<void> {
      assert.deepEqual((await problems.execute(server.db.read)).rows, []);
    }

    /** Compares filtered lists with filtering the full list, in project and group. */
    async function assertListed(at = server): Promise<void> {
      const all: Request[] = await at.must(`GET /projects/${project.id}/merge_requests?state=all&per_page=100`);
      const requested = [
        ['a', 'b'],
        ['b', 'a'],
        ['d', 'e'],
        ['a', 'b', 'c'],
        ['e', 'c', 'a', 'b'],
        ['crowd0', 'crowd19'],
        ['crowd18', 'crowd19', 'a'],
        ['a', 'unknown'],
      ];
      for (const labels of requested) {
        for (const state of ['all', 'opened', 'closed', 'merged']) {
          const expected = all.filter(
            (request) =>
              labels.every((label) => request.labels.includes(label)) && (state === 'all' || request.state === state),
          );
          for (const place of [`projects/${project.id}`, `groups/${group.id}`]) {
            const path = `/${place}/merge_requests?labels=${labels}&state=${state}&per_page=100`;
            const { headers, body } = await at.api(`GET ${path}`, { token: reporter.token });
            assert.deepEqual(
              (body as Request[]).map(({ iid }) => iid),
              expected.map(({ iid }) => iid),
              path,
            );
            assert.equal(Number(headers.get('x-total')), expected.length, path);
          }
        }
      }
    }

    before(async () => {
      server = await startTestServer(engine);
      [reporter, outsider] = [await addPerson(server, 'reporter'), await addPerson(server, 'outsider')];
      group = await server.must('POST /groups', { json: { name: 'paired', path: 'paired', visibility: 'private' } });
      project = await server.must('POST /projects', { json: { name: 'paired', namespace_id: group.id } });
      const access_level = Role.reporter;
      await server.must(`POST /groups/${group.id}/members`, { json: { user_id: reporter.user.id, access_level } });
      const root = await server.must('GET /user');
      await server.db.write((trx) =>
        sql`with recursive n (i) as (select cast(1 as bigint) union all select i + 1 from n where i < ${count})
          insert into merge_requests (iid, project_id, source_project_id, source_branch, target_branch, title, state,
            author_id, created_at, updated_at)
          select i, ${project.id}, ${project.id}, 'b' || i, 'main', 't' || i,
            case when i % 5 = 0 then 'merged' else 'opened' end, ${root.id}, i, i from n`.execute(trx),
      );
    });

    it('are maintained under random changes, and lists stay correct', async () => {
      const some = fc.subarray(titles);
      const steps = fc.sample(fc.record({ labels: some, removed: some, closes: fc.boolean(), goes: fc.boolean() }), {
        numRuns: count,
        seed: 11,
      });
      for (const [index, { labels }] of steps.entries()) await change(index + 1, { add_labels: labels.join() });
      await assertKept();
      await assertListed();
      for (const [index, { labels, removed, closes, goes }] of steps.toReversed().entries()) {
        const iid = index + 1;
        if (goes && iid % 4 === 0) await server.must(`DELETE /projects/${project.id}/merge_requests/${iid}`);
        else {
          const state = closes && iid % 5 !== 0 ? { state_event: 'close' } : {};
          await change(iid, { add_labels: labels.join(), remove_labels: removed.join(), ...state });
        }
      }
      await assertKept();
      await assertListed();
    });

    it('are bounded for a merge request with very many labels, which is still found', async () => {
      await change(1, { labels: [...crowd, 'a', 'b'].join() });
      await change(2, { labels: 'a,b' });
      await change(2, { add_labels: crowd.join() });
      await assertKept();
      await assertListed();
      await change(1, { remove_labels: crowd.slice(0, 9).join() });
      await change(2, { remove_labels: crowd.slice(3, 12).join(), add_labels: 'c' });
      await assertKept();
      await assertListed();
    });

    it('are maintained under concurrent labelling', async () => {
      await inRounds(async (round) => {
        await atOnce(titles.length, (n) =>
          change(6, round % 2 === 0 ? { add_labels: titles[n] } : { remove_labels: titles[n] }),
        );
        await assertKept();
      });
    });

    it('are restored from a backup', async () => {
      const folder = await newFolder();
      await backUp(server, folder);
      const restored = await startRestored(folder, engine);
      assert.deepEqual((await problems.execute(restored.db.read)).rows, []);
      await assertListed(restored);
    });

    it('reveal nothing to users without access', async () => {
      for (const place of [`projects/${project.id}`, `groups/${group.id}`]) {
        const { status } = await server.api(`GET /${place}/merge_requests?labels=a,b`, { token: outsider.token });
        assert.equal(status, 404);
      }
      const { body } = await server.api('GET /merge_requests?labels=a,b&scope=all&state=all', {
        token: outsider.token,
      });
      assert.deepEqual(body, []);
    });

    it('are removed or merged with labels and deleted with the project', async () => {
      await server.must(`PUT /projects/${project.id}/labels/c/promote`);
      await assertKept();
      await assertListed();
      await server.must(`DELETE /projects/${project.id}/labels/a`);
      await assertKept();
      await assertListed();
      await server.db.write((trx) => sql`delete from projects where id = ${project.id}`.execute(trx));
      assert.deepEqual((await sql`select 1 from derived_request_label_pairs`.execute(server.db.read)).rows, []);
    });
  });
});
