import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Browser, rootPassword } from '../support/browser.ts';
import { addUser } from '../support/cast.ts';
import { forEachEngine } from '../support/engines.ts';
import { assertHarmless, hostile } from '../support/hostile-texts.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const password = 'long enough 4 you';

forEachEngine((engine) => {
  describe('merge request page actions', () => {
    let server: TestServer;
    let root: Browser;
    let reporter: Browser;
    const url = '/projects/root%2Ftap';
    const home = '/root/tap';
    const page = `${home}/-/merge_requests/1`;

    const commit = (branch: string, file_path: string, content: string, start?: string) =>
      server.must(`POST ${url}/repository/commits`, {
        json: {
          branch,
          ...(start !== undefined && { start_branch: start }),
          commit_message: `Write ${file_path}`,
          actions: [{ action: 'create', file_path, content }],
        },
      });

    before(async () => {
      server = await startTestServer(engine);
      root = new Browser(server);
      await root.signIn('root', rootPassword);
      await server.must('POST /projects', { json: { name: 'tap', visibility: 'public' } });
      await commit('main', 'a', 'a\n');
      await commit('drip', 'b', 'b\n', 'main');
      await server.must(`POST ${url}/repository/branches?branch=stable&ref=main`);
      await server.must(`POST ${url}/issues`, { json: { title: hostile.attribute } });
      await server.must(`POST ${url}/issues`, { json: { title: hostile.element } });
      await server.must(`POST ${url}/merge_requests`, {
        json: { title: 'Drip', description: 'Closes #1, see #2', source_branch: 'drip', target_branch: 'main' },
      });
      await server.running.services.queue.drain();
      const member = await addUser(server);
      await server.must(`POST ${url}/members`, { json: { user_id: member.id, access_level: 20 } });
      reporter = new Browser(server);
      await reporter.signIn(member.username, password);
    });

    const openPage = (path: string, who: Browser = root) => who.page(path);
    const submit = (from: string, to: string, fields: Record<string, string>, who: Browser = root) =>
      who.send(from, to, fields);

    it('show closed and mentioned issues', async () => {
      const text = await openPage(page);
      assert.match(text, /<h2>Issues<\/h2>[\s\S]*marker2[\s\S]*closed when it is merged[\s\S]*marker1/);
      assert.equal(text.split('closed when it is merged').length, 2);
    });

    it('track time, lock and subscribe, with permission checks', async () => {
      await submit(page, `${page}/time`, { part: 'time', act: 'spend', duration: '2h' });
      assert.match(await openPage(page), /<p>2h spent<\/p>/);
      await submit(page, `${page}/switch`, { name: 'lock' });
      assert.match(await openPage(page), /badge-locked/);
      await submit(page, `${page}/switch`, { name: 'unlock' });
      await submit(page, `${page}/unsubscribe`, {});
      assert.match(await openPage(page), />Subscribe</);
      await submit(page, `${page}/todo`, {});
      const seen = await openPage(page, reporter);
      assert.doesNotMatch(seen, /Track time|Lock the discussion|\?edit=/);
      for (const [path, fields] of [
        ['time', { act: 'spend', duration: '1h' }],
        ['switch', { name: 'lock' }],
      ] as const) {
        const refused = await reporter.fill(page, `${page}/${path}`, fields);
        assert.ok([403, 404].includes(refused.status), `${path}: ${refused.status}`);
      }
    });

    it('cherry-pick and revert a commit, directly or with a merge request', async () => {
      const picked = await server.must(`GET ${url}/repository/commits/drip`);
      const at = `${home}/-/commit/${picked.id}`;
      assert.match(await openPage(at), /href="[^"]+\/cherry_pick">Cherry-pick[\s\S]*\/revert">Revert/);
      const created = await submit(`${at}/cherry_pick`, `${at}/cherry_pick`, { branch: 'stable' });
      assert.match(created, /^\/root\/tap\/-\/commit\/[0-9a-f]{40}$/);
      assert.equal((await server.api(`GET ${url}/repository/files/b?ref=stable`)).status, 200);
      const taken = await submit(`${created}/revert?branch=stable`, `${created}/revert`, {
        branch: 'stable',
        own_branch: 'true',
      });
      assert.match(taken, /^\/root\/tap\/-\/merge_requests\/new\?/);
      const asked = new URL(taken, server.url).searchParams;
      assert.equal(asked.get('merge_request[target_branch]'), 'stable');
      const own = asked.get('merge_request[source_branch]') ?? '';
      assert.match(own, /^revert-[0-9a-f]{8}-/);
      assert.equal((await server.api(`GET ${url}/repository/files/b?ref=${own}`)).status, 404);
      assert.match(await openPage(taken), /Revert &quot;Write b&quot;/);
    });

    it('show why a cherry-pick fails, and leave no branch behind', async () => {
      const { id } = await server.must(`GET ${url}/repository/commits/drip`);
      const at = `${home}/-/commit/${id}`;
      const names = async () =>
        (await server.must(`GET ${url}/repository/branches`)).map(({ name }: { name: string }) => name).toSorted();
      const before = await names();
      const attempts: readonly Record<string, string>[] = [
        { branch: 'stable', own_branch: 'true' },
        { branch: 'stable' },
        { branch: 'no-such-branch', own_branch: 'true' },
        { branch: 'no-such-branch' },
        { branch: hostile.element },
        { branch: '' },
      ];
      for (const fields of attempts) {
        const wrong = await root.fill(`${at}/cherry_pick`, `${at}/cherry_pick`, fields);
        assert.equal(wrong.status, 422, `${JSON.stringify(fields)}: ${wrong.status}`);
        assert.match(wrong.text, /role="alert"/);
        assertHarmless(wrong.text, at);
      }
      assert.deepEqual(await names(), before);
      assert.equal((await root.open(`${home}/-/commit/${'0'.repeat(40)}/revert`)).status, 404);
      assert.doesNotMatch(await openPage(at, reporter), /Cherry-pick/);
      assert.equal((await reporter.fill(at, `${at}/revert`, { branch: 'main' })).status, 422);
      assert.equal((await root.post(`${at}/revert`, { branch: 'main' })).status, 422);
      assert.equal((await server.api(`GET ${url}/repository/files/a?ref=main`)).status, 200);
    });

    it('ask for the password if approving requires it', async () => {
      const counting = `${home}/-/settings/approvals`;
      const fields = { merge_requests_author_approval: 'true', require_password_to_approve: 'true' };
      await submit(counting, counting, fields);
      assert.match(await openPage(page), /type="password" name="approval_password"/);
      const { sha } = await server.must(`GET ${url}/merge_requests/1`);
      const wrong = await root.fill(page, `${page}/approve`, { sha, approval_password: 'guessed' });
      assert.ok(wrong.status >= 400, `${wrong.status}`);
      await submit(page, `${page}/approve`, { sha, approval_password: rootPassword });
      assert.match(await openPage(page), /Revoke approval/);
      await submit(counting, counting, {});
    });

    it('offer cherry-pick and revert after the merge', async () => {
      await server.must(`PUT ${url}/merge_requests/1/merge`);
      const text = await openPage(page);
      assert.match(text, /id="merge"[\s\S]*\/cherry_pick\?branch=main[\s\S]*\/revert\?branch=main/);
      assert.match(text, /closed by it/);
    });

    it('manage approval rules and settings', async () => {
      const rules = `${home}/-/settings/approval_rules`;
      const { username } = await addUser(server);
      await submit(rules, rules, { name: hostile.element, approvals_required: '2', people: `root, @${username}` });
      assert.match(await openPage(rules), /marker1[\s\S]*2 approvals[\s\S]*@root/);
      const [rule] = await server.must(`GET ${url}/approval_rules`);
      assert.deepEqual([rule.approvals_required, rule.users.length, rule.rule_type], [2, 2, 'regular']);
      assert.match(await openPage(`${rules}/edit?id=${rule.id}`), new RegExp(`value="root, ${username}"`));
      await submit(rules, `${rules}/edit?id=${rule.id}`, { name: 'Two', approvals_required: '1', people: 'root' });
      const [changed] = await server.must(`GET ${url}/approval_rules`);
      assert.deepEqual([changed.name, changed.approvals_required, changed.users.length], ['Two', 1, 1]);
      for (const [to, fields] of [
        [rules, { name: 'x', approvals_required: '1', people: hostile.element }],
        [rules, { name: 'x', approvals_required: '1', paths: 'no/such/group' }],
        [rules, { name: 'x', approvals_required: '5000' }],
        [`${rules}/edit?id=${rule.id}`, { name: 'x', approvals_required: '1', people: 'nobody-at-all' }],
      ] as const) {
        const wrong = await root.fill(rules, to, fields);
        assert.equal(wrong.status, 422, `${JSON.stringify(fields)}: ${wrong.status}`);
        assertHarmless(wrong.text, rules);
      }
      await submit(rules, `${rules}/act`, { action: 'remove', id: String(rule.id) });
      const counting = `${home}/-/settings/approvals`;
      await submit(counting, counting, { merge_requests_author_approval: 'true', reset_approvals_on_push: 'true' });
      const settings = await server.must(`GET ${url}/approvals`);
      assert.deepEqual([settings.merge_requests_author_approval, settings.reset_approvals_on_push], [true, true]);
      assert.match(await openPage(counting), /Saved/);
      const refused = await reporter.fill(page, counting, { reset_approvals_on_push: 'true' });
      assert.ok([403, 404].includes(refused.status), `${refused.status}`);
      assert.ok([403, 404].includes((await reporter.open(rules)).status));
    });
  });
});
