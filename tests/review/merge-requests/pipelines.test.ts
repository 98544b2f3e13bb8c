import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { setImmediate as immediate } from 'node:timers/promises';
import { requestById } from '../../../src/review/merge-requests/store.ts';
import { forEachEngine } from '../../support/engines.ts';
import { withCredentials } from '../../support/git-client.ts';
import { type ReviewScene, reviewScene } from '../../support/merge-requests.ts';
import type { Person } from '../../support/scene.ts';

const config = `
build: { script: [make] }
review: { script: [make], rules: [{ if: '$CI_PIPELINE_SOURCE == "merge_request_event"' }] }
`;

forEachEngine((engine) => {
  describe('merge request pipelines', () => {
    let scene: ReviewScene;

    const settle = () => scene.server.running.services.queue.drain();
    const get = async (path: string) => (await scene.api(scene.owner, `GET ${scene.base}/${path}`)).body;

    /** Marks the head pipeline as successful. */
    const succeed = async (id: number) => {
      const { db, running } = scene.server;
      const row = await db.read
        .selectFrom('merge_requests')
        .select('head_pipeline_id')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      await db.write(async (trx) => {
        const pipeline = await trx
          .updateTable('pipelines')
          .set({ status: 'success' })
          .where('id', '=', row.head_pipeline_id)
          .returningAll()
          .executeTakeFirstOrThrow();
        await running.services.announce(trx, 'pipeline.changed', { pipeline, before: 'running' });
      });
    };

    before(async () => {
      scene = await reviewScene(engine);
      await scene.branch('plain', 'x.txt', 'x');
      await scene.git.git('checkout', '-q', '-b', 'built', 'main');
      await scene.git.commit({ '.gitlab-ci.yml': config, 'y.txt': 'y' }, 'Build it');
      await scene.push(scene.developer, 'built');
      await settle();
    });

    it('are created when a merge request is opened, if configured', async () => {
      const made = await scene.open(scene.developer, 'built');
      await settle();
      const read = await get(`${made.iid}`);
      assert.equal(read.head_pipeline.source, 'merge_request_event');
      assert.deepEqual(
        [read.head_pipeline.ref, read.head_pipeline.sha],
        [`refs/merge-requests/${made.iid}/head`, made.sha],
      );
      assert.equal(read.pipeline.id, read.head_pipeline.id);
      const list = await get(`${made.iid}/pipelines`);
      assert.deepEqual(
        list.map((pipeline: { source: string }) => pipeline.source),
        ['merge_request_event', 'push'],
      );
      const found = async (ref: string) =>
        (
          await scene.api(scene.owner, `GET /projects/${scene.project.id}/pipelines?ref=${encodeURIComponent(ref)}`)
        ).body.map((pipeline: { source: string }) => pipeline.source);
      assert.deepEqual(await found('built'), ['merge_request_event', 'push']);
      assert.deepEqual(await found(`refs/merge-requests/${made.iid}/head`), ['merge_request_event']);
      assert.deepEqual(await found('plain'), []);
      const jobs = await scene.api(
        scene.owner,
        `GET /projects/${scene.project.id}/pipelines/${read.head_pipeline.id}/jobs`,
      );
      assert.deepEqual(
        jobs.body.map((job: { name: string }) => job.name),
        ['review'],
      );
    });

    it('can be created on request', async () => {
      const { developer, reporter, base } = scene;
      const [{ iid }] = (await scene.api(scene.owner, `GET ${scene.base}?source_branch=built`)).body;
      const { status, body } = await scene.api(developer, `POST ${base}/${iid}/pipelines`);
      assert.deepEqual([status, body.status, body.source], [201, 'created', 'merge_request_event']);
      const listed = async () => (await scene.api(developer, `GET ${base}/${iid}/pipelines`)).body.length;
      const before = await listed();
      const later = await scene.api(developer, `POST ${base}/${iid}/pipelines?async=true`);
      assert.deepEqual([later.status, later.text], [202, '']);
      await scene.server.running.services.queue.drain();
      assert.equal(await listed(), before + 1);
      assert.equal((await scene.api(reporter, `POST ${base}/${iid}/pipelines?async=true`)).status, 403);
      assert.equal((await scene.api(reporter, `POST ${base}/${iid}/pipelines`)).status, 403);
      assert.equal((await scene.api(null, `POST ${base}/${iid}/pipelines`)).status, 401);
      await scene.server.must(`POST ${base}/${iid}/notes`, { token: developer.token, json: { body: '/run_pipeline' } });
      await settle();
      assert.equal(await listed(), before + 2);
      const plain = await scene.open(developer, 'plain');
      const none = await scene.api(developer, `POST ${base}/${plain.iid}/pipelines`);
      assert.deepEqual([none.status, none.body], [400, { message: { base: ['Missing CI config file'] } }]);
      const missing = await scene.open(developer, 'missing');
      assert.equal((await scene.api(developer, `POST ${base}/${missing.iid}/pipelines`)).status, 405);
      assert.equal((await scene.api(developer, `POST ${base}/${missing.iid}/pipelines?async=true`)).status, 405);
    });

    describe('from a fork', () => {
      let fork: { id: number; path_with_namespace: string };
      let iid: number;
      const allow = (ci_allow_fork_pipelines_to_run_in_parent_project: boolean) =>
        scene.server.must(`PUT /projects/${scene.project.id}`, {
          token: scene.owner.token,
          json: { ci_allow_fork_pipelines_to_run_in_parent_project },
        });
      const start = async (person: Person) => {
        const { status, body } = await scene.api(person, `POST ${scene.base}/${iid}/pipelines`);
        return status === 201 ? [status, body.project_id, body.ref] : [status];
      };

      before(async () => {
        const { server, outsider, project, git } = scene;
        fork = await server.must(`POST /projects/${project.id}/fork`, { token: outsider.token });
        await settle();
        await git.git('checkout', '-q', '-B', 'afar', 'main');
        await git.commit({ '.gitlab-ci.yml': config, 'z.txt': 'z' }, 'From afar');
        await git.git(
          'push',
          '-q',
          withCredentials(server.url, fork.path_with_namespace, outsider.user.username, outsider.token),
          'afar',
        );
        const json = { source_branch: 'afar', target_branch: 'main', title: 'Afar', target_project_id: project.id };
        const made = await server.must(`POST /projects/${fork.id}/merge_requests`, { token: outsider.token, json });
        iid = made.iid;
        await settle();
      });

      it('run in the fork if started by its members', async () => {
        const { head_pipeline } = await get(`${iid}`);
        assert.deepEqual(
          [head_pipeline.project_id, head_pipeline.source, head_pipeline.ref],
          [fork.id, 'merge_request_event', 'afar'],
        );
        const jobs = await scene.api(
          scene.outsider,
          `GET /projects/${fork.id}/pipelines/${head_pipeline.id}/jobs?scope[]=pending`,
        );
        assert.deepEqual(
          jobs.body.map(({ name, ref }: { name: string; ref: string }) => [name, ref]),
          [['review', 'afar']],
        );
        assert.deepEqual(await start(scene.outsider), [201, fork.id, 'afar']);
        assert.deepEqual(await start(scene.reporter), [403]);
      });

      it('run in the target project if started by its members and allowed for forks', async () => {
        assert.deepEqual(await start(scene.developer), [201, scene.project.id, `refs/merge-requests/${iid}/head`]);
        await allow(false);
        assert.deepEqual(await start(scene.developer), [403]);
        assert.deepEqual(await start(scene.outsider), [201, fork.id, 'afar']);
        await allow(true);
      });
    });

    it('stay head pipelines after retargeting until there is a new one', async () => {
      const { owner, base, server } = scene;
      await scene.branch('elsewhere', 'z.txt', 'z');
      await scene.git.git('checkout', '-q', '-B', 'turning', 'main');
      const only = 'only: { script: [make], rules: [{ if: \'$CI_PIPELINE_SOURCE == "merge_request_event"\' }] }\n';
      await scene.git.commit({ '.gitlab-ci.yml': only }, 'Build for merge requests alone');
      await scene.push(scene.developer, 'turning');
      const { iid } = await scene.open(scene.developer, 'turning');
      await settle();
      const first = (await get(`${iid}`)).head_pipeline.id;
      await server.undisturbed(async () => {
        const changed = await scene.api(owner, `PUT ${base}/${iid}`, { json: { target_branch: 'elsewhere' } });
        assert.deepEqual([changed.status, changed.body.head_pipeline?.id], [200, first]);
        // It is still running, and auto-merge waits for it.
        const set = await scene.api(owner, `PUT ${base}/${iid}/merge`, { json: { auto_merge: true } });
        assert.deepEqual([set.body.state, set.body.merge_when_pipeline_succeeds], ['opened', true]);
      });
      await settle();
      const read = await get(`${iid}`);
      assert.equal(read.state, 'opened');
      assert.ok(read.head_pipeline.id > first, 'a new pipeline for the new target');
      assert.equal((await get(`${iid}/pipelines`)).length, 2);
    });

    it('block auto-merge until they have finished', async () => {
      const { owner, base } = scene;
      const [{ iid, id }] = (await scene.api(scene.owner, `GET ${scene.base}?source_branch=built`)).body;
      const merge = (json: Record<string, unknown>) => scene.api(owner, `PUT ${base}/${iid}/merge`, { json });
      const set = await merge({ merge_when_pipeline_succeeds: true });
      assert.deepEqual([set.status, set.body.state, set.body.merge_when_pipeline_succeeds], [200, 'opened', true]);
      assert.equal(set.body.detailed_merge_status, 'ci_still_running');
      await succeed(id);
      await settle();
      assert.equal((await get(`${iid}`)).state, 'merged');
    });

    it('block auto-merge before they are created, if the project has pipelines', async () => {
      const { owner, base, git, push, server, project } = scene;
      await git.git('fetch', '-q', `${server.url}/${owner.user.username}/${project.path}.git`, 'main');
      await git.git('checkout', '-q', '-B', 'asked', 'FETCH_HEAD');
      const onlyAsked = 'build: { script: [make], rules: [{ if: \'$ASKED == "yes"\' }] }\n';
      await git.commit({ '.gitlab-ci.yml': onlyAsked }, 'Build what is asked for');
      await push(owner, 'asked:main');
      const open = async (branch: string, title: string) => {
        await git.git('checkout', '-q', '-B', branch, 'asked');
        await git.commit({ [`${branch}.txt`]: branch }, branch);
        await push(owner, branch);
        const made = await scene.open(owner, branch, { title });
        await settle();
        return made;
      };
      const merge = (iid: number) => scene.api(owner, `PUT ${base}/${iid}/merge`, { json: { auto_merge: true } });

      const first = await open('waits', 'Draft: waits');
      const set = await merge(first.iid);
      assert.deepEqual([set.status, set.body.merge_when_pipeline_succeeds], [200, true]);
      await scene.api(owner, `PUT ${base}/${first.iid}`, { json: { title: 'Waits' } });
      await settle();
      const waiting = await get(`${first.iid}`);
      assert.deepEqual(
        [waiting.state, waiting.detailed_merge_status, waiting.head_pipeline],
        ['opened', 'ci_must_pass', null],
      );
      const variables = [{ key: 'ASKED', value: 'yes' }];
      const started = await scene.api(owner, `POST /projects/${project.id}/pipeline`, {
        json: { ref: 'waits', variables },
      });
      assert.equal(started.status, 201);
      await settle();
      assert.equal((await get(`${first.iid}`)).detailed_merge_status, 'ci_still_running');
      await succeed(first.id);
      await settle();
      assert.equal((await get(`${first.iid}`)).state, 'merged');

      const second = await open('being-made', 'Being made');
      const { queue } = server.running.services;
      const dedupeKey = `${second.id} ${second.sha}`;
      const payload = { id: second.id, userId: owner.user.id, head: second.sha };
      const runAt = Date.now() + 3_600_000;
      await server.db.write((trx) => queue.enqueue(trx, 'merge-requests.pipeline', payload, { dedupeKey, runAt }));
      const requested = await merge(second.iid);
      assert.deepEqual(
        [requested.status, requested.body.state, requested.body.detailed_merge_status],
        [200, 'opened', 'ci_still_running'],
      );
      assert.equal(await server.db.write((trx) => queue.withdraw(trx, 'merge-requests.pipeline', dedupeKey)), true);
      await settle();
      const without = await get(`${second.iid}`);
      assert.deepEqual([without.state, without.detailed_merge_status], ['opened', 'ci_must_pass']);

      const askedAt = async () => {
        const row = await requestById(server.db.read, second.id);
        return JSON.parse(row?.merge_params ?? '{}').at as number;
      };
      const lastLook = async () => `${second.id} without ${second.sha} since ${await askedAt()}`;
      const look = async (since: number) => {
        const job = { id: second.id, awaited: second.sha, since };
        await server.db.write((trx) => queue.enqueue(trx, 'merge-requests.auto-merge', job));
        await settle();
      };
      await scene.api(owner, `PUT ${base}/${second.iid}`, { json: { description: 'Looked at again' } });
      await settle();
      const firstLook = await lastLook();
      assert.deepEqual([...(await queue.underWay('merge-requests.auto-merge', [firstLook]))], [firstLook]);
      const before = await askedAt();
      // Canceling and enabling auto-merge again restarts the whole period.
      await scene.api(owner, `POST ${base}/${second.iid}/cancel_merge_when_pipeline_succeeds`);
      await scene.api(owner, `PUT ${base}/${second.iid}`, { json: { title: 'Draft: Being made' } });
      while (Date.now() === before) await immediate();
      assert.equal((await merge(second.iid)).status, 200);
      await scene.api(owner, `PUT ${base}/${second.iid}`, { json: { title: 'Being made' } });
      await settle();
      const again = await lastLook();
      assert.notEqual(again, firstLook);
      assert.deepEqual([...(await queue.underWay('merge-requests.auto-merge', [again]))], [again]);
      await look(before);
      assert.equal((await get(`${second.iid}`)).merge_when_pipeline_succeeds, true);
      await look(await askedAt());
      const ended = await get(`${second.iid}`);
      assert.deepEqual(
        [ended.state, ended.merge_when_pipeline_succeeds, ended.detailed_merge_status],
        ['opened', false, 'mergeable'],
      );
      const bodies = (await get(`${second.iid}/notes`)).map((note: { body: string }) => note.body);
      assert.ok(bodies.includes(`aborted the automatic merge because no pipeline ran for ${second.sha}`));
    });

    it('of a fork are listed for users who can read them there', async () => {
      const { server, outsider, reporter, project, git } = scene;
      const fork = await server.must(`POST /projects/${project.id}/fork`, {
        token: outsider.token,
        json: { visibility: 'private', path: 'hidden-fork', name: 'Hidden fork' },
      });
      await settle();
      await git.git('checkout', '-q', '-B', 'forked', 'main');
      await git.commit({ '.gitlab-ci.yml': 'build: { script: [make] }', 'f.txt': 'f' }, 'Build the fork');
      const url = withCredentials(server.url, fork.path_with_namespace, outsider.user.username, outsider.token);
      await git.git('push', '-q', url, 'forked');
      await settle();
      const json = { source_branch: 'forked', target_branch: 'main', title: 'Fork', target_project_id: project.id };
      const made = await server.must(`POST /projects/${fork.id}/merge_requests`, { token: outsider.token, json });
      await settle();
      const listed = async (person: Person) => {
        const { status, body } = await scene.api(person, `GET ${scene.base}/${made.iid}/pipelines`);
        assert.equal(status, 200);
        return body.map(({ project_id }: { project_id: number }) => project_id);
      };
      assert.deepEqual(await listed(outsider), [fork.id]);
      assert.deepEqual(await listed(reporter), []);
    });
  });
});
