import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { RunnerClient } from '../../ci/runner-client.ts';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { assertGolden } from './golden.ts';
import { type Receiver, startReceiver } from './receiver.ts';

type HookPayload = { readonly object_kind?: string; readonly event_name?: string; readonly [name: string]: unknown };

forEachEngine((engine) => {
  describe('details of webhook payloads', () => {
    let server: TestServer;
    let receiver: Receiver;
    let maker: { id: number; username: string; token: string };
    let project: { id: number; path_with_namespace: string; web_url: string };

    before(async () => {
      server = await startTestServer(engine, ['--allow-local-egress']);
      receiver = await startReceiver();
      maker = await addUser(server, 'maker');
      project = await server.must('POST /projects', { token: maker.token, json: { name: 'Project' } });
      const names = ['issues', 'note', 'pipeline', 'job', 'merge_requests'];
      const events = Object.fromEntries(names.map((name) => [`${name}_events`, true]));
      await server.must(`POST /projects/${project.id}/hooks`, { json: { url: `${receiver.url}/all`, ...events } });
      await server.must('POST /hooks', { json: { url: `${receiver.url}/system` } });
    });

    const as = (json: object) => ({ token: maker.token, json });
    const told = (test: (body: HookPayload & { object_attributes: Record<string, unknown> }) => boolean, at = '/all') =>
      receiver.waitFor(at, test as (body: object) => boolean);

    it('include the first file in notes on snippets', async () => {
      const files = [{ file_path: 'hello.txt', content: 'Hello\n' }];
      const snippet = await server.must(
        `POST /projects/${project.id}/snippets`,
        as({ title: 'Greeting', description: 'Polite', visibility: 'private', files }),
      );
      await server.must(`POST /projects/${project.id}/snippets/${snippet.id}/notes`, as({ body: 'Nice' }));
      const { body } = await told(({ snippet: about }) => about !== undefined);
      assertGolden('note-on-snippet', body, server.url);
    });

    it('include the URL in notes on wiki pages', async () => {
      const wiki = `/projects/${project.id}/wikis`;
      const page = await server.must(`POST ${wiki}`, as({ title: 'How to', content: 'So' }));
      const notes = `/projects/${project.id}/wiki_pages/${page.wiki_page_meta_id}/notes`;
      const { id } = await server.must(`POST ${notes}`, as({ body: 'Why so?' }));
      const { body } = await told(({ object_attributes: { noteable_type: type } }) => type === 'WikiPage::Meta');
      const { noteable_id, note, url } = body.object_attributes;
      assert.deepEqual([noteable_id, note], [page.wiki_page_meta_id, 'Why so?']);
      assert.match(url, new RegExp(`/-/wikis/How-to#note_${id}$`));
    });

    it('include time changes and the first assignee', async () => {
      const issue = await server.must(
        `POST /projects/${project.id}/issues`,
        as({ title: 'Slow', assignee_ids: [maker.id] }),
      );
      const opened = await told(({ object_attributes }) => object_attributes.action === 'open');
      assert.equal(opened.body.assignee.id, maker.id);
      await server.must(`POST /projects/${project.id}/issues/${issue.iid}/add_spent_time?duration=1h30m`, {
        token: maker.token,
      });
      const { body } = await told(({ object_attributes }) => object_attributes.total_time_spent === 5400);
      const { time_change, human_time_change } = body.object_attributes;
      assert.deepEqual([time_change, human_time_change], [5400, '1h 30m']);
      assert.deepEqual(body.changes.time_change, { previous: 0, current: 5400 });
      assert.equal(opened.body.changes.time_change, undefined);
    });

    it('include merge request, environments and source pipeline of pipelines', async () => {
      const config = `
workflow: { rules: [{ if: $CI_PIPELINE_SOURCE == "merge_request_event" }, { if: $CI_PIPELINE_SOURCE == "parent_pipeline" }] }
ship:
  script: [make]
  environment: { name: review/one, action: start, deployment_tier: testing }
below:
  trigger: { include: child.yml }
`;
      const actions = [
        { action: 'create', file_path: '.gitlab-ci.yml', content: config },
        {
          action: 'create',
          file_path: 'child.yml',
          content: 'inner: { script: [make], rules: [{ if: $CI_PIPELINE_SOURCE == "parent_pipeline" }] }\n',
        },
      ];
      const at = `/projects/${project.id}`;
      await server.must(`POST ${at}/repository/commits`, as({ branch: 'main', commit_message: 'CI', actions }));
      const more = [{ action: 'create', file_path: 'more.txt', content: 'more' }];
      await server.must(
        `POST ${at}/repository/commits`,
        as({ branch: 'topic', start_branch: 'main', commit_message: 'More', actions: more }),
      );
      const request = await server.must(
        `POST ${at}/merge_requests`,
        as({ source_branch: 'topic', target_branch: 'main', title: 'Take it' }),
      );
      const opened = await told((body) => body.object_kind === 'merge_request');
      const { blocking_discussions_resolved, first_contribution } = opened.body.object_attributes;
      assert.deepEqual([blocking_discussions_resolved, first_contribution], [true, true]);
      const pipeline = await told((body) => body.object_kind === 'pipeline' && body.merge_request !== null);
      const { merge_status: _status, detailed_merge_status: _detailed, ...about } = pipeline.body.merge_request;
      assert.deepEqual(about, {
        id: request.id,
        iid: request.iid,
        title: 'Take it',
        source_branch: 'topic',
        source_project_id: project.id,
        target_branch: 'main',
        target_project_id: project.id,
        state: 'opened',
        url: `${project.web_url}/-/merge_requests/${request.iid}`,
      });
      const environment = { name: 'review/one', action: 'start', deployment_tier: 'testing' };
      const [ship] = pipeline.body.builds;
      assert.deepEqual([ship.name, ship.environment], ['ship', environment]);
      const job = await told((body) => body.object_kind === 'build' && body.build_name === 'ship');
      assert.deepEqual(job.body.environment, environment);
      const inner = await told((body) => body.object_kind === 'build' && body.build_name === 'inner');
      const { id, path_with_namespace, web_url } = project;
      const { source_pipeline: source } = inner.body;
      assert.deepEqual(source.project, { id, path_with_namespace, web_url });
      assert.equal(source.pipeline_id, pipeline.body.object_attributes.id);
      const bridges = await server.must(`GET ${at}/pipelines/${source.pipeline_id}/bridges`);
      assert.equal(source.job_id, bridges[0].id);
      const child = await told(({ object_kind, source_pipeline }) => object_kind === 'pipeline' && !!source_pipeline);
      assert.deepEqual(child.body.source_pipeline, source);
    });

    it('report each status of a job from its creation on, also of a new attempt, and nothing of trigger jobs', async () => {
      const other = await server.must('POST /projects', as({ name: 'Statuses' }));
      const at = `/projects/${other.id}`;
      const url = `${receiver.url}/statuses`;
      await server.must(`POST ${at}/hooks`, as({ url, push_events: false, job_events: true }));
      const runner = await RunnerClient.create(server, { runner_type: 'project_type', project_id: other.id });
      const content = `
build: { stage: build, script: [make] }
below: { stage: deploy, trigger: { include: child.yml } }
`;
      const file = { file_path: '.gitlab-ci.yml', action: 'create', content };
      const commit = { branch: 'main', commit_message: 'CI', actions: [file] };
      await server.must(`POST ${at}/repository/commits`, as(commit));
      await server.running.services.queue.drain();
      const build = await runner.take();
      await runner.report(build, { state: 'failed', failure_reason: 'script_failure' });
      const retried = await server.must(`POST ${at}/jobs/${build.id}/retry`, as({}));
      const statusesOf = (id: number) =>
        receiver
          .at('/statuses')
          .filter(({ body }) => body.build_id === id)
          .map(({ body }) => body.build_status)
          .sort();
      await until(() => statusesOf(build.id).length >= 4 && statusesOf(retried.id).length >= 2);
      assert.deepEqual(statusesOf(build.id), ['created', 'failed', 'pending', 'running']);
      assert.deepEqual(statusesOf(retried.id), ['created', 'pending']);
      const created = receiver.at('/statuses').filter(({ body }) => body.build_status === 'created');
      const shown = created.map(({ body }) => [body.build_name, body.retries_count, body.build_started_at]);
      assert.deepEqual(shown.sort(), [
        ['build', 0, null],
        ['build', 1, null],
      ]);
    });

    it('name denied access requests differently for system and group hooks', async () => {
      const group = await server.must('POST /groups', { json: { name: 'Open', path: 'open', visibility: 'public' } });
      const hook = { url: `${receiver.url}/group`, push_events: false, member_events: true };
      await server.must(`POST /groups/${group.id}/hooks`, { json: hook });
      await server.must(`POST /groups/${group.id}/access_requests`, { token: maker.token });
      await server.must(`DELETE /groups/${group.id}/access_requests/${maker.id}`);
      const named = (name: string) => (body: HookPayload) => body.event_name === name;
      for (const [at, name] of [
        ['/group', 'user_access_request_to_group'],
        ['/group', 'user_access_request_denied_for_group'],
        ['/system', 'user_access_request_to_group'],
        ['/system', 'user_access_request_revoked_for_group'],
      ] as const) {
        assert.equal((await told(named(name), at)).body.user_id, maker.id, name);
      }
    });

    it('report failed sign-ins of blocked users only', async () => {
      const tries = async (username: string) => {
        const authorization = `Basic ${Buffer.from(`${username}:wrong-password`).toString('base64')}`;
        const url = `${server.url}/${project.path_with_namespace}.git/info/refs?service=git-upload-pack`;
        return (await fetch(url, { headers: { authorization } })).status;
      };
      const blocked = await addUser(server, 'blocked');
      await server.must(`POST /users/${blocked.id}/block`);
      assert.equal(await tries(maker.username), 401);
      assert.equal(await tries(blocked.username), 401);
      const failed = (body: HookPayload) => body.event_name === 'user_failed_login';
      const { body } = await told(failed, '/system');
      assert.deepEqual([body.user_id, body.username, body.state], [blocked.id, blocked.username, 'blocked']);
      assert.equal(receiver.at('/system').filter(({ body: each }) => failed(each)).length, 1);
    });

    it('distinguish the final approval from others', async () => {
      const other = await addUser(server, 'approver');
      const at = `/projects/${project.id}`;
      await server.must(`POST ${at}/members`, as({ user_id: other.id, access_level: 40 }));
      const start = {
        branch: 'main',
        commit_message: 'Begin',
        actions: [{ action: 'create', file_path: 'a', content: 'a' }],
      };
      await server.must(`POST ${at}/repository/commits`, as(start));
      const actions = [{ action: 'create', file_path: 'b', content: 'b' }];
      const change = { branch: 'approved', start_branch: 'main', commit_message: 'More', actions };
      await server.must(`POST ${at}/repository/commits`, as(change));
      const branches = { source_branch: 'approved', target_branch: 'main', title: 'Approved by two' };
      const { iid } = await server.must(`POST ${at}/merge_requests`, as({ ...branches, approvals_before_merge: 2 }));
      const say = (token: string, word: string) =>
        server.must(`POST ${at}/merge_requests/${iid}/${word}`, { token, json: {} });
      const tells = (action: string) => told(({ object_attributes: { action: said } = {} }) => said === action);
      await say(maker.token, 'approve');
      await tells('approval');
      await say(other.token, 'approve');
      await tells('approved');
      await say(maker.token, 'unapprove');
      await tells('unapproved');
      await say(other.token, 'unapprove');
      await tells('unapproval');
    });

    it('tell which approvals a push has reset, and the rules that they counted for', async () => {
      const own = await server.must('POST /projects', as({ name: 'Guarded' }));
      const at = `/projects/${own.id}`;
      const [guard, other] = [await addUser(server, 'guard'), await addUser(server, 'other')];
      for (const { id } of [guard, other]) {
        await server.must(`POST ${at}/members`, as({ user_id: id, access_level: 40 }));
      }
      const put = (branch: string, path: string, content: string, more: object = {}) => {
        const actions = [{ action: 'create', file_path: path, content }];
        return server.must(`POST ${at}/repository/commits`, as({ branch, commit_message: path, actions, ...more }));
      };
      await put('main', 'CODEOWNERS', `*.md @${guard.username}\n`);
      await put('guarded', 'one.md', 'one', { start_branch: 'main' });
      const rule = await server.must(
        `POST ${at}/approval_rules`,
        as({ name: 'Guards', approvals_required: 1, user_ids: [guard.id] }),
      );
      const url = `${receiver.url}/resets`;
      await server.must(
        `POST ${at}/hooks`,
        as({ url, push_events: false, merge_requests_events: true, note_events: true }),
      );
      const branches = { source_branch: 'guarded', target_branch: 'main', title: 'Guarded' };
      const { iid } = await server.must(`POST ${at}/merge_requests`, as(branches));
      const approve = ({ token }: { token: string }) =>
        server.must(`POST ${at}/merge_requests/${iid}/approve`, { token, json: {} });
      const resets = () =>
        receiver.at('/resets').flatMap(({ body: { object_attributes: of, user } }) => {
          return of.system ? [{ action: of.action, why: of.system_action, by: user.id }] : [];
        });
      const pushed = async (path: string) => {
        const { id: sha } = await put('guarded', path, path);
        await receiver.waitFor('/resets', ({ object_attributes: { action, last_commit: commit } }) => {
          return action === 'update' && commit.id === sha;
        });
        await server.running.services.queue.drain();
        return resets();
      };
      await server.running.services.queue.drain();
      const all = 'approvals_reset_on_push';
      assert.deepEqual(await pushed('nobody-approved.txt'), []);
      await approve(guard);
      assert.deepEqual(await pushed('a.txt'), [{ action: 'unapproved', why: all, by: maker.id }]);
      await approve(other);
      assert.deepEqual((await pushed('b.txt')).slice(1), [{ action: 'unapproval', why: all, by: maker.id }]);
      const selective = { reset_approvals_on_push: false, selective_code_owner_removals: true };
      await server.must(`POST ${at}/approvals`, as(selective));
      await approve(guard);
      await approve(other);
      assert.equal((await pushed('c.txt')).length, 2, 'nobody owns the file');
      const why = 'code_owner_approvals_reset_on_push';
      assert.deepEqual((await pushed('two.md')).slice(2), [{ action: 'unapproved', why, by: maker.id }]);
      const { body } = await receiver.waitFor('/resets', ({ object_attributes: of }) => of.system_action === why);
      const listed: Record<string, unknown>[] = body.object_attributes.approval_rules;
      const { created_at, updated_at, ...shown } = listed.find(({ name }) => name === 'Guards') ?? {};
      assert.match(`${created_at} ${updated_at}`, /^(\S+ \S+ UTC ?){2}$/);
      const request = await server.must(`GET ${at}/merge_requests/${iid}`, { token: maker.token });
      assert.deepEqual(shown, {
        id: rule.id,
        approvals_required: 1,
        name: 'Guards',
        rule_type: 'regular',
        report_type: null,
        merge_request_id: request.id,
        section: null,
        modified_from_project_rule: false,
        project_id: own.id,
      });
      await server.must(`POST ${at}/merge_requests/${iid}/notes`, as({ body: 'Again' }));
      const note = await receiver.waitFor('/resets', ({ object_kind: kind }) => kind === 'note');
      const noted: { name: string }[] = note.body.merge_request.approval_rules;
      assert.deepEqual(noted.map(({ name }) => name).sort(), ['*.md', 'Guards']);
    });
  });
});
