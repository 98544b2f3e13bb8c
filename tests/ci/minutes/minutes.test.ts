import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { monthOf } from '../../../src/ci/minutes/rules.ts';
import { Browser, rootPassword } from '../../support/browser.ts';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { RunnerClient } from '../runner-client.ts';

forEachEngine((engine) => {
  describe('compute minutes', () => {
    let server: TestServer;
    let shared: RunnerClient;
    let count = 0;
    const drainQueue = () => server.running.services.queue.drain();

    /** Creates a project with one pending job in a subgroup. */
    const addPlace = async (limits: Record<string, unknown> = {}) => {
      count += 1;
      const path = `team-${count}`;
      const top = await server.must('POST /groups', { json: { name: path, path } });
      await server.must(`PUT /groups/${top.id}`, { json: limits });
      const subgroup = await server.must('POST /groups', { json: { name: 'below', path: 'below', parent_id: top.id } });
      const project = await server.must('POST /projects', { json: { name: 'app', namespace_id: subgroup.id } });
      const content = 'build: { script: make }\n';
      await server.must(`POST /projects/${project.id}/repository/files/.gitlab-ci.yml`, {
        json: { branch: 'main', content, commit_message: 'Build' },
      });
      await drainQueue();
      return { top: top.id as number, project: project.id as number };
    };
    const startPipeline = async (project: number) => {
      const { id } = await server.must(`POST /projects/${project}/pipeline`, { json: { ref: 'main' } });
      await drainQueue();
      return id as number;
    };
    /** Completes the next job as if it had run for the given time. */
    const runFor = async (seconds: number) => {
      const job = await shared.take();
      await server.db.write((trx) =>
        trx
          .updateTable('ci_jobs')
          .set({ started_at: Date.now() - seconds * 1000 })
          .where('id', '=', job.id)
          .execute(),
      );
      await shared.report(job, { state: 'success' });
      await drainQueue();
    };
    const used = async (namespace: number) => {
      const rows = await server.db.read
        .selectFrom('runner_minutes')
        .selectAll()
        .where('namespace_id', '=', namespace)
        .execute();
      return rows.map((row) => [Number(row.month) === monthOf(Date.now()), Math.round(Number(row.seconds) / 60)]);
    };
    const jobsOf = async (project: number) =>
      ((await server.must(`GET /projects/${project}/jobs`)) as Record<string, unknown>[]).map((job) => [
        job.status,
        job.failure_reason,
      ]);

    before(async () => {
      server = await startTestServer(engine);
      shared = await RunnerClient.create(server, { runner_type: 'instance_type', run_untagged: true });
    });

    it('are counted for the root group and merged into one row', async () => {
      const { top, project } = await addPlace();
      await runFor(60);
      await startPipeline(project);
      await runFor(120);
      assert.deepEqual(await used(top), [
        [true, 1],
        [true, 2],
      ]);
      const { db, queue } = server.running.services;
      await db.write((trx) => queue.enqueue(trx, 'recurring.runner-minutes.gather', null));
      await drainQueue();
      assert.deepEqual(await used(top), [[true, 3]]);
    });

    it('fail jobs that only instance runners could take when used up', async () => {
      const { project } = await addPlace({ shared_runners_minutes_limit: 1, extra_shared_runners_minutes_limit: 1 });
      await runFor(60);
      await startPipeline(project);
      await runFor(60);
      await startPipeline(project);
      assert.equal((await shared.ask()).status, 204);
      await drainQueue();
      assert.deepEqual((await jobsOf(project))[0], ['failed', 'ci_quota_exceeded']);
    });

    it('leave jobs to project runners when used up, and to instance runners after a limit change', async () => {
      const { top, project } = await addPlace({ shared_runners_minutes_limit: 1 });
      await runFor(61);
      const own = await RunnerClient.create(server, {
        runner_type: 'project_type',
        project_id: project,
        run_untagged: true,
      });
      await own.ask();
      await startPipeline(project);
      await startPipeline(project);
      assert.equal((await shared.ask()).status, 204);
      await drainQueue();
      assert.deepEqual((await jobsOf(project)).slice(0, 2), [
        ['pending', undefined],
        ['pending', undefined],
      ]);
      await own.take();
      await server.must(`PUT /groups/${top}`, { json: { shared_runners_minutes_limit: 0 } });
      await drainQueue();
      await shared.take();
    });

    it("are limited by the instance default or by the user's own limit", async () => {
      const user = await server.must('POST /users', {
        json: {
          username: 'miner',
          name: 'M',
          email: 'miner@example.com',
          password: 'long enough 4 you',
          skip_confirmation: true,
        },
      });
      const project = await server.must(`POST /projects/user/${user.id}`, { json: { name: 'mine' } });
      await server.must('PUT /application/settings', { json: { shared_runners_minutes: 1 } });
      await server.must(`POST /projects/${project.id}/repository/files/.gitlab-ci.yml`, {
        json: { branch: 'main', content: 'dig: { script: make }\n', commit_message: 'Dig' },
      });
      await drainQueue();
      await runFor(61);
      await startPipeline(project.id);
      assert.equal((await shared.ask()).status, 204);
      await drainQueue();
      assert.deepEqual((await jobsOf(project.id))[0], ['failed', 'ci_quota_exceeded']);
      await server.must(`PUT /users/${user.id}`, { json: { shared_runners_minutes_limit: 5 } });
      await startPipeline(project.id);
      await shared.take();
    });

    /** Moves the usage of this month to an earlier month. */
    const monthsAgo = (namespace: number, months: number) => {
      const day = new Date();
      const month = Date.UTC(day.getUTCFullYear(), day.getUTCMonth() - months, 1);
      return server.db.write((trx) =>
        trx
          .updateTable('runner_minutes')
          .set({ month })
          .where('namespace_id', '=', namespace)
          .where('settled', '=', 0)
          .execute(),
      );
    };
    const settleMonths = async () => {
      const { db, queue } = server.running.services;
      await db.write((trx) => queue.enqueue(trx, 'recurring.runner-minutes.settle', null));
      await drainQueue();
    };
    const shown = async (namespace: number, token?: string) => {
      const entity = await server.must(`GET /namespaces/${namespace}`, { ...(token && { token }) });
      return [
        entity.shared_runners_minutes_limit,
        entity.extra_shared_runners_minutes_limit,
        entity.ci_minutes_usage && Object.values(entity.ci_minutes_usage),
      ];
    };

    it('are shown to owners of the namespace, and extra minutes are deducted once', async () => {
      const { top, project } = await addPlace({
        shared_runners_minutes_limit: 2,
        extra_shared_runners_minutes_limit: 10,
      });
      await runFor(5 * 60);
      assert.deepEqual(await shown(top), [2, 10, [5, 2, 3]]);
      const browser = new Browser(server);
      await browser.signIn('root', rootPassword);
      const page = await browser.page(`/groups/team-${count}/-/usage_quotas`);
      assert.match(page, /2 of 2 minutes used this month.*3 of 10 extra minutes used/s);
      assert.match(await browser.page('/-/profile/usage_quotas'), /\d+ minutes used this month/);
      await settleMonths();
      assert.deepEqual(await shown(top), [2, 10, [5, 2, 3]]);
      await monthsAgo(top, 2);
      await settleMonths();
      assert.deepEqual(await shown(top), [2, 7, [0, 0, 0]]);
      await settleMonths();
      assert.deepEqual(await shown(top), [2, 7, [0, 0, 0]]);
      // Usage recorded late counts on top of the settled usage of that month.
      await startPipeline(project);
      await runFor(60);
      await monthsAgo(top, 2);
      await settleMonths();
      assert.deepEqual(await shown(top), [2, 6, [0, 0, 0]]);
      await startPipeline(project);
      await runFor(60);
      await monthsAgo(top, 1);
      await settleMonths();
      assert.deepEqual(await shown(top), [2, 6, [0, 0, 0]]);
      const maintainer = await addUser(server, 'looker');
      await server.must(`POST /groups/${top}/members`, { json: { user_id: maintainer.id, access_level: 40 } });
      assert.deepEqual(await shown(top, maintainer.token), [undefined, undefined, undefined]);
      const maintainerBrowser = new Browser(server);
      await maintainerBrowser.signIn(maintainer.username, 'long enough 4 you');
      assert.equal((await maintainerBrowser.open(`/groups/team-${count}/-/usage_quotas`)).status, 404);
      await server.must(`PUT /groups/${top}/members/${maintainer.id}`, { json: { access_level: 50 } });
      assert.deepEqual(await shown(top, maintainer.token), [2, 6, [0, 0, 0]]);
    });

    it('of users are deducted as well', async () => {
      const { id: userId, token } = await addUser(server, 'digger');
      await server.must(`PUT /users/${userId}`, {
        json: { shared_runners_minutes_limit: 1, extra_shared_runners_minutes_limit: 3 },
      });
      const project = await server.must('POST /projects', { token, json: { name: 'mine' } });
      await server.must(`POST /projects/${project.id}/repository/files/.gitlab-ci.yml`, {
        json: { branch: 'main', content: 'dig: { script: make }\n', commit_message: 'Dig' },
      });
      await drainQueue();
      await runFor(30 * 60);
      const { id } = project.namespace;
      assert.deepEqual(await shown(id, token), [1, 3, [30, 1, 29]]);
      await monthsAgo(id, 1);
      await settleMonths();
      assert.deepEqual(await shown(id, token), [1, 0, [0, 0, 0]]);
    });

    it('fail running jobs that exceed the grace period', async () => {
      const { project } = await addPlace({ shared_runners_minutes_limit: 60 });
      const job = await shared.take();
      const runCheckAfter = async (minutes: number) => {
        const { db, queue } = server.running.services;
        await db.write(async (trx) => {
          const started_at = Date.now() - minutes * 60_000;
          await trx.updateTable('ci_jobs').set({ started_at, timeout: 864_000 }).where('id', '=', job.id).execute();
          await queue.enqueue(trx, 'recurring.runner-minutes.end', null);
        });
        await drainQueue();
        return (await jobsOf(project))[0];
      };
      assert.deepEqual(await runCheckAfter(1059), ['running', undefined]);
      assert.deepEqual(await runCheckAfter(1061), ['failed', 'ci_quota_exceeded']);
      const { status, headers } = await shared.report(job, { state: 'success' });
      assert.deepEqual([status, headers.get('job-status')], [403, 'failed']);
    });
  });
});
