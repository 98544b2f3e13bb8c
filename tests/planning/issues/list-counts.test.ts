import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { Role } from '../../../src/access/roles.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

/**
 * Larger than the number of rows that drive a list: the issues of the most common label are scanned and counted by
 * index.
 */
const many = 2600;

interface Made {
  readonly iid: number;
  readonly closed: boolean;
  readonly confidential: boolean;
  readonly labels: readonly string[];
  readonly assigned: boolean;
}

/** Attributes by IID, chosen so that all combinations occur. */
const attributesOf = (iid: number): Made => ({
  iid,
  closed: iid % 3 === 0,
  confidential: iid % 7 === 0,
  labels: [...(iid % 2 === 0 ? ['own'] : []), ...(iid % 5 !== 0 ? ['twice'] : []), ...(iid % 11 === 0 ? ['rare'] : [])],
  assigned: iid % 2 === 1,
});
const all = Array.from({ length: many }, (_, n) => attributesOf(n + 1));

forEachEngine((engine) => {
  describe('counts of large issue lists', () => {
    let server: TestServer;
    let root: { id: number };
    let planner: Person;
    let guest: Person;
    let group: { id: number };
    let project: { id: number };

    const requested = async (query: string, person: Person, place: string) => {
      const { status, headers, body } = await server.api(
        `GET /${place}/issues?${query.replace('PLANNER', planner.user.username)}`,
        { token: person.token },
      );
      assert.equal(status, 200, JSON.stringify(body));
      return { total: Number(headers.get('x-total')), iids: (body as Made[]).map(({ iid }) => iid) };
    };
    const total = async (query: string, person: Person) =>
      (await requested(query, person, `projects/${project.id}`)).total;

    /** Checks total and first pages in both directions, in project and group. */
    const assertListed = async (query: string, person: Person, listed: readonly Made[]) => {
      const iids = listed.map(({ iid }) => iid);
      const shown = { asc: iids.slice(0, 5), desc: iids.toReversed().slice(0, 5) };
      for (const place of [`projects/${project.id}`, `groups/${group.id}`]) {
        for (const sort of ['asc', 'desc'] as const) {
          const found = await requested(`${query}&per_page=5&order_by=created_at&sort=${sort}`, person, place);
          assert.deepEqual(found, { total: listed.length, iids: shown[sort] }, `${place} ${query} ${sort}`);
        }
      }
    };

    before(async () => {
      server = await startTestServer(engine);
      root = await server.must('GET /user');
      planner = await addPerson(server, 'planner');
      guest = await addPerson(server, 'guest');
      group = await server.must('POST /groups', { json: { name: 'crowd', path: 'crowd', visibility: 'private' } });
      project = await server.must('POST /projects', { json: { name: 'crowd', namespace_id: group.id } });
      for (const [person, access_level] of [
        [planner, Role.reporter],
        [guest, Role.guest],
      ] as const) {
        await server.must(`POST /groups/${group.id}/members`, { json: { user_id: person.user.id, access_level } });
      }
      const label = async (place: string, name: string): Promise<number> =>
        (await server.must(`POST /${place}/labels`, { json: { name, color: '#336699' } })).id;
      const [own, twice, rare] = [
        await label(`projects/${project.id}`, 'own'),
        await label(`groups/${group.id}`, 'twice'),
        await label(`projects/${project.id}`, 'rare'),
      ];
      // A project label with the title of a group label: issues can have both.
      const again = await server.db.write(async (trx) => {
        const [made] = (
          await sql<{ id: number }>`insert into labels (project_id, title, color, created_at, updated_at)
            values (${project.id}, 'twice', '#336699', 1, 1) returning id`.execute(trx)
        ).rows;
        return Number(made?.id);
      });
      const numbers = sql`with recursive n (i) as (select cast(1 as bigint) union all select i + 1 from n where i < ${sql.lit(many)})`;
      await server.db.write(async (trx) => {
        await sql`${numbers} insert into issues (iid, project_id, title, author_id, state, confidential, created_at, updated_at)
          select i, ${project.id}, 'issue ' || i, ${root.id}, case when i % 3 = 0 then 'closed' else 'opened' end,
            case when i % 7 = 0 then 1 else 0 end, i, i from n`.execute(trx);
        const labelled = (id: number, where: ReturnType<typeof sql>) =>
          sql`insert into issue_labels (issue_id, label_id, project_id)
            select id, ${id}, project_id from issues where project_id = ${project.id} and ${where}`.execute(trx);
        await labelled(own, sql`iid % 2 = 0`);
        await labelled(twice, sql`iid % 5 <> 0`);
        await labelled(again, sql`iid % 5 = 1`);
        await labelled(rare, sql`iid % 11 = 0`);
        await sql`insert into issue_assignees (issue_id, user_id, project_id)
          select id, ${planner.user.id}, project_id from issues where project_id = ${project.id} and iid % 2 = 1`.execute(
          trx,
        );
      });
    });

    const has = (label: string) => (issue: Made) => issue.labels.includes(label);
    const lacks = (label: string) => (issue: Made) => !issue.labels.includes(label);
    const cases: Readonly<Record<string, (issue: Made) => boolean>> = {
      'labels=own': has('own'),
      'labels=twice': has('twice'),
      'labels=own,twice': (issue) => has('own')(issue) && has('twice')(issue),
      'labels=twice,rare,own': (issue) => has('own')(issue) && has('twice')(issue) && has('rare')(issue),
      'labels=own,rare': (issue) => has('own')(issue) && has('rare')(issue),
      'labels=twice,unknown': () => false,
      'not[labels]=own': lacks('own'),
      'not[labels]=twice': lacks('twice'),
      'not[labels]=own,twice': (issue) => lacks('own')(issue) && lacks('twice')(issue),
      'labels=twice&not[labels]=own': (issue) => has('twice')(issue) && lacks('own')(issue),
      'assignee_username=PLANNER': ({ assigned }) => assigned,
      'assignee_id=None': ({ assigned }) => !assigned,
      'labels=None': ({ labels }) => labels.length === 0,
      'labels=own&assignee_username=PLANNER': (issue) => has('own')(issue) && issue.assigned,
    };
    for (const [query, passes] of Object.entries(cases)) {
      it(`are correct for ${query} in each state, with and without access to confidential issues`, async () => {
        for (const [state, isIn] of [
          ['all', () => true],
          ['opened', (issue: Made) => !issue.closed],
          ['closed', (issue: Made) => issue.closed],
        ] as const) {
          const found = all.filter((issue) => passes(issue) && isIn(issue));
          await assertListed(`${query}&state=${state}`, planner, found);
          const plain = found.filter(({ confidential }) => !confidential);
          await assertListed(`${query}&state=${state}`, guest, plain);
        }
      });
    }

    it('follow closing, reopening and labelling of issues', async () => {
      const counts = async () => [
        await total('labels=own&state=opened', planner),
        await total('labels=own&state=closed', planner),
        await total('assignee_username=PLANNER&state=closed', planner),
        await total('not[labels]=own&state=closed', planner),
      ];
      const before = await counts();
      const change = (iid: number, json: object) => server.must(`PUT /projects/${project.id}/issues/${iid}`, { json });
      const moved = async (by: readonly number[]) =>
        assert.deepEqual(
          await counts(),
          before.map((count, index) => count + (by[index] ?? 0)),
        );
      await change(2, { state_event: 'close' });
      await moved([-1, 1, 0, 0]);
      await change(1, { state_event: 'close' });
      await moved([-1, 1, 1, 1]);
      await change(1, { add_labels: 'own' });
      await moved([-1, 2, 1, 0]);
      await change(4, { state_event: 'close', add_labels: 'rare', assignee_ids: [planner.user.id] });
      await moved([-2, 3, 2, 0]);
      for (const iid of [1, 2, 4]) await change(iid, { state_event: 'reopen' });
      await change(1, { remove_labels: 'own' });
      await change(4, { assignee_ids: [0] });
      await moved([0, 0, 0, 0]);
    });
  });
});
