import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import { insertNamespace } from '../../src/access/namespaces/addresses.ts';
import { blankAccount } from '../../src/people/users/public.ts';
import { epicIssueList } from '../../src/planning/epics/issues/list.ts';
import { epicList } from '../../src/planning/epics/list.ts';

import { issueList } from '../../src/planning/issues/lists/list.ts';
import { splitByConfidentiality } from '../../src/planning/issues/lists/list-scope.ts';
import { milestoneIssueList } from '../../src/planning/issues/milestones/list.ts';

import { milestoneList } from '../../src/planning/milestones/list.ts';
import { noteList } from '../../src/planning/notes/list.ts';
import { snippetList } from '../../src/planning/snippets/list.ts';
import type { Writer } from '../../src/platform/database/database.ts';
import { forEachEngine } from '../support/engines.ts';
import { planOf, planWithoutSorting, wholeReads, wholeReadsOf } from '../support/query-plans.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const places = 150;
const crowd = 20;

forEachEngine((engine) => {
  let server: TestServer;
  let group: { id: number };
  let project: { id: number };

  async function author(trx: Writer, name: string): Promise<number> {
    const times = { created_at: 1, updated_at: 1 };
    const row = { ...blankAccount, ...times, username: name, name, email: `${name}@example.com` };
    return (await trx.insertInto('users').values(row).returning('id').executeTakeFirstOrThrow()).id;
  }

  /** Inserts so many rows of other projects that no database prefers a full scan. */
  async function fill(): Promise<void> {
    const at = { created_at: 1, updated_at: 1 };
    await server.db.write(async (trx) => {
      for (let place = 0; place < places; place++) {
        const name = `other-${place}`;
        const group = await insertNamespace(trx, { kind: 'group', name, path: name, visibility: 0, ...at });
        const { id } = await trx
          .insertInto('projects')
          .values({ name, path: name, visibility: 0, namespace_id: group.id, last_activity_at: 1, ...at })
          .returning('id')
          .executeTakeFirstOrThrow();
        const numbers = Array.from({ length: crowd }, (_, n) => n + 1);
        const texts = { description: null, ...at };
        const dates = { start_date: null, due_date: null, namespace_id: null };
        const by = { author_id: await author(trx, name) };
        await trx
          .insertInto('milestones')
          .values(numbers.map((iid) => ({ iid, title: `m${iid}`, project_id: id, ...texts, ...dates })))
          .execute();
        await trx
          .insertInto('epics')
          .values(
            numbers.map((iid) => ({ iid, namespace_id: group.id, title: `e${iid}`, color: '#fff', ...texts, ...by })),
          )
          .execute();
        const snippet = { files: '[]', visibility: 0, project_id: id, ...texts, ...by };
        await trx
          .insertInto('snippets')
          .values(numbers.map((n) => ({ title: `s${n}`, repository: `${name}-${n}`, ...snippet })))
          .execute();
        await trx
          .insertInto('issues')
          .values(numbers.map((iid) => ({ iid, project_id: id, title: `i${iid}`, ...texts, ...by })))
          .execute();
      }
      await sql`insert into epic_issues (epic_id, issue_id, relative_position)
        select e.id, i.id, i.id from issues i join projects p on p.id = i.project_id
        join epics e on e.namespace_id = p.namespace_id and e.iid = i.iid`.execute(trx);
      await sql`update issues set milestone_id = (select m.id from milestones m where m.iid = issues.iid
        and m.project_id = issues.project_id)`.execute(trx);
      await sql`analyze`.execute(trx);
    });
  }

  before(async () => {
    server = await startTestServer(engine);
    group = await server.must('POST /groups', { json: { name: 'listed', path: 'listed' } });
    project = await server.must('POST /projects', { json: { name: 'listed', namespace_id: group.id } });
    await fill();
  });

  // The plan of a text search depends on the search term, so a generic plan is not meaningful.
  const searches = engine === 'postgres' ? ['search'] : [];
  const viewer = { sees: 'internal' as const, user: 7, now: Date.now() };

  test('milestone lists do not read those of other projects', async () => {
    const scope = { ...viewer, kind: 'project' as const, owner: project.id };
    assert.deepEqual(await wholeReadsOf(server.db, milestoneList, scope, 'milestones', searches), []);
  });

  /** The plans of a page and its total. */
  async function plansOf(read: () => Promise<unknown>): Promise<string[]> {
    const texts: string[] = [];
    const stop = server.db.onQuery((text) => texts.push(text));
    await read();
    stop();
    return Promise.all(texts.map((text) => planWithoutSorting(server.db, text)));
  }

  const firstPage = { offset: 0, perPage: 1 };

  test('an index has the milestones of a project in the order of their due dates', async () => {
    const scope = { ...viewer, kind: 'project' as const, owner: project.id };
    const byDate = { by: 'due_date', direction: 'asc' } as const;
    const [page = ''] = await plansOf(() => milestoneList.page(server.db.read, scope, {}, byDate, firstPage));
    assert.match(page, /milestones_project_due/);
    assert.doesNotMatch(page, /TEMP B-TREE|Sort/);
  });

  test('an index has the notes about activity', async () => {
    const scope = { type: 'MergeRequest', id: 1, internal: true };
    const byId = { by: 'created_at', direction: 'desc' } as const;
    const activity = { activity_filter: 'only_activity' } as const;
    const plans = await plansOf(() => noteList.page(server.db.read, scope, activity, byId, { offset: 1, perPage: 1 }));
    assert.equal(plans.length, 2);
    for (const plan of plans) assert.match(plan, /notes_activity/);
  });

  test('epic lists do not read those of other groups', async () => {
    const scope = { ...viewer, group: group.id, below: false, above: false };
    // Ordering by position is only used below an epic, which has few children.
    const found = await wholeReadsOf(server.db, epicList, scope, 'epics', searches);
    assert.deepEqual(
      found.filter((read) => !read.includes('by relative_position')),
      [],
    );
  });

  test('snippet lists of a user or project do not read other snippets', async () => {
    for (const kind of ['own', 'project'] as const) {
      const scope = { ...viewer, kind, project: project.id, member: true };
      assert.deepEqual(await wholeReadsOf(server.db, snippetList, scope, 'snippets', searches), [], kind);
    }
  });

  test('issue lists of an epic or milestone do not read other issues', async () => {
    const anywhere = { ...viewer, within: 'all' as const, confidential: false, today: '2026-01-01' };
    const ofEpic = { ...anywhere, epic: 1 };
    assert.deepEqual(await wholeReadsOf(server.db, epicIssueList, ofEpic, 'epic_issues|issues'), []);
    const ofMilestone = { ...anywhere, milestone: 1 };
    assert.deepEqual(await wholeReadsOf(server.db, milestoneIssueList, ofMilestone, 'issues'), []);
  });

  test('selective filters find and count issues of a project without reading the others', async () => {
    const scope = {
      ...viewer,
      within: 'project' as const,
      project: project.id,
      confidential: true,
      today: '2026-01-01',
    };
    // For a guest, non-confidential and own issues are found by one query too.
    const guests = splitByConfidentiality({ ...scope, confidential: false });
    const order = { by: 'created_at', direction: 'desc' } as const;
    type Filters = Parameters<typeof issueList.page>[2];
    const rare: readonly Filters[] = [
      { labels: ['a', 'b'] },
      { assignee_username: ['ann'] },
      { assignee_id: 999_999 },
      { author_id: 999_999 },
      { closed_by_id: 999_999 },
      { confidential: true },
      { due_date: 'today' },
      { epic_id: 999_999 },
      { health_status: 'at_risk' },
      { iids: [999_999] },
      { issue_type: 'incident' },
      { iteration_id: 999_999 },
      { milestone: 'm' },
      { my_reaction_emoji: 'heart' },
      { scope: 'assigned_to_me' },
      { updated_after: Date.now() },
      { weight: 999_999 },
    ];
    for (const [filters, asked] of rare.flatMap((each) => [[each, scope] as const, [each, guests] as const])) {
      const seen: string[] = [];
      // Ignores queries of background jobs.
      const stop = server.db.onQuery((text) => text.includes('jobs') || seen.push(text));
      await issueList.page(server.db.read, asked, filters, order, { offset: 0, perPage: 20 });
      stop();
      // There are no matching rows: the first query finds that out, and no other is executed.
      assert.equal(seen.length, 1, `${JSON.stringify(filters)}\n${seen.join('\n')}`);
      const plan = await planOf(server.db, seen[0] ?? '');
      assert.deepEqual(wholeReads(server.db, plan, 'issues'), [], plan);
    }
  });

  test('missing attributes of issues are counted from partial indexes, for a guest too', async () => {
    const scope = { ...viewer, within: 'project' as const, project: project.id, today: '2026-01-01' };
    type Filters = Parameters<typeof issueList.count>[2];
    const lacking: Readonly<Record<string, Filters>> = {
      milestone: { milestone_id: 'None' },
      epic: { epic_id: 'None' },
      iteration: { iteration_id: 'None' },
      health: { health_status: 'None' },
    };
    for (const [column, filters] of Object.entries(lacking)) {
      for (const confidential of [true, false]) {
        const seen: string[] = [];
        const stop = server.db.onQuery((text) => seen.push(text));
        const parts = splitByConfidentiality({ ...scope, confidential });
        await issueList.count(server.db.read, parts, filters, 'limit');
        stop();
        const plan = await planOf(server.db, seen[0] ?? '');
        if (engine === 'sqlite') assert.match(plan, new RegExp(`COVERING INDEX issues_project_${column}`), plan);
        assert.deepEqual(wholeReads(server.db, plan, 'issues'), [], plan);
      }
    }
  });

  test('issue lists of a project are read from an index in every order', async () => {
    const scope = {
      ...viewer,
      within: 'project' as const,
      project: project.id,
      confidential: true,
      today: '2026-01-01',
    };
    const names = Object.keys(issueList.orders) as (keyof typeof issueList.orders)[];
    // Titles rarely repeat; equal ones are sorted separately.
    const orders = names
      .flatMap((by) => (['asc', 'desc'] as const).map((direction) => ({ by, direction })))
      .filter(({ by, direction }) => by !== 'title' || direction === 'desc');
    for (const order of orders) {
      const seen: string[] = [];
      const stop = server.db.onQuery((text) => seen.push(text));
      await issueList.page(server.db.read, scope, {}, order, { offset: 0, perPage: 20 });
      stop();
      const [text = ''] = seen.filter((each) => each.includes('order by'));
      const plan = await planWithoutSorting(server.db, text);
      assert.doesNotMatch(plan, /TEMP B-TREE|\bSort\b/, `${order.by} ${order.direction}\n${plan}`);
    }
  });

  test('few issues of a label are counted and found by its index and then sorted', async () => {
    const json = { title: 'labelled', labels: 'found' };
    await server.must(`POST /projects/${project.id}/issues`, { json });
    for (const [confidential, titlesTell] of [
      [true, true],
      [true, false],
      [false, true],
    ] as const) {
      const scope = { ...viewer, within: 'project' as const, project: project.id, confidential, titlesTell, today: '' };
      const seen: string[] = [];
      const stop = server.db.onQuery((text) => text.includes('jobs') || seen.push(text));
      const order = { by: 'title', direction: 'asc' } as const;
      const slice = { offset: 0, perPage: 20 };
      const { rows } = await issueList.page(
        server.db.read,
        splitByConfidentiality(scope),
        { labels: ['found'] },
        order,
        slice,
      );
      stop();
      assert.deepEqual([rows.map(({ title }) => title), seen.length], [['labelled'], 2]);
      for (const text of seen) {
        const plan = await planOf(server.db, text);
        assert.deepEqual(wholeReads(server.db, plan, engine === 'sqlite' ? 'issues|il' : 'issues'), [], plan);
        if (engine === 'sqlite') assert.match(plan, /SEARCH il USING COVERING INDEX issue_labels_label/, plan);
      }
    }
  });
});
