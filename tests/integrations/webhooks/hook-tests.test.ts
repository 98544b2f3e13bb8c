import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { type Receiver, startReceiver } from './receiver.ts';

/** All triggers: the error in an empty project, and the object kind sent otherwise. */
const triggers: [trigger: string, missing: string, kind: string | null][] = [
  ['push_events', 'Ensure the project has at least one commit.', 'push'],
  ['tag_push_events', 'Ensure the project has at least one tag.', 'tag_push'],
  ['issues_events', 'Ensure the project has issues.', 'issue'],
  ['confidential_issues_events', 'Ensure the project has issues.', 'issue'],
  ['note_events', 'Ensure the project has notes.', 'note'],
  ['confidential_note_events', 'Ensure the project has notes.', 'note'],
  ['merge_requests_events', 'Ensure the project has merge requests.', 'merge_request'],
  ['job_events', 'Ensure the project has CI jobs.', 'build'],
  ['pipeline_events', 'Ensure the project has CI pipelines.', 'pipeline'],
  ['wiki_page_events', 'Ensure the wiki is enabled and has pages.', 'wiki_page'],
  ['releases_events', 'Ensure the project has releases.', 'release'],
  ['milestone_events', 'Ensure the project has milestones.', 'milestone'],
  ['emoji_events', 'Ensure the project has notes.', 'emoji'],
  ['deployment_events', 'Ensure the project has deployments.', 'deployment'],
  ['resource_access_token_events', 'Ensure the project has access tokens.', 'access_token'],
  ['feature_flag_events', 'Ensure the project has feature flags.', null],
  ['vulnerability_events', 'Ensure the project has vulnerabilities.', null],
];

forEachEngine((engine) => {
  describe('webhook tests', () => {
    let server: TestServer;
    let receiver: Receiver;
    let empty: { id: number };
    let full: { id: number };

    before(async () => {
      server = await startTestServer(engine, ['--allow-local-egress']);
      receiver = await startReceiver();
      empty = await server.must('POST /projects', { json: { name: 'Empty' } });
      const group = await server.must('POST /groups', { json: { name: 'Tried', path: 'tried' } });
      full = await server.must('POST /projects', { json: { name: 'Full', namespace_id: group.id } });
      const of = `/projects/${full.id}`;
      const yml = 'unit:\n  script: [make]\n  environment: staging\n';
      const actions = [{ action: 'create', file_path: '.gitlab-ci.yml', content: yml }];
      const commit = { branch: 'main', commit_message: 'First', actions };
      await server.must(`POST ${of}/repository/commits`, { json: commit });
      const second = [{ action: 'create', file_path: 'b', content: 'b' }];
      const topic = { branch: 'topic', start_branch: 'main', commit_message: 'Second', actions: second };
      await server.must(`POST ${of}/repository/commits`, { json: topic });
      await server.must(`POST ${of}/repository/tags`, { json: { tag_name: 'v1', ref: 'main' } });
      await server.must(`POST ${of}/releases`, { json: { tag_name: 'v1', name: 'One' } });
      await server.must(`POST ${of}/milestones`, { json: { title: 'Soon' } });
      await server.must(`POST ${of}/wikis`, { json: { title: 'Home', content: 'Welcome' } });
      const issue = await server.must(`POST ${of}/issues`, { json: { title: 'Leak' } });
      await server.must(`POST ${of}/issues/${issue.iid}/notes`, { json: { body: 'Seen' } });
      const request = { source_branch: 'topic', target_branch: 'main', title: 'Fix' };
      await server.must(`POST ${of}/merge_requests`, { json: request });
      const [pipeline] = await server.must(`GET ${of}/pipelines`);
      const environment = { environment: 'staging', sha: pipeline.sha, ref: 'main', tag: false, status: 'running' };
      await server.must(`POST ${of}/deployments`, { json: environment });
      const expires_at = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
      await server.must(`POST ${of}/access_tokens`, { json: { name: 'bot', scopes: ['api'], expires_at } });
    });

    /** Each uses a new webhook, because tests are rate limited per webhook. */
    const attempt = async (project: { id: number }, trigger: string) => {
      const hooks = `/projects/${project.id}/hooks`;
      const hook = await server.must(`POST ${hooks}`, { json: { url: `${receiver.url}/${project.id}/${trigger}` } });
      const answer = await server.api(`POST ${hooks}/${hook.id}/test/${trigger}`);
      await server.must(`DELETE ${hooks}/${hook.id}`);
      return answer;
    };

    for (const [trigger, missing, kind] of triggers) {
      it(`send ${trigger}, or report what is missing`, async () => {
        const none = await attempt(empty, trigger);
        assert.deepEqual([none.status, none.body], [422, { message: missing }]);
        assert.equal(receiver.at(`/${empty.id}/${trigger}`).length, 0);
        const tried = await attempt(full, trigger);
        if (kind === null) {
          assert.deepEqual([tried.status, tried.body], [422, { message: missing }]);
          return;
        }
        assert.deepEqual([tried.status, tried.body], [201, { message: '201 Created' }]);
        const [received] = receiver.at(`/${full.id}/${trigger}`);
        assert.equal(received?.body.object_kind, kind);
      });
    }

    it('send emoji and wiki page payloads like real events', async () => {
      const [emoji] = receiver.at(`/${full.id}/emoji_events`);
      assert.equal(emoji?.headers['x-gitlab-event'], 'Emoji Hook');
      assert.equal(emoji?.body.object_attributes.name, 'thumbsup');
      assert.match(emoji?.body.object_attributes.awarded_on_url, /#note_\d+$/);
      const [page] = receiver.at(`/${full.id}/wiki_page_events`);
      assert.equal(page?.headers['x-gitlab-event'], 'Wiki Page Hook');
      assert.equal(page?.body.object_attributes.content, 'Welcome');
      assert.match(page?.body.object_attributes.version_id, /^[0-9a-f]{40}$/);
    });

    it('reject wiki pages if the wiki is disabled', async () => {
      await server.must(`PUT /projects/${full.id}`, { json: { wiki_access_level: 'disabled' } });
      const off = await attempt(full, 'wiki_page_events');
      assert.deepEqual([off.status, off.body], [422, { message: 'Ensure the wiki is enabled and has pages.' }]);
    });
  });
});
