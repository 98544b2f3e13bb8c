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

interface Issue {
  readonly iid: number;
  readonly state: string;
  readonly confidential: boolean;
  readonly labels: readonly string[];
}

/** Maximum number of labels of an issue that are recorded in pairs. */
const maxPaired = 10;

/**
 * Invariant of the triggers: every pair of labels of an issue is recorded, unless one of them was added when the issue
 * had very many labels.
 */
const problems = sql<{ problem: string }>`
  with expected as (
    select a.label_id as label_a, b.label_id as label_b, i.project_id, i.confidential, i.state, i.id as issue_id
    from issue_labels a join issue_labels b on b.issue_id = a.issue_id and b.label_id > a.label_id
    join issues i on i.id = a.issue_id
    where not exists (select 1 from derived_unpaired_labels u
      where u.issue_id = a.issue_id and u.label_id in (a.label_id, b.label_id)))
  select 'missing' as problem from (select * from expected except select * from derived_label_pairs) as missing
  union all select 'too many' from (select * from derived_label_pairs except select * from expected) as many
  union all select 'unpaired' from derived_unpaired_labels u
    where not exists (select 1 from issue_labels l where l.issue_id = u.issue_id and l.label_id = u.label_id)
  union all select 'unbounded' from (select l.issue_id from issue_labels l
    where not exists (select 1 from derived_unpaired_labels u where u.issue_id = l.issue_id and u.label_id = l.label_id)
    group by l.issue_id having count(*) > ${sql.lit(maxPaired)}) as unbounded`;

forEachEngine((engine) => {
  describe('recorded label pairs of issues', () => {
    let server: TestServer;
    let guest: Person;
    let group: { id: number };
    let project: { id: number };
    const titles = ['a', 'b', 'c', 'd', 'e'];
    const crowd = Array.from({ length: 20 }, (_, n) => `crowd${n}`);

    const change = (iid: number, json: object) => server.must(`PUT /projects/${project.id}/issues/${iid}`, { json });
    const add = (json: object): Promise<Issue> =>
      server.must(`POST /projects/${project.id}/issues`, { json: { title: 'one', ...json } });
    const pairs = async () =>
      (await sql<{ total: number }>`select count(*) as total from derived_label_pairs`.execute(server.db.read)).rows;

    async function assertKept(at = server): Promise<void> {
      assert.deepEqual((await problems.execute(at.db.read)).rows, []);
    }

    /**
     * Compares filtered lists with filtering the full list, for users with and without full access, in project and
     * group.
     */
    async function assertListed(at = server): Promise<void> {
      const all: Issue[] = await at.must(`GET /projects/${project.id}/issues?per_page=100`);
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
        for (const state of ['all', 'opened', 'closed']) {
          for (const [token, sees] of [
            [undefined, () => true],
            [guest.token, ({ confidential }: Issue) => !confidential],
          ] as const) {
            const expected = all.filter(
              (issue) =>
                sees(issue) &&
                labels.every((label) => issue.labels.includes(label)) &&
                (state === 'all' || issue.state === state),
            );
            for (const place of [`projects/${project.id}`, `groups/${group.id}`]) {
              const path = `/${place}/issues?labels=${labels}&state=${state}&per_page=100`;
              const { headers, body } = await at.api(`GET ${path}`, token ? { token } : {});
              assert.deepEqual(
                (body as Issue[]).map(({ iid }) => iid),
                expected.map(({ iid }) => iid),
                path,
              );
              assert.equal(Number(headers.get('x-total')), expected.length, path);
            }
          }
        }
      }
    }

    before(async () => {
      server = await startTestServer(engine);
      guest = await addPerson(server, 'guest');
      group = await server.must('POST /groups', { json: { name: 'paired', path: 'paired', visibility: 'private' } });
      project = await server.must('POST /projects', { json: { name: 'paired', namespace_id: group.id } });
      await server.must(`POST /groups/${group.id}/members`, {
        json: { user_id: guest.user.id, access_level: Role.guest },
      });
    });

    it('are maintained under random changes, and lists stay correct', async () => {
      const some = fc.subarray(titles);
      const step = fc.record({
        labels: some,
        removed: some,
        close: fc.boolean(),
        confidential: fc.boolean(),
        goes: fc.boolean(),
      });
      const steps = fc.sample(step, { numRuns: 25, seed: 11 });
      for (const { labels, confidential } of steps) await add({ labels: labels.join(), confidential });
      await assertKept();
      await assertListed();
      for (const [index, { labels, removed, close, confidential, goes }] of steps.toReversed().entries()) {
        if (goes && index % 3 === 0) await server.must(`DELETE /projects/${project.id}/issues/${index + 1}`);
        else {
          const state = close ? { state_event: 'close' } : {};
          await change(index + 1, { add_labels: labels.join(), remove_labels: removed.join(), confidential, ...state });
        }
      }
      await assertKept();
      await assertListed();
    });

    it('are bounded for an issue with very many labels, which is still found', async () => {
      const before = await pairs();
      const many = await add({ labels: [...crowd, 'a', 'b'].join() });
      const another = await add({ labels: ['a', 'b'].join() });
      await change(another.iid, { add_labels: crowd.join(), confidential: true });
      await assertKept();
      await assertListed();
      await change(many.iid, { state_event: 'close', remove_labels: crowd.slice(0, 9).join() });
      await change(another.iid, { remove_labels: crowd.slice(3, 12).join(), confidential: false });
      await assertKept();
      // Labels that were not paired stay so, and new ones are paired.
      await change(many.iid, { add_labels: crowd[0] });
      await assertKept();
      await assertListed();
      for (const { iid } of [many, another]) await server.must(`DELETE /projects/${project.id}/issues/${iid}`);
      await assertKept();
      assert.deepEqual(await pairs(), before);
    });

    it('are maintained under concurrent labelling', async () => {
      const { iid } = await add({ title: 'raced' });
      await inRounds(async (round) => {
        await atOnce(titles.length, (n) =>
          change(iid, round % 2 === 0 ? { add_labels: titles[n] } : { remove_labels: n < 3 ? titles[n] : 'd' }),
        );
        await assertKept();
      });
      // Merging labels does not lock the issue; an issue that already has the label is not written to.
      const titled = sql<{
        id: number;
      }>`select id from labels where title in (${sql.join(['a', ...crowd.slice(0, 8)])})`;
      const [kept = 0, ...raced] = (await titled.execute(server.db.read)).rows.map(({ id }) => id);
      const { id } = await server.must(`GET /projects/${project.id}/issues/${iid}`);
      const write = (change: ReturnType<typeof sql>) => server.db.write((trx) => change.execute(trx));
      const put = (label: number) =>
        write(sql`insert into issue_labels (issue_id, label_id, project_id) values (${id}, ${label}, ${project.id})
          on conflict do nothing`);
      await put(kept);
      await inRounds(async () => {
        await write(sql`delete from issue_labels where issue_id = ${id} and label_id <> ${kept}`);
        await assertKept();
        await atOnce(raced.length, (n) => put(raced[n] ?? 0));
        await assertKept();
      });
    });

    it('are restored from a backup', async () => {
      const folder = await newFolder();
      await backUp(server, folder);
      const restored = await startRestored(folder, engine);
      await assertKept(restored);
      await assertListed(restored);
    });

    it('are removed or merged with labels and deleted with the project', async () => {
      await server.must(`PUT /projects/${project.id}/labels/c/promote`);
      await assertKept();
      await assertListed();
      // The label of the former group becomes a project label on every issue that has it.
      const other = await server.must('POST /groups', { json: { name: 'Elsewhere', path: 'elsewhere' } });
      await server.must(`PUT /projects/${project.id}/transfer`, { json: { namespace: other.id } });
      await assertKept();
      await server.must(`PUT /projects/${project.id}/transfer`, { json: { namespace: group.id } });
      await assertKept();
      await assertListed();
      await server.must(`DELETE /projects/${project.id}/labels/a`);
      await assertKept();
      await assertListed();
      await server.db.write((trx) => sql`delete from projects where id = ${project.id}`.execute(trx));
      await assertKept();
      assert.deepEqual((await sql`select 1 from derived_label_pairs`.execute(server.db.read)).rows, []);
    });
  });
});
