import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const at = (day: number, hour = 0) => Date.UTC(2026, 2, day, hour);
const march = 'start_date=2026-03-01&end_date=2026-03-04';

forEachEngine((engine) => {
  describe('DORA metrics and group activity', () => {
    let server: TestServer;
    let group: { id: number; full_path: string };
    let project: { id: number };
    let sibling: { id: number };
    const people: Record<string, { id: number; token: string }> = {};

    const addFilled = async (name: string, namespace_id: number) =>
      (await server.must('POST /projects', {
        json: { name, namespace_id, initialize_with_readme: true, visibility: 'private' },
      })) as { id: number };
    const headOf = async (id: number) =>
      (await server.must(`GET /projects/${id}/repository/commits/main`)).id as string;
    const deploy = async (id: number, environment: string, finishedAt: number, status = 'success') => {
      const deployment = await server.must(`POST /projects/${id}/deployments`, {
        json: { environment, sha: await headOf(id), ref: 'main', tag: false, status },
      });
      await server.running.services.queue.drain();
      await server.db.write((trx) =>
        trx.updateTable('deployments').set({ finished_at: finishedAt }).where('id', '=', deployment.id).execute(),
      );
    };
    const merge = async (id: number, name: string, mergedAt: number) => {
      await server.must(`POST /projects/${id}/repository/commits`, {
        json: {
          branch: name,
          start_branch: 'main',
          commit_message: name,
          actions: [{ action: 'create', file_path: name, content: name }],
        },
      });
      const request = await server.must(`POST /projects/${id}/merge_requests`, {
        json: { title: name, source_branch: name, target_branch: 'main' },
      });
      await server.running.services.queue.drain();
      await server.must(`PUT /projects/${id}/merge_requests/${request.iid}/merge`);
      await server.db.write((trx) =>
        trx.updateTable('merge_requests').set({ merged_at: mergedAt }).where('id', '=', request.id).execute(),
      );
    };
    const incident = async (id: number, opened: number, closed?: number) => {
      const { iid, id: number } = await server.must(`POST /projects/${id}/issues`, {
        json: { title: 'Down', issue_type: 'incident' },
      });
      if (closed !== undefined)
        await server.must(`PUT /projects/${id}/issues/${iid}`, { json: { state_event: 'close' } });
      await server.db.write((trx) =>
        trx
          .updateTable('issues')
          .set({ created_at: opened, closed_at: closed ?? null })
          .where('id', '=', number)
          .execute(),
      );
    };
    const values = async (place: string, query: string) => {
      const found = (await server.must(`GET ${place}/dora/metrics?${query}`)) as { date: string; value: number }[];
      return found.map(({ value }) => value);
    };

    before(async () => {
      server = await startTestServer(engine);
      group = await server.must('POST /groups', { json: { name: 'team', path: 'team', visibility: 'private' } });
      const below = await server.must('POST /groups', { json: { name: 'below', path: 'below', parent_id: group.id } });
      project = await addFilled('app', group.id);
      sibling = await addFilled('site', below.id);
      for (const [name, level] of [
        ['guest', 10],
        ['planner', 15],
        ['reporter', 20],
      ] as const) {
        people[name] = await addUser(server, name);
        await server.must(`POST /groups/${group.id}/members`, {
          json: { user_id: people[name].id, access_level: level },
        });
      }
      people.outsider = await addUser(server, 'outsider');
      await deploy(project.id, 'staging', at(1, 5));
      await merge(project.id, 'first', at(1));
      await deploy(project.id, 'production', at(2, 10), 'failed');
      await deploy(project.id, 'production', at(2, 12));
      await merge(project.id, 'second', at(3));
      await merge(project.id, 'third', at(2, 12));
      await deploy(project.id, 'production', at(3, 1));
      await deploy(project.id, 'production', at(3, 23));
      await deploy(sibling.id, 'production', at(4, 23));
      await incident(project.id, at(3, 2), at(4, 2));
      await incident(project.id, at(3, 3), at(4, 5));
      await incident(sibling.id, at(4, 0));
      // Outside the requested range.
      await deploy(project.id, 'production', at(5));
    });

    it('count successful deployments by day, by month and in total', async () => {
      const own = `/projects/${project.id}`;
      assert.deepEqual(await values(own, `metric=deployment_frequency&${march}`), [0, 1, 2, 0]);
      assert.deepEqual(await server.must(`GET ${own}/dora/metrics?metric=deployment_frequency&interval=all&${march}`), [
        { date: null, value: 3 },
      ]);
      assert.deepEqual(
        await server.must(
          `GET ${own}/dora/metrics?metric=deployment_frequency&interval=monthly&start_date=2026-02-10&end_date=2026-03-31`,
        ),
        [
          { date: '2026-02-01', value: 0 },
          { date: '2026-03-01', value: 4 },
        ],
      );
      const tier = (name: string) => values(own, `metric=deployment_frequency&${march}&environment_tiers[]=${name}`);
      assert.deepEqual(await tier('staging'), [1, 0, 0, 0]);
      assert.deepEqual(await tier('testing'), [0, 0, 0, 0]);
    });

    it('use the median of the times from merge to deployment', async () => {
      const own = `/projects/${project.id}`;
      // The first took 36 hours; the second and third took 1 and 13, whose median is 7.
      assert.deepEqual(await values(own, `metric=lead_time_for_changes&${march}`), [null, 36 * 3600, 7 * 3600, null]);
      assert.deepEqual(await values(own, `metric=lead_time_for_changes&interval=all&${march}`), [13 * 3600]);
    });

    it('use the median duration of incidents, and relate incidents to deployments', async () => {
      const own = `/projects/${project.id}`;
      assert.deepEqual(await values(own, `metric=time_to_restore_service&${march}`), [null, null, null, 25 * 3600]);
      assert.deepEqual(await values(own, `metric=change_failure_rate&${march}`), [0, 0, 1, 0]);
    });

    it('include all projects of a group and its subgroups', async () => {
      const all = `/groups/${encodeURIComponent(group.full_path)}`;
      assert.deepEqual(await values(all, `metric=deployment_frequency&${march}`), [0, 1, 2, 1]);
      assert.deepEqual(await values(all, `metric=change_failure_rate&${march}`), [0, 0, 1, 1]);
    });

    it('are available to reporters and above', async () => {
      for (const place of [`/projects/${project.id}`, `/groups/${group.id}`]) {
        const status = async (token: string | null) =>
          (await server.api(`GET ${place}/dora/metrics?metric=deployment_frequency`, { token })).status;
        assert.equal(await status(people.reporter?.token ?? ''), 200);
        assert.equal(await status(people.guest?.token ?? ''), 403);
        assert.equal(await status(people.planner?.token ?? ''), 403);
        assert.equal(await status(people.outsider?.token ?? ''), 404);
        assert.equal(await status(null), 401);
      }
    });

    it('are unavailable if the project disables analytics', async () => {
      const call = `GET /projects/${project.id}/dora/metrics?metric=deployment_frequency`;
      await server.must(`PUT /projects/${project.id}`, { json: { analytics_access_level: 'disabled' } });
      assert.equal((await server.api(call)).status, 403);
      await server.must(`PUT /projects/${project.id}`, { json: { analytics_access_level: 'enabled' } });
      assert.equal((await server.api(call)).status, 200);
    });

    it('reject invalid metrics and dates', async () => {
      const { status, body } = await server.api(`GET /projects/${project.id}/dora/metrics?metric=luck`);
      assert.deepEqual([status, body.message.slice(0, 26)], [400, 'The metric must be one of ']);
      const missing = await server.api(`GET /projects/${project.id}/dora/metrics`);
      assert.deepEqual([missing.status, missing.body], [400, { error: 'metric is missing' }]);
      const day = await server.api(`GET /projects/${project.id}/dora/metrics?metric=deployment_frequency&start_date=x`);
      assert.equal(day.status, 400);
    });

    it('count recent group activity visible to the caller', async () => {
      const count = async (what: string, token?: string) =>
        (await server.api(`GET /analytics/group_activity/${what}?group_path=${group.full_path}`, { token })).body;
      await server.must(`POST /projects/${project.id}/issues`, { json: { title: 'Now' } });
      await server.must(`POST /projects/${project.id}/issues`, { json: { title: 'Secret', confidential: true } });
      assert.deepEqual(await count('issues_count'), { issues_count: 2 });
      assert.deepEqual(await count('issues_count', people.guest?.token), { issues_count: 1 });
      assert.deepEqual(await count('merge_requests_count'), { merge_requests_count: 3 });
      // Creators of groups become their owners: three members were added to this group, and one owner to each group.
      assert.deepEqual(await count('new_members_count'), { new_members_count: 5 });
      assert.deepEqual(await count('new_members_count', people.outsider?.token), { message: '404 Group Not Found' });
    });
  });
});
