import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { claimMention } from '../../../../src/integrations/webhooks/jira/store.ts';
import { forEachEngine } from '../../../support/engines.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { until } from '../../../support/until.ts';
import { type JiraServer, startJira } from './jira-server.ts';

forEachEngine((engine) => {
  describe('Jira integration', () => {
    let server: TestServer;
    let jira: JiraServer;
    let project: { id: number; path_with_namespace: string };
    let count = 0;

    before(async () => {
      server = await startTestServer(engine, ['--allow-local-egress']);
      jira = await startJira();
      project = await server.must('POST /projects', {
        json: { name: 'App', visibility: 'public', initialize_with_readme: true },
      });
    });

    const at = () => `/projects/${project.id}/integrations/jira`;
    const login = () => ({ url: jira.url, username: 'ada', password: jira.password });
    const setUp = (json: object = {}) => server.must(`PUT ${at()}`, { json: { ...login(), ...json } });
    const commit = (message: string, branch = 'main', more: object = {}) =>
      server.must(`POST /projects/${project.id}/repository/commits`, {
        json: {
          branch,
          commit_message: message,
          actions: [{ action: 'create', file_path: `file-${++count}`, content: `${count}` }],
          ...more,
        },
      });

    it('is created, and shown without its password', async () => {
      const made = await setUp({ jira_issue_transition_id: '31', project_keys: ['ABC'], merge_requests_events: true });
      assert.deepEqual(
        [made.active, made.commit_events, made.push_events, made.merge_requests_events, made.comment_on_event_enabled],
        [true, true, false, true, true],
      );
      assert.equal(made.properties.url, jira.url);
      assert.deepEqual(made.properties.project_keys, ['ABC']);
      assert.equal(JSON.stringify(made).includes(jira.password), false);
      const elsewhere = await server.api(`PUT ${at()}`, { json: { api_url: 'https://elsewhere.example' } });
      assert.deepEqual([elsewhere.status, elsewhere.body], [400, { error: 'password is missing' }]);
      const kept = await server.must(`PUT ${at()}`, { json: { commit_events: false } });
      assert.deepEqual([kept.commit_events, kept.merge_requests_events], [false, true]);
      await server.must(`DELETE ${at()}`);
    });

    it('reports each commit that mentions an issue once', async () => {
      await setUp();
      jira.add('ABC-1', 'ABC-2');
      const made = await commit('Mend ABC-1 and {noformat} [~bob] XABC-2 NOPE-9');
      await until(() => jira.issues.get('ABC-1')?.links.size === 1);
      const [said = ''] = jira.comments('ABC-1');
      assert.match(said, /^Administrator mentioned this issue in \[commit [0-9a-f]{8}\|http.*\] of \[.*app\|http.*\]:/);
      assert.match(said, /\\\{noformat\\\} \\\[\\~bob\\\]/);
      assert.deepEqual(
        [...(jira.issues.get('ABC-1')?.links.keys() ?? [])],
        [`${server.running.services.externalUrl}/${project.path_with_namespace}/-/commit/${made.id}`],
      );
      assert.equal(jira.issues.get('ABC-2')?.links.size, 0, 'XABC-2 is in another project');
      // The same commit on another branch is not reported again.
      await server.must(`POST /projects/${project.id}/repository/branches`, { json: { branch: 'side', ref: 'main' } });
      await commit('See ABC-2', 'side');
      await until(() => jira.issues.get('ABC-2')?.links.size === 1);
      assert.equal(jira.comments('ABC-1').length, 1);
      await server.must(`DELETE ${at()}`);
    });

    it('closes issues once the commit is on the default branch', async () => {
      await setUp({ jira_issue_transition_automatic: true });
      jira.add('ABC-3', 'ABC-4');
      await commit('Closes ABC-3', 'topic', { start_branch: 'main' });
      await until(() => jira.issues.get('ABC-3')?.links.size === 1);
      assert.equal(jira.issues.get('ABC-3')?.resolved, false);
      const request = await server.must(`POST /projects/${project.id}/merge_requests`, {
        json: { source_branch: 'topic', target_branch: 'main', title: 'Fix ABC-4', description: 'Closes ABC-4' },
      });
      await until(() => jira.comments('ABC-4').length === 1);
      assert.match(jira.comments('ABC-4')[0] ?? '', /mentioned this issue in \[merge request \\!1\|/);
      await until(async () => {
        const { status } = await server.api(`PUT /projects/${project.id}/merge_requests/${request.iid}/merge`);
        return status === 200;
      });
      await until(() => jira.comments('ABC-4').length === 2 && jira.comments('ABC-3').length === 2);
      assert.deepEqual([jira.issues.get('ABC-3')?.resolved, jira.issues.get('ABC-4')?.resolved], [true, true]);
      assert.match(jira.comments('ABC-4')[1] ?? '', /closed this issue by/);
      await server.must(`DELETE ${at()}`);
    });

    it('sends nothing if inactive, and no comments if they are disabled', async () => {
      jira.add('ABC-5', 'ABC-6');
      await setUp({ commit_events: false, comment_on_event_enabled: false });
      await commit('Mend ABC-5');
      await commit('See ABC-6', 'quiet', { start_branch: 'main' });
      await server.must(`POST /projects/${project.id}/merge_requests`, {
        json: { source_branch: 'quiet', target_branch: 'main', title: 'About ABC-6' },
      });
      await until(() => jira.issues.get('ABC-6')?.links.size === 1);
      assert.deepEqual([jira.comments('ABC-5').length, jira.comments('ABC-6').length], [0, 0]);
      assert.equal(jira.issues.get('ABC-5')?.links.size, 0);
      await server.must(`DELETE ${at()}`);
    });

    it('retries failed requests without duplicate comments', async () => {
      jira.add('ABC-7');
      await setUp();
      jira.status = 503;
      await commit('Mend ABC-7');
      const failures = () =>
        server.running.services.db.read
          .selectFrom('webhooks')
          .select('recent_failures')
          .where('kind', '=', 'jira')
          .executeTakeFirstOrThrow();
      await until(async () => (await failures()).recent_failures === 1);
      jira.status = undefined;
      await server.running.services.db.write((trx) =>
        trx.updateTable('jobs').set({ run_at: 0 }).where('kind', '=', 'webhooks.deliver').execute(),
      );
      await until(() => jira.issues.get('ABC-7')?.links.size === 1);
      assert.equal(jira.comments('ABC-7').length, 1);
      await until(async () => (await failures()).recent_failures === 0);
      await server.must(`DELETE ${at()}`);
    });

    it('reports a mention by a single delivery under concurrency', async () => {
      const { db } = server.running.services;
      const row = { project_id: project.id, issue_key: 'ABC-8', about: 'commit 1' };
      const claims = await Promise.all(['a', 'b', 'c', 'd'].map((by) => db.write((trx) => claimMention(trx, row, by))));
      assert.deepEqual(claims.toSorted(), ['mine', 'theirs', 'theirs', 'theirs']);
      const by = ['a', 'b', 'c', 'd'][claims.indexOf('mine')] ?? '';
      assert.equal(await db.write((trx) => claimMention(trx, row, by)), 'again');
    });

    it('links issue keys in texts', async () => {
      await setUp({ jira_issue_regex: '[A-Z]{3}-\\d+' });
      const render = async (text: string) =>
        (await server.must('POST /markdown', { json: { text, gfm: true, project: project.path_with_namespace } })).html;
      const html = await render('See ABC-12, LONG-4, `ABC-13` and <b>x-8</b>');
      assert.match(html, new RegExp(`<a href="${jira.url}/browse/ABC-12"[^>]*gfm-external_issue[^>]*>ABC-12</a>`));
      assert.equal(html.match(/<a /g)?.length, 1);
      assert.match(html, /rel="nofollow noreferrer noopener"/);
      await server.must(`PUT ${at()}`, { json: { active: false } });
      assert.equal((await render('See ABC-12')).includes('<a'), false);
      await server.must(`DELETE ${at()}`);
    });

    it('blocks merge requests without an issue key if the project requires one', async () => {
      const [group, other] = [
        await server.must('POST /groups', { json: { name: 'Jira people', path: 'jira-people' } }),
        await server.must('POST /groups', { json: { name: 'Others', path: 'jira-others' } }),
      ];
      const make = async (namespace_id: number) => {
        const { id } = await server.must('POST /projects', {
          json: { name: 'Asked', namespace_id, initialize_with_readme: true, prevent_merge_without_jira_issue: true },
        });
        await server.must(`POST /projects/${id}/repository/commits`, {
          json: {
            branch: 'side',
            start_branch: 'main',
            commit_message: 'Add',
            actions: [{ action: 'create', file_path: 'a', content: 'a' }],
          },
        });
        const request = await server.must(`POST /projects/${id}/merge_requests`, {
          json: { source_branch: 'side', target_branch: 'main', title: 'Mend it' },
        });
        return `/projects/${id}/merge_requests/${request.iid}`;
      };
      const [asked, free] = [await make(group.id), await make(other.id)];
      const status = async (at: string) => {
        let found = '';
        await until(async () => {
          found = (await server.must(`GET ${at}`)).detailed_merge_status;
          return !['unchecked', 'checking', 'preparing'].includes(found);
        });
        return found;
      };
      assert.equal(await status(asked), 'mergeable', 'the integration is not set up yet');
      await server.must(`PUT /groups/${group.id}/integrations/jira`, { json: login() });
      assert.equal(await status(asked), 'jira_association_missing');
      assert.equal(await status(free), 'mergeable', 'the integration of another group');
      assert.equal((await server.api(`PUT ${asked}/merge`)).status, 405);
      const listed = await server.must('GET /merge_requests?scope=all&state=opened');
      assert.deepEqual(
        listed
          .flatMap((one: { title: string; detailed_merge_status: string }) =>
            one.title === 'Mend it' ? [one.detailed_merge_status] : [],
          )
          .toSorted(),
        ['jira_association_missing', 'mergeable'],
      );
      await server.must(`PUT ${asked}`, { json: { description: 'Xabc-1, really' } });
      assert.equal(await status(asked), 'jira_association_missing');
      await server.must(`PUT ${asked}`, { json: { description: 'For ABC-1' } });
      assert.equal(await status(asked), 'mergeable');
      assert.equal((await server.api(`PUT ${asked}/merge`)).status, 200);
    });

    it('can be tested', async () => {
      assert.equal((await server.api(`POST ${at()}/test`)).status, 404);
      await setUp();
      assert.equal((await server.api(`POST ${at()}/test`)).status, 201);
      await setUp({ jira_auth_type: 1 });
      assert.equal((await server.api(`POST ${at()}/test`)).status, 201);
      await setUp({ password: 'wrong' });
      const wrong = await server.api(`POST ${at()}/test`);
      assert.deepEqual([wrong.status, wrong.body], [422, { message: 'Jira rejected the username or password' }]);
      await server.must(`DELETE ${at()}`);
    });

    it('rejects invalid settings', async () => {
      for (const [json, body] of [
        [{ url: undefined }, { error: 'url is missing' }],
        [{ password: '' }, { error: 'password is missing' }],
        [{ username: '' }, { message: { username: ["can't be blank"] } }],
        [{ url: 'javascript:alert(1)' }, undefined],
        [{ url: 'https://user:secret@jira.example' }, undefined],
        [{ api_url: 'ftp://jira.example' }, undefined],
        [{ jira_issue_regex: '(?=a)' }, undefined],
        [{ jira_issue_regex: 'a{1000}{1000}' }, undefined],
        [{ jira_issue_transition_id: 'x' }, undefined],
        [{ jira_auth_type: 7 }, { message: { jira_auth_type: ['is not included in the list'] } }],
        [{ project_keys: ['a b'] }, { message: { project_keys: ['is invalid'] } }],
        [{ password: 'x'.repeat(3000) }, undefined],
      ] as const) {
        const answer = await server.api(`PUT ${at()}`, { json: { ...login(), ...json } });
        assert.equal(answer.status, 400, `${JSON.stringify(json)}: ${JSON.stringify(answer.body)}`);
        if (body) assert.deepEqual(answer.body, body);
      }
      assert.equal((await server.api(`GET ${at()}`)).status, 404);
    });
  });
});
