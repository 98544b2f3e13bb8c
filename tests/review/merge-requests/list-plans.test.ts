import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import type { Writer } from '../../../src/platform/database/database.ts';
import { requestList } from '../../../src/review/merge-requests/lists/list.ts';
import { forEachEngine } from '../../support/engines.ts';
import { planOf, planWithoutSorting, wholeReads } from '../../support/query-plans.ts';
import { addPerson, addProject, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';

const crowd = 3000;

forEachEngine((engine) => {
  let server: TestServer;
  let owner: Person;
  let project: { id: number };
  let other: { id: number };

  before(async () => {
    server = await startTestServer(engine);
    owner = await addPerson(server, 'owner');
    project = await addProject(server, owner, 'listed');
    other = await addProject(server, owner, 'other');
    await server.db.write(async (trx) => {
      const rows = (place: { id: number }, count: number) =>
        sql`with recursive n (i) as (select cast(1 as bigint) union all select i + 1 from n where i < ${count})
          insert into merge_requests (iid, project_id, source_project_id, source_branch, target_branch, title, state,
            author_id, created_at, updated_at)
          select i, ${place.id}, ${place.id}, 'b' || i, 'main', 't' || i, 'merged', ${owner.user.id}, i, i from n`;
      // Inserts so many rows of another project that no database prefers a full scan.
      await rows(other, crowd).execute(trx);
      await rows(project, 40).execute(trx);
      await sql`analyze`.execute(trx);
    });
  });

  const scope = () => ({
    sees: 'internal' as const,
    user: owner.user.id,
    now: Date.now(),
    within: 'project' as const,
    project: project.id,
    today: '2026-01-01',
  });
  const first = { offset: 0, perPage: 20 };
  /** A page beyond the end, whose total has to be counted. */
  const afterAll = { offset: 20, perPage: 20 };

  async function requested(work: () => Promise<unknown>): Promise<string[]> {
    const seen: string[] = [];
    // Ignores polling for background jobs, which can happen at any time.
    const stop = server.db.onQuery((text) => text.includes('jobs.lane') || seen.push(text));
    await work();
    stop();
    return seen;
  }

  test('merge request lists of a project are read from an index in every order', async () => {
    const names = Object.keys(requestList.orders) as (keyof typeof requestList.orders)[];
    // Titles rarely repeat; equal ones are sorted separately.
    const orders = names
      .flatMap((by) => (['asc', 'desc'] as const).map((direction) => ({ by, direction })))
      .filter(({ by, direction }) => by !== 'title' || direction === 'desc');
    for (const order of orders) {
      const seen = await requested(() => requestList.page(server.db.read, scope(), {}, order, first));
      const [text = ''] = seen.filter((each) => each.includes('order by'));
      const plan = await planWithoutSorting(server.db, text);
      assert.doesNotMatch(plan, /TEMP B-TREE|\bSort\b/, `${order.by} ${order.direction}\n${plan}`);
    }
  });

  test('selective filters find merge requests of a project without reading the others', async () => {
    type Filters = Parameters<typeof requestList.page>[2];
    const rare: readonly Filters[] = [
      { approved_by_ids: [999_999] },
      { approved_by_usernames: ['nobody'] },
      { approver_ids: [999_999] },
      { assignee_id: 999_999 },
      { assignee_username: ['nobody'] },
      { author_id: 999_999 },
      { author_username: 'nobody' },
      // This author created all of them but no open one, as the author index shows.
      { author_id: owner.user.id, state: 'opened' },
      { created_after: Date.now() },
      { environment: 'nowhere' },
      { deployed_after: Date.now() },
      { deployed_before: Date.now() },
      { deployed_after: 1, deployed_before: Date.now() },
      { iids: [999_999] },
      { labels: ['a', 'b'] },
      { merge_user_id: 999_999 },
      { merge_user_username: 'nobody' },
      { milestone: 'm' },
      { milestone: 'Upcoming' },
      { my_reaction_emoji: 'heart' },
      { my_reaction_emoji: 'Any' },
      { reviewer_id: 999_999 },
      { reviewer_username: 'nobody' },
      { scope: 'assigned_to_me' },
      { scope: 'reviews_for_me' },
      { source_branch: 'none' },
      { source_project_id: 999_999 },
      { state: 'opened' },
      { target_branch: 'none' },
      { updated_after: Date.now() },
      { wip: 'yes' },
    ];
    const order = { by: 'created_at', direction: 'desc' } as const;
    for (const filters of rare) {
      const seen = await requested(() => requestList.page(server.db.read, scope(), filters, order, first));
      // There are no matching rows: the first query finds that out, and no other is executed.
      assert.equal(seen.length, 1, `${JSON.stringify(filters)}\n${seen.join('\n')}`);
      // PostgreSQL plans by statistics, which are not meaningful for rare values here.
      if (engine === 'postgres') continue;
      const plan = await planOf(server.db, seen[0] ?? '');
      assert.deepEqual(wholeReads(server.db, plan, 'merge_requests'), [], plan);
    }
  });

  /**
   * Index-only scans of PostgreSQL require that all pages are marked as visible, which concurrent readers can prevent.
   */
  async function seenByAll(): Promise<boolean> {
    await sql`vacuum analyze merge_requests`.execute(server.db.read);
    const { rows } = await sql<{ all: boolean }>`select relallvisible = relpages as all
      from pg_class where oid = 'merge_requests'::regclass`.execute(server.db.read);
    return rows[0]?.all === true;
  }

  test('drafts and non-drafts are read from an index only', async () => {
    if (engine === 'postgres') await until(seenByAll);
    for (const [wip, index] of [
      ['yes', 'drafts_only'],
      ['no', 'ready_only'],
    ] as const) {
      const [text = ''] = await requested(() => requestList.count(server.db.read, scope(), { wip }));
      const alone =
        engine === 'sqlite' ? /COVERING INDEX merge_requests_drafts/ : `Index Only Scan using merge_requests_${index}`;
      assert.match(await planWithoutSorting(server.db, text), new RegExp(alone));
    }
  });

  const anyRequest = () =>
    server.db.read
      .selectFrom('merge_requests')
      .select('id')
      .where('project_id', '=', project.id)
      .limit(1)
      .executeTakeFirstOrThrow();

  test('flags for labels, users and approvals follow their removal by any cause', async () => {
    const { id } = await anyRequest();
    const flags = () =>
      server.db.read
        .selectFrom('merge_requests')
        .select(['has_labels', 'has_assignees', 'has_reviewers', 'has_approvals'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
    const leaving = await addPerson(server, 'leaving');
    const label = await server.must(`POST /projects/${project.id}/labels`, {
      token: owner.token,
      json: { name: 'kept', color: '#ff0000' },
    });
    const about = { merge_request_id: id, user_id: leaving.user.id };
    await server.db.write(async (trx) => {
      await trx.insertInto('merge_request_labels').values({ merge_request_id: id, label_id: label.id }).execute();
      await trx.insertInto('merge_request_assignees').values(about).execute();
      await trx
        .insertInto('merge_request_reviewers')
        .values({ ...about, created_at: 1 })
        .execute();
      await trx
        .insertInto('merge_request_approvals')
        .values({ ...about, created_at: 1 })
        .execute();
    });
    assert.deepEqual(Object.values(await flags()), [1, 1, 1, 1]);
    await server.db.write(async (trx) => {
      await trx.deleteFrom('labels').where('id', '=', label.id).execute();
      const tables = ['merge_request_assignees', 'merge_request_reviewers', 'merge_request_approvals'] as const;
      for (const table of tables) await trx.deleteFrom(table).where('user_id', '=', leaving.user.id).execute();
    });
    assert.deepEqual(Object.values(await flags()), [0, 0, 0, 0]);
  });

  interface Deployed {
    iid: number;
    place: { id: number };
    environment: { id: number };
    finished_at: number | null;
  }

  async function addDeployment(trx: Writer, { iid, place, environment, finished_at }: Deployed): Promise<number> {
    const rest = { tag: 0, user_id: null, job_id: null, on_stop: null, created_at: 1, updated_at: 1, finished_at };
    const at = { iid, project_id: place.id, environment_id: environment.id };
    const { id } = await trx
      .insertInto('deployments')
      .values({ ...at, ref: 'main', sha: 'none', status: 'success', ...rest })
      .returning('id')
      .executeTakeFirstOrThrow();
    return id;
  }

  test('deployed_before uses an index, and finds rows deployed before their creation', async () => {
    const environment = await server.must(`POST /projects/${other.id}/environments`, {
      token: owner.token,
      json: { name: 'elsewhere' },
    });
    await server.db.write(async (trx) => {
      const made = await addDeployment(trx, { iid: 1, place: other, environment, finished_at: 1500 });
      await sql`insert into deployment_merge_requests (deployment_id, merge_request_id)
        select ${made}, id from merge_requests
        where project_id = ${other.id} and (iid <= 1500 or iid = ${crowd})`.execute(trx);
    });
    const found = async (deployed_before: number) => {
      const texts: string[] = [];
      const stop = server.db.onQuery((text) => text.includes('limit') && texts.push(text));
      const order = { by: 'created_at', direction: 'desc' } as const;
      const there = { ...scope(), project: other.id };
      const { rows, total } = await requestList.page(server.db.read, there, { deployed_before }, order, first);
      stop();
      return { iids: rows.slice(0, 3).map(({ iid }) => iid), total, text: texts.at(-1) ?? '' };
    };
    const { iids, total, text } = await found(1500);
    assert.deepEqual([iids, total], [[crowd, 1500, 1499], 1501]);
    assert.equal((await found(1499)).total, 0);
    if (engine === 'postgres') return;
    const plan = await planOf(server.db, text);
    assert.match(plan, /merge_requests_project_created \(project_id=\? AND created_at<\?\)/);
    assert.match(plan, /SEARCH e USING COVERING INDEX merge_requests_deployed_early/);
  });

  test('ordering by title within a state uses an index that contains the state', async () => {
    if (engine === 'postgres') return;
    const order = { by: 'title', direction: 'desc' } as const;
    const seen = await requested(() => requestList.rows(server.db.read, scope(), { state: 'merged' }, order, first));
    const plan = await planOf(server.db, seen.at(-1) ?? '');
    assert.match(plan, /COVERING INDEX merge_requests_project_state_title \(project_id=\? AND state=\?\)/);
  });

  test('deployment filters of open merge requests do not read all deployed ones', async () => {
    if (engine === 'postgres') return;
    const order = { by: 'created_at', direction: 'desc' } as const;
    for (const state of ['opened', 'closed'] as const) {
      for (const filters of [{ deployed_after: 1 }, { deployed_before: Date.now() }]) {
        const seen = await requested(() =>
          requestList.page(server.db.read, scope(), { state, ...filters }, order, first),
        );
        const plan = await planOf(server.db, seen[0] ?? '');
        assert.match(plan, new RegExp(`COVERING INDEX merge_requests_(first|last)_deployed_${state} `));
      }
    }
  });

  test('several labels are counted in one query, which also determines the plan', async () => {
    const titles = ['several-1', 'several-2'];
    for (const title of titles) {
      const json = { name: title, color: '#ff0000' };
      const label = await server.must(`POST /projects/${other.id}/labels`, { token: owner.token, json });
      await server.db.write((trx) =>
        sql`insert into merge_request_labels (merge_request_id, label_id)
          select id, ${label.id} from merge_requests where project_id = ${other.id} and iid <= 1200`.execute(trx),
      );
    }
    const there = { ...scope(), project: other.id };
    const order = { by: 'created_at', direction: 'desc' } as const;
    const searches = {
      plain: /from "merge_request_labels" il where/,
      paired: /from "derived_request_label_pairs" p\s+where/,
    };
    for (const state of [{}, { state: 'merged' as const }]) {
      for (const [place, search] of [
        [there, searches.plain],
        [{ ...there, titlesTell: true }, searches.paired],
      ] as const) {
        const seen = await requested(async () => {
          const labels = { labels: titles, ...state };
          const { rows, total } = await requestList.page(server.db.read, place, labels, order, first);
          assert.deepEqual([rows[0]?.iid, rows.length, total], [1200, 20, 1200]);
        });
        assert.equal(seen.filter((text) => search.test(text)).length, 1, seen.join('\n'));
        assert.ok(seen.length <= 3, seen.join('\n'));
      }
    }
  });

  test('deployment times are maintained for any deployment', async () => {
    const { id } = await anyRequest();
    const times = async () =>
      Object.values(
        await server.db.read
          .selectFrom('merge_requests')
          .select(['first_deployed_at', 'last_deployed_at'])
          .where('id', '=', id)
          .executeTakeFirstOrThrow(),
      );
    const environment = await server.must(`POST /projects/${project.id}/environments`, {
      token: owner.token,
      json: { name: 'there' },
    });
    const deploy = (iid: number, finished_at: number | null) =>
      server.db.write(async (trx) => {
        const made = await addDeployment(trx, { iid, place: project, environment, finished_at });
        const link = { deployment_id: made, merge_request_id: id };
        await trx.insertInto('deployment_merge_requests').values(link).execute();
        return made;
      });
    assert.deepEqual(await times(), [null, null]);
    const earlier = await deploy(1, 1000);
    const last = await deploy(2, null);
    assert.deepEqual(await times(), [1000, 1000]);
    const finish = (deployment: number, finished_at: number) =>
      server.db.write((trx) =>
        trx.updateTable('deployments').set({ finished_at }).where('id', '=', deployment).execute(),
      );
    await finish(last, 3000);
    assert.deepEqual(await times(), [1000, 3000]);
    const order = { by: 'created_at', direction: 'desc' } as const;
    const found = async (filters: { deployed_after?: number; deployed_before?: number; environment?: string }) =>
      (await requestList.page(server.db.read, scope(), filters, order, first)).rows.length;
    assert.equal(await found({ deployed_after: 3000 }), 1);
    assert.equal(await found({ deployed_after: 3001 }), 0);
    assert.equal(await found({ deployed_before: 1000 }), 1);
    assert.equal(await found({ deployed_before: 999 }), 0);
    // It was deployed before and after this interval, but not within it.
    assert.equal(await found({ deployed_after: 1001, deployed_before: 2999 }), 0);
    assert.equal(await found({ deployed_after: 1001, deployed_before: 3000, environment: 'there' }), 1);
    assert.equal(await found({ deployed_after: 1001, deployed_before: 2999, environment: 'there' }), 0);
    // Deployed twice, it is counted once, in its current state.
    const there = (state: 'opened' | 'merged' | 'closed' | 'all') =>
      requestList.count(server.db.read, scope(), { environment: 'there', state });
    const counts = async () => [
      await there('all'),
      await there('merged'),
      await there('opened'),
      await there('closed'),
    ];
    assert.deepEqual(await counts(), [1, 1, 0, 0]);
    const put = (state: 'merged' | 'closed') =>
      server.db.write((trx) => trx.updateTable('merge_requests').set({ state }).where('id', '=', id).execute());
    await put('closed');
    assert.deepEqual(await counts(), [1, 0, 0, 1]);
    await put('merged');
    await server.db.write((trx) => trx.deleteFrom('deployments').where('id', '=', earlier).execute());
    assert.deepEqual(await times(), [3000, 3000]);
    assert.deepEqual(await counts(), [1, 1, 0, 0]);
    await server.db.write((trx) => trx.deleteFrom('environments').where('id', '=', environment.id).execute());
    assert.deepEqual(await times(), [null, null]);
  });

  test('"any" filters are counted from partial indexes', async () => {
    if (engine === 'postgres') return;
    type Filters = Parameters<typeof requestList.page>[2];
    const any: readonly Filters[] = [
      { labels: 'Any' },
      { assignee_id: 'Any' },
      { reviewer_id: 'Any' },
      { approved_by_ids: 'Any' },
    ];
    const order = { by: 'created_at', direction: 'desc' } as const;
    for (const filters of any) {
      const seen = await requested(() => requestList.page(server.db.read, scope(), filters, order, afterAll));
      const [text = ''] = seen.filter((each) => each.includes('count('));
      assert.match(await planOf(server.db, text), /COVERING INDEX merge_requests_has_/, JSON.stringify(filters));
    }
  });

  test('unmerged merge requests ordered by merge time are read from an index', async () => {
    for (const direction of ['asc', 'desc'] as const) {
      for (const state of ['opened', 'closed'] as const) {
        const order = { by: 'merged_at', direction } as const;
        const seen = await requested(() => requestList.rows(server.db.read, scope(), { state }, order, first));
        const [text = ''] = seen.filter((each) => each.includes('order by'));
        if (text === '') continue;
        const plan = await planWithoutSorting(server.db, text);
        assert.doesNotMatch(plan, /TEMP B-TREE|\bSort\b/, `${state} ${direction}\n${plan}`);
      }
    }
  });
});
