import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { commentText } from '../../../../src/integrations/webhooks/jira/comment-text.ts';
import { closedKeysIn, keysIn } from '../../../../src/integrations/webhooks/jira/keys.ts';
import { trackerKinds } from '../../../../src/integrations/webhooks/trackers/kinds.ts';
import { findReferences } from '../../../../src/planning/markdown/references/find.ts';
import { addUser } from '../../../support/cast.ts';
import { forEachEngine } from '../../../support/engines.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { startReceiver } from '../receiver.ts';

describe('issue references of external trackers', () => {
  const settings = { issues_url: 'https://bugs.test/:id?x=:id' };
  const whole = (id: string) => `https://bugs.test/${id}?x=${id}`;
  for (const [tracker, written, id] of [
    ['redmine', '#12', '12'],
    ['redmine', 'ABC-12', '12'],
    ['redmine', 'abc-12', undefined],
    ['redmine', 'bug 12', undefined],
    ['bugzilla', 'ABC_2-12', '12'],
    ['custom-issue-tracker', '#7', '7'],
    ['ewm', 'Work item 7', '7'],
    ['ewm', 'defect 7', '7'],
    ['ewm', '#7', undefined],
    ['youtrack', 'Ab_1-7', 'Ab_1-7'],
    ['youtrack', '#7', undefined],
    ['clickup', 'CU-8a1f', '8a1f'],
    ['clickup', 'ABC-7', 'ABC-7'],
    ['clickup', 'a-7', undefined],
  ] as const) {
    it(`${tracker} resolves ${written}`, () => {
      const expected = id === undefined ? undefined : whole(id);
      assert.equal(trackerKinds[tracker].issueUrl(settings, written), expected);
    });
  }

  for (const [text, names] of [
    ['See ABC-12, and ABC-3.', ['ABC-12', 'ABC-3']],
    ['ABC-1#5 and group/ABC-2', ['ABC-1#5']],
    ['xABC-1x -ABC-2 ABC-0 ABC-12x ABC-1.5', []],
    ['Bug 12, work item 3, bugs 4', ['Bug 12', 'work item 3']],
  ] as const) {
    it(`are found in ${text}`, () =>
      assert.deepEqual(
        findReferences(text).map(({ written }) => written),
        names,
      ));
  }

  for (const [text, more, keys, closed] of [
    ['ABC-1 ABC-2, ABC-1', {}, ['ABC-1', 'ABC-2'], []],
    ['Closes ABC-1, ABC-2 and ABC-3; see ABC-4', {}, ['ABC-1', 'ABC-2', 'ABC-3', 'ABC-4'], ['ABC-1', 'ABC-2', 'ABC-3']],
    ['disclose ABC-1, resolves: issue ABC-2', {}, ['ABC-1', 'ABC-2'], ['ABC-2']],
    ['XABC-1x éABC-1 abc-1', {}, [], []],
    ['JIRA#ABC-1 ABC-2', { jira_issue_prefix: 'JIRA#' }, ['ABC-1'], []],
    ['p-1 P-2', { jira_issue_regex: '[a-z]-\\d' }, ['p-1'], []],
    ['a/../b', { jira_issue_regex: '.+' }, [], []],
  ] as const) {
    it(`finds Jira keys in ${text}`, () => {
      assert.deepEqual(keysIn(more, text), keys);
      assert.deepEqual(closedKeysIn(more, text), closed);
    });
  }

  it('are escaped in Jira comments', () => {
    const project = { path: 'team/app', url: 'https://forge.test/team/app' };
    const source = {
      about: '',
      noun: 'commit 1',
      title: 'a|b] {x}\nc',
      url: 'https://forge.test/1',
      actor: '[~ada]',
      project,
    };
    assert.equal(
      commentText(source, 'mention'),
      '\\[\\~ada\\] mentioned this issue in [commit 1|https://forge.test/1] of [team/app|https://forge.test/team/app]:\n{quote}a\\|b\\] \\{x\\}{quote}',
    );
  });
});

forEachEngine((engine) => {
  describe('issue tracker integrations', () => {
    let server: TestServer;
    let group: { id: number };
    let project: { id: number; path_with_namespace: string };

    before(async () => {
      server = await startTestServer(engine, ['--allow-local-egress']);
      group = await server.must('POST /groups', { json: { name: 'Team', path: 'team' } });
      project = await server.must('POST /projects', { json: { name: 'App', namespace_id: group.id } });
    });

    const at = (slug: string) => `/projects/${project.id}/integrations/${slug}`;
    const redmine = {
      project_url: 'https://bugs.test/projects/app',
      issues_url: 'https://bugs.test/issues/:id',
      new_issue_url: 'https://bugs.test/issues/new',
    };
    const render = async (text: string) =>
      (await server.must('POST /markdown', { json: { text, gfm: true, project: project.path_with_namespace } })).html;

    it('are linked in texts, after the issues of the project itself', async () => {
      const { iid } = await server.must(`POST /projects/${project.id}/issues`, { json: { title: 'Own' } });
      await server.must(`PUT ${at('redmine')}`, { json: redmine });
      const html = await render(`#${iid}, #77, ABC-5 and other/app#3`);
      assert.match(html, new RegExp(`href="/team/app/-/issues/${iid}"`));
      assert.match(html, /href="https:\/\/bugs.test\/issues\/77"[^>]*title="Issue in Redmine"[^>]*>#77</);
      assert.match(html, /href="https:\/\/bugs.test\/issues\/5"[^>]*>ABC-5</);
      assert.equal(html.match(/<a /g)?.length, 3);
      await server.must(`DELETE ${at('redmine')}`);
      assert.equal((await render('#77 ABC-5')).includes('<a'), false);
    });

    it('are limited to one, and inherited until a project has its own', async () => {
      await server.must(`PUT /groups/${group.id}/integrations/redmine`, { json: redmine });
      const seen = await server.must(`GET ${at('redmine')}`);
      assert.deepEqual([seen.active, seen.inherited, seen.properties], [true, true, redmine]);
      assert.match(await render('ABC-5'), /bugs.test\/issues\/5/);
      const youtrack = { project_url: 'https://yt.test', issues_url: 'https://yt.test/issue/:id' };
      await server.must(`PUT ${at('youtrack')}`, { json: youtrack });
      assert.match(await render('ABC-5'), /yt.test\/issue\/ABC-5/);
      const second = await server.api(`PUT ${at('bugzilla')}`, { json: redmine });
      assert.deepEqual(
        [second.status, second.body],
        [400, { message: { base: ['Another issue tracker is already active. Only one can be active at a time'] } }],
      );
      await server.must(`PUT ${at('bugzilla')}`, { json: { ...redmine, active: false } });
      await server.must(`DELETE ${at('youtrack')}`);
      await server.must(`DELETE ${at('bugzilla')}`);
      await server.must(`DELETE /groups/${group.id}/integrations/redmine`);
    });

    it('reject invalid URLs and script URLs', async () => {
      for (const [json, name] of [
        [{ issues_url: 'https://bugs.test/issues' }, 'issues_url'],
        [{ issues_url: 'javascript:alert(:id)' }, 'issues_url'],
        [{ project_url: 'data:text/html,x' }, 'project_url'],
        [{ new_issue_url: 'https://user:secret@bugs.test' }, 'new_issue_url'],
        [{ project_url: `https://bugs.test/${'x'.repeat(2048)}` }, 'project_url'],
      ] as const) {
        const answer = await server.api(`PUT ${at('redmine')}`, { json: { ...redmine, ...json } });
        assert.equal(answer.status, 400);
        assert.deepEqual(Object.keys((answer.body as { message: object }).message), [name]);
      }
      const missing = await server.api(`PUT ${at('ewm')}`, { json: {} });
      assert.deepEqual(missing.body, {
        error: 'project_url is missing, issues_url is missing, new_issue_url is missing',
      });
    });

    it('can be tested by maintainers only', async () => {
      const receiver = await startReceiver();
      await server.must(`PUT ${at('redmine')}`, { json: { ...redmine, project_url: `${receiver.url}/projects/app` } });
      assert.equal((await server.api(`POST ${at('redmine')}/test`)).status, 201);
      receiver.behaviour.set('/projects/app', (response) => response.writeHead(404).end());
      const gone = await server.api(`POST ${at('redmine')}/test`);
      assert.deepEqual([gone.status, gone.body], [422, { message: 'The tracker responded with 404.' }]);
      const [outsider, developer] = [await addUser(server), await addUser(server)];
      await server.must(`POST /projects/${project.id}/members`, { json: { user_id: developer.id, access_level: 30 } });
      for (const [token, status] of [
        [outsider.token, 404],
        [developer.token, 403],
        [null, 401],
      ] as const) {
        assert.equal((await server.api(`POST ${at('redmine')}/test`, { token })).status, status);
        assert.equal((await server.api(`PUT ${at('redmine')}`, { token, json: redmine })).status, status);
      }
      assert.equal((await server.api(`POST ${at('fax')}/test`)).status, 404);
      for (let count = 0; count < 3; count += 1) await server.api(`POST ${at('redmine')}/test`);
      assert.equal((await server.api(`POST ${at('redmine')}/test`)).status, 429);
      await server.must(`DELETE ${at('redmine')}`);
    });

    it('are used only if allowed on the instance', async () => {
      const receiver = await startReceiver();
      const chat = { webhook: `${receiver.url}/chat` };
      const allow = (allowed_integrations: string[]) =>
        server.must('PUT /application/settings', { json: { allow_all_integrations: false, allowed_integrations } });
      const push = (file_path: string) =>
        server.must(`POST /projects/${project.id}/repository/commits`, {
          json: { branch: 'main', commit_message: 'x', actions: [{ action: 'create', file_path, content: 'x' }] },
        });
      await server.must(`PUT ${at('redmine')}`, { json: redmine });
      await server.must(`PUT ${at('mattermost')}`, { json: chat });
      const hook = { url: `${receiver.url}/hook`, push_events: true };
      await server.must(`POST /projects/${project.id}/hooks`, { json: hook });
      await allow(['custom_issue_tracker']);
      const message = { base: ['Integration is not allowed on this instance'] };
      for (const [slug, json] of [
        ['redmine', redmine],
        ['mattermost', chat],
      ] as const) {
        const refused = await server.api(`PUT ${at(slug)}`, { json });
        assert.deepEqual([refused.status, refused.body], [400, { message }]);
        assert.equal((await server.api(`POST ${at(slug)}/test`)).status, 400);
      }
      assert.equal((await render('#77')).includes('<a'), false);
      await push('unheard');
      // Sent after the chat's request would have been.
      await receiver.arrived('/hook');
      await server.must(`PUT ${at('redmine')}`, { json: { ...redmine, active: false } });
      await server.must(`PUT ${at('custom-issue-tracker')}`, { json: redmine });
      assert.match(await render('#77'), /bugs.test\/issues\/77/);
      await allow(['custom-issue-tracker', 'mattermost']);
      await push('heard');
      assert.equal((await receiver.arrived('/chat')).length, 1);
      await receiver.arrived('/hook', 2);
      await server.must('PUT /application/settings', { json: { allow_all_integrations: true } });
      for (const slug of ['redmine', 'mattermost', 'custom-issue-tracker']) await server.must(`DELETE ${at(slug)}`);
    });

    it('are available at the deprecated path', async () => {
      const old = `/projects/${project.id}/services`;
      await server.must(`PUT ${old}/redmine`, { json: redmine });
      assert.equal((await server.must(`GET ${old}/redmine`)).active, true);
      assert.equal((await server.must(`GET ${old}`)).length, 1);
      await server.must(`DELETE ${old}/redmine`);
      assert.equal((await server.api(`GET ${at('redmine')}`)).status, 404);
    });
  });
});
