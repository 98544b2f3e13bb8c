import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { announceExpiring } from '../../../src/people/tokens/expiring.ts';
import { sshKeys } from '../../people/keys/specimens.ts';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { assertGolden } from './golden.ts';
import { type Received, type Receiver, startReceiver } from './receiver.ts';

forEachEngine((engine) => {
  describe('webhook payloads', () => {
    let server: TestServer;
    let receiver: Receiver;
    let maker: { id: number; username: string; token: string };
    let group: { id: number };
    let project: { id: number };
    const kinds = [
      'push',
      'tag_push',
      'issues',
      'confidential_issues',
      'note',
      'pipeline',
      'job',
      'releases',
      'milestone',
      'merge_requests',
      'emoji',
      'wiki_page',
      'deployment',
      'resource_access_token',
    ] as const;

    before(async () => {
      server = await startTestServer(engine, ['--allow-local-egress']);
      receiver = await startReceiver();
      maker = await addUser(server, 'maker');
      group = await server.must('POST /groups', { json: { name: 'Group', path: 'group' } });
      await server.must(`POST /groups/${group.id}/members`, { json: { user_id: maker.id, access_level: 50 } });
      project = await server.must('POST /projects', { json: { name: 'Project', namespace_id: group.id } });
      for (const kind of kinds) {
        const off = kind === 'push' ? {} : { push_events: false };
        const json = { url: `${receiver.url}/${kind}`, token: 'hush', ...off, [`${kind}_events`]: true };
        await server.must(`POST /projects/${project.id}/hooks`, { json });
      }
      const ofGroup = { push_events: false, member_events: true, subgroup_events: true, project_events: true };
      await server.must(`POST /groups/${group.id}/hooks`, { json: { url: `${receiver.url}/group`, ...ofGroup } });
      await server.must('POST /hooks', { json: { url: `${receiver.url}/system`, push_events: true } });
    });

    const as = (json: object) => ({ token: maker.token, json });
    const golden = (name: string, received: Received | undefined) => assertGolden(name, received?.body, server.url);

    it('are sent for pushes, with both header prefixes', async () => {
      const actions = [
        { action: 'create', file_path: 'a.txt', content: 'one' },
        { action: 'create', file_path: 'b/c.txt', content: 'two' },
      ];
      const commit = {
        branch: 'main',
        commit_message: 'First\n\nWith more.',
        author_name: 'A',
        author_email: 'a@b.example',
      };
      await server.must(`POST /projects/${project.id}/repository/commits`, as({ ...commit, actions }));
      const [pushed] = await receiver.arrived('/push');
      golden('push', pushed);
      const headers = pushed?.headers ?? {};
      assert.equal(headers['x-gitlab-event'], 'Push Hook');
      assert.equal(headers['x-service-event'], 'Push Hook');
      assert.equal(headers['x-gitlab-token'], 'hush');
      assert.equal(headers['x-gitlab-instance'], server.url);
      assert.match(`${headers['user-agent']}`, /^GitLab\/\d+\.\d+\.\d+$/);
      assert.match(`${headers['idempotency-key']} ${headers['x-gitlab-event-uuid']}`, /^[0-9a-f-]{36} [0-9a-f-]{36}$/);

      await server.must(
        `POST /projects/${project.id}/repository/tags`,
        as({ tag_name: 'v1', ref: 'main', message: 'One' }),
      );
      golden('tag-push', (await receiver.arrived('/tag_push'))[0]);
      await server.must(
        `POST /projects/${project.id}/releases`,
        as({ tag_name: 'v1', name: 'The first', description: 'New' }),
      );
      golden('release', (await receiver.arrived('/releases'))[0]);
      await server.must(`DELETE /projects/${project.id}/releases/v1`, { token: maker.token });
      assert.equal((await receiver.arrived('/releases', 2))[1]?.body.action, 'delete');
    });

    it('are sent for milestones, but not for mere edits', async () => {
      const path = `/projects/${project.id}/milestones`;
      const { id, iid } = await server.must(`POST ${path}`, as({ title: 'v1', due_date: '2030-01-01' }));
      await server.must(`PUT ${path}/${id}`, as({ description: 'soon' }));
      await server.must(`PUT ${path}/${id}`, as({ state_event: 'close' }));
      const [made, closed] = await receiver.arrived('/milestone', 2);
      assert.deepEqual(
        [made?.body.object_kind, made?.body.event_type, made?.body.action],
        ['milestone', 'milestone', 'create'],
      );
      const { created_at, updated_at, ...attributes } = made?.body.object_attributes ?? {};
      assert.match(`${created_at} ${updated_at}`, /^\S+ \S+ UTC \S+ \S+ UTC$/);
      assert.deepEqual(attributes, {
        id,
        iid,
        title: 'v1',
        description: null,
        state: 'active',
        due_date: '2030-01-01',
        start_date: null,
        group_id: null,
        project_id: project.id,
      });
      assert.deepEqual([closed?.body.action, closed?.body.object_attributes.state], ['close', 'closed']);
      const hooks = await server.must(`GET /projects/${project.id}/hooks?per_page=100`);
      const hook = hooks.find(({ url }: { url: string }) => url.endsWith('/milestone'));
      await server.must(`POST /projects/${project.id}/hooks/${hook.id}/test/milestone_events`);
      assert.equal((await receiver.arrived('/milestone', 3))[2]?.body.object_attributes.id, id);
      await server.must(`DELETE ${path}/${id}`, { token: maker.token });
      const removed = (await receiver.arrived('/milestone', 4))[3]?.body;
      assert.deepEqual([removed?.action, removed?.object_attributes.title], ['delete', 'v1']);
    });

    it('are sent to groups for their milestones', async () => {
      const json = { url: `${receiver.url}/group-milestone`, push_events: false, milestone_events: true };
      const hook = await server.must(`POST /groups/${group.id}/hooks`, { json });
      const path = `/groups/${group.id}/milestones`;
      const { id } = await server.must(`POST ${path}`, as({ title: 'Whole' }));
      await server.must(`PUT ${path}/${id}`, as({ description: 'soon' }));
      await server.must(`PUT ${path}/${id}`, as({ state_event: 'close' }));
      await server.must(`DELETE ${path}/${id}`, { token: maker.token });
      const bodies = (await receiver.arrived('/group-milestone', 3)).map(({ body }) => body);
      assert.deepEqual(
        bodies.map(({ action }) => action),
        ['create', 'close', 'delete'],
      );
      const [made] = bodies;
      assert.equal(made?.project, null);
      const { group_id, project_id } = made?.object_attributes ?? {};
      assert.deepEqual([group_id, project_id], [group.id, null]);
      assert.deepEqual(made?.group, {
        group_name: 'Group',
        group_path: 'group',
        group_id: group.id,
        full_path: 'group',
      });
      await server.must(`DELETE /groups/${group.id}/hooks/${hook.id}`);
    });

    it('are sent for issues, notes and emoji, confidential ones separately', async () => {
      const issues = `/projects/${project.id}/issues`;
      const issue = await server.must(
        `POST ${issues}`,
        as({ title: 'Broken', labels: 'bug', assignee_ids: [maker.id] }),
      );
      const [made] = await receiver.arrived('/issues');
      golden('issue-open', made);
      assert.deepEqual(made?.body.changes.id, { previous: null, current: issue.id });
      assert.deepEqual(made?.body.changes.author_id, { previous: null, current: maker.id });
      await server.must(`PUT ${issues}/${issue.iid}`, as({ state_event: 'close', labels: 'bug,late' }));
      const closed = (await receiver.arrived('/issues', 2))[1]?.body;
      assert.equal(closed.object_attributes.action, 'close');
      assert.deepEqual(closed.changes.state_id, { previous: 1, current: 2 });
      assert.deepEqual(
        closed.changes.labels.current.map((label: { title: string }) => label.title),
        ['bug', 'late'],
      );
      await server.must(`POST ${issues}/${issue.iid}/notes`, as({ body: 'Indeed' }));
      golden('note-on-issue', (await receiver.arrived('/note'))[0]);
      await server.must(`POST ${issues}/${issue.iid}/notes`, as({ body: 'Between us', internal: true }));
      await server.must(`POST ${issues}`, as({ title: 'Hidden', confidential: true }));
      const [hidden] = await receiver.arrived('/confidential_issues');
      assert.equal(hidden?.headers['x-gitlab-event'], 'Confidential Issue Hook');
      assert.equal(hidden?.body.event_type, 'confidential_issue');
      assert.deepEqual(hidden?.body.changes.confidential, { previous: false, current: true });
      assert.equal(receiver.at('/issues').length, 2);
      assert.equal(receiver.at('/note').length, 1);
      await server.must(`POST ${issues}/${issue.iid}/award_emoji`, as({ name: 'thumbsup' }));
      golden('emoji', (await receiver.arrived('/emoji'))[0]);
    });

    it('are sent for merge requests and their notes', async () => {
      const at = `/projects/${project.id}`;
      await server.must(`POST ${at}/repository/branches`, as({ branch: 'topic', ref: 'main' }));
      const file = {
        branch: 'topic',
        commit_message: 'T',
        content: 't',
        author_name: 'A',
        author_email: 'a@b.example',
      };
      await server.must(`POST ${at}/repository/files/topic.txt`, as(file));
      const wanted = { source_branch: 'topic', target_branch: 'main', title: 'Take it', reviewer_ids: [maker.id] };
      const { iid } = await server.must(`POST ${at}/merge_requests`, as(wanted));
      const opened = await receiver.waitFor('/merge_requests', (body) => body.object_attributes.action === 'open');
      golden('merge-request', opened);
      const note = await server.must(`POST ${at}/merge_requests/${iid}/notes`, as({ body: 'Fine' }));
      const told = await receiver.waitFor('/note', (body) => body.object_attributes.id === note.id);
      assert.equal(told.body.merge_request.iid, iid);
      assert.equal(told.body.object_attributes.url, `${opened.body.object_attributes.url}#note_${note.id}`);
      const stateIn = (list: readonly { state: string; re_requested: boolean }[]) =>
        list.map(({ state, re_requested }) => [state, re_requested]);
      await server.must(`POST ${at}/merge_requests/${iid}/approve`, as({}));
      const approved = await receiver.waitFor(
        '/merge_requests',
        (body) => body.object_attributes.action === 'approved',
      );
      assert.deepEqual(stateIn(approved.body.reviewers), [['approved', false]]);
      assert.equal(approved.body.changes.reviewers, undefined);
      await server.must(`POST ${at}/merge_requests/${iid}/notes`, as({ body: `/request_review @${maker.username}` }));
      const again = await receiver.waitFor('/merge_requests', (body) => body.changes?.reviewers !== undefined);
      assert.equal(again.body.object_attributes.action, 'update');
      assert.deepEqual(stateIn(again.body.reviewers), [['unreviewed', true]]);
      const { previous, current } = again.body.changes.reviewers;
      assert.deepEqual([stateIn(previous), stateIn(current)], [[['approved', false]], [['unreviewed', true]]]);
      await server.must(`PUT ${at}/merge_requests/${iid}`, as({ state_event: 'close' }));
      const closed = await receiver.waitFor('/merge_requests', (body) => body.object_attributes.action === 'close');
      assert.deepEqual(closed.body.changes.state_id, { previous: 1, current: 2 });
    });

    it('are sent for wiki pages', async () => {
      await server.must(`POST /projects/${project.id}/wikis`, as({ title: 'First page', content: 'Hello' }));
      golden('wiki-page', (await receiver.arrived('/wiki_page'))[0]);
    });

    it('are sent for pipelines and jobs', async () => {
      const content = 'stages: [build]\ncompile:\n  stage: build\n  script: [make]\n';
      const commit = { branch: 'main', commit_message: 'CI', content, author_name: 'A', author_email: 'a@b.example' };
      await server.must(`POST /projects/${project.id}/repository/files/.gitlab-ci.yml`, as(commit));
      golden('job', await receiver.waitFor('/job', (body) => body.build_status === 'pending'));
      golden('pipeline', await receiver.waitFor('/pipeline', (body) => body.object_attributes.status === 'pending'));
    });

    it('are sent for deployments once they start', async () => {
      const [{ id: sha }] = await server.must(`GET /projects/${project.id}/repository/commits`);
      const deployments = `/projects/${project.id}/deployments`;
      const deployment = { environment: 'staging', ref: 'main', tag: false, sha, status: 'running' };
      const { id } = await server.must(`POST ${deployments}`, as(deployment));
      await server.must(`PUT ${deployments}/${id}`, as({ status: 'success' }));
      // Two deliveries at the same time may arrive in either order.
      const sent = await receiver.arrived('/deployment', 2);
      golden(
        'deployment',
        sent.find(({ body }) => body.status === 'running'),
      );
      assert.deepEqual(sent.map(({ body }) => body.status).sort(), ['running', 'success']);
      const hooks = await server.must(`GET /projects/${project.id}/hooks?per_page=100`);
      const hook = hooks.find(({ url }: { url: string }) => url.endsWith('/deployment'));
      await server.must(`POST /projects/${project.id}/hooks/${hook.id}/test/deployment_events`);
      assert.equal((await receiver.arrived('/deployment', 3))[2]?.body.deployment_id, id);
    });

    const named = (name: string) => (body: { event_name?: string }) => body.event_name === name;

    it('are sent for subgroups, projects and members of groups', async () => {
      const inner = await server.must('POST /groups', { json: { name: 'Inner', path: 'inner', parent_id: group.id } });
      golden('subgroup', await receiver.waitFor('/group', named('subgroup_create')));
      await server.must('POST /projects', { json: { name: 'Below', namespace_id: inner.id } });
      golden('project-in-group', await receiver.waitFor('/group', named('project_create')));
      const other = await addUser(server, 'receiver');
      await server.must(`POST /groups/${group.id}/members`, { json: { user_id: other.id, access_level: 30 } });
      await server.must(`DELETE /groups/${group.id}/members/${other.id}`);
      golden(
        'member',
        await receiver.waitFor('/group', (body) => body.user_id === other.id && body.group_access === 'Developer'),
      );
      assert.equal((await receiver.waitFor('/group', named('user_remove_from_group'))).body.user_id, other.id);
    });

    it('are sent for keys, including deploy keys', async () => {
      const json = { title: 'deploys', key: sshKeys.ed25519.text };
      const key = await server.must(`POST /projects/${project.id}/deploy_keys`, { json });
      golden('system-key', await receiver.waitFor('/system', named('key_create')));
      await server.must(`DELETE /projects/${project.id}/deploy_keys/${key.id}`);
      assert.equal((await receiver.waitFor('/system', named('key_destroy'))).body.id, key.id);
    });

    it('are sent to system hooks', async () => {
      for (const name of ['push', 'group_create', 'project_create', 'user_add_to_group']) {
        await receiver.waitFor('/system', named(name));
      }
      golden('system-repository-update', await receiver.waitFor('/system', named('repository_update')));
      golden('system-user', await receiver.waitFor('/system', named('user_create')));
      assert.ok(receiver.at('/system').every(({ headers }) => headers['x-gitlab-event'] === 'System Hook'));
    });

    it('are sent for access tokens that expire within a week', async () => {
      const expires_at = new Date(Date.now() + 40 * 86_400_000).toISOString().slice(0, 10);
      const token = { name: 'robot', scopes: ['api'], expires_at };
      const own = await server.must(`POST /projects/${project.id}/access_tokens`, { json: token });
      const shared = { url: `${receiver.url}/group_tokens`, push_events: false, resource_access_token_events: true };
      await server.must(`POST /groups/${group.id}/hooks`, { json: shared });
      await server.must(`POST /groups/${group.id}/access_tokens`, { json: token });
      const ends = Date.parse(`${expires_at}T00:00:00Z`);
      for (const days of [29, 6, 6]) {
        await announceExpiring(server.running.services, new AbortController().signal, ends - days * 86_400_000);
      }
      const [told, ...more] = await receiver.arrived('/resource_access_token');
      assert.deepEqual(
        [told?.body.object_attributes.id, told?.body.object_attributes.expires_at],
        [own.id, expires_at],
      );
      golden('access-token', {
        ...told,
        body: { ...told?.body, object_attributes: { ...told?.body.object_attributes, expires_at: '<date>' } },
      } as Received);
      const ofGroup = await receiver.waitFor('/group_tokens', (body) => body.group !== undefined);
      const named = { group_name: 'Group', group_path: 'group', group_id: group.id, full_path: 'group' };
      assert.deepEqual(ofGroup.body.group, named);
      assert.deepEqual(more, []);
    });

    it('are sent for branches that match the filter, and not for pushes of many refs', async () => {
      const hooks = `/projects/${project.id}/hooks`;
      const filtered = {
        url: `${receiver.url}/filtered`,
        push_events_branch_filter: '^next',
        branch_filter_strategy: 'regex',
      };
      await server.must(`POST ${hooks}`, { json: filtered });
      await server.must(`POST ${hooks}`, {
        json: { url: `${receiver.url}/template`, custom_webhook_template: '{"on": "{{ref}}", "by": {{user_id}}}' },
      });
      const before = receiver.at('/push').length;
      for (const branch of ['other', 'next-1']) {
        await server.must(`POST /projects/${project.id}/repository/branches`, as({ branch, ref: 'main' }));
      }
      await receiver.arrived('/push', before + 2);
      assert.equal((await receiver.arrived('/filtered')).map(({ body }) => body.ref).join(), 'refs/heads/next-1');
      const templated = await receiver.arrived('/template', 2);
      assert.deepEqual(templated[1]?.body.by, maker.id);
      assert.deepEqual(Object.keys(templated[0]?.body), ['on', 'by']);
    });
  });
});
