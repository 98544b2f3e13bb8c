import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Browser, rootPassword } from '../support/browser.ts';
import { addUser } from '../support/cast.ts';
import { forEachEngine } from '../support/engines.ts';
import { assertHarmless, hostile } from '../support/hostile-texts.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const password = 'long enough 4 you';

forEachEngine((engine) => {
  describe('invitation and access request pages', () => {
    let server: TestServer;
    let root: Browser;

    before(async () => {
      server = await startTestServer(engine);
      root = new Browser(server);
      await root.signIn('root', rootPassword);
      const group = await server.must('POST /groups', { json: { name: 'Choir', path: 'choir', visibility: 'public' } });
      await server.must('POST /projects', { json: { name: 'mass', namespace_id: group.id, visibility: 'public' } });
    });

    const openPage = (path: string, who: Browser = root) => who.page(path);
    const submit = (from: string, to: string, fields: Record<string, string>, who: Browser = root) =>
      who.send(from, to, fields);
    const someone = async () => {
      const user = await addUser(server);
      const browser = new Browser(server);
      await browser.signIn(user.username, password);
      return { ...user, browser };
    };

    const places = [
      ['/groups/choir/-/group_members', '/groups/choir'],
      ['/choir/mass/-/project_members', '/projects/choir%2Fmass'],
    ] as const;
    for (const [members, api] of places) {
      it(`invite by e-mail, resend and revoke: ${api}`, async () => {
        const page = `${members}/invitations`;
        assert.match(await openPage(members), /\/invitations">Invitations/);
        assert.match(await openPage(page), /No pending invitations/);
        const { username, id } = await addUser(server);
        const email = `new-one@example.com, ${username}@example.com`;
        const done = await root.fill(page, page, { email, access_level: '20', expires_at: '2099-01-01' });
        assert.match(done.text, /role="status">Invited[\s\S]*new-one@example\.com[\s\S]*Reporter until 2099-01-01/);
        assert.equal((await server.must(`GET ${api}/members/${id}`)).access_level, 20);
        const [first] = await server.must(`GET ${api}/invitations`);
        const again = { email: 'new-one@example.com', access_level: '20', expires_at: '2099-01-01' };
        await submit(page, `${page}/again`, again);
        const [second] = await server.must(`GET ${api}/invitations`);
        assert.notEqual(second.invite_token, first.invite_token);
        assert.deepEqual([second.access_level, second.expires_at], [20, '2099-01-01']);
        const wrong = await root.fill(page, page, { email: hostile.element, access_level: '20' });
        assert.equal(wrong.status, 422);
        assertHarmless(wrong.text, page);
        await submit(page, `${page}/act`, { action: 'revoke', id: 'new-one@example.com' });
        assert.deepEqual(await server.must(`GET ${api}/invitations`), []);
      });

      it(`request, withdraw, deny and approve access: ${api}`, async () => {
        const { browser, username, id } = await someone();
        const page = `${members}/requests`;
        assert.match(await openPage(members, browser), /Request access/);
        assert.doesNotMatch(await openPage(members, browser), /\/invitations"|\/requests"/);
        for (const path of [page, `${members}/invitations`])
          assert.ok([403, 404].includes((await browser.open(path)).status), path);
        const asked = await submit(members, `${members}/join`, {}, browser);
        assert.equal(asked, `${members}?asked=1`);
        assert.match(await openPage(asked, browser), /Withdraw the request/);
        assert.equal(await submit(members, `${members}/join`, {}, browser), `${members}?asked=before`);
        assert.match(await openPage(page), new RegExp(`@${username}[\\s\\S]*Approve as Developer[\\s\\S]*Deny`));
        await submit(members, `${members}/withdraw`, {}, browser);
        assert.match(await openPage(page), /No access requests/);
        await submit(members, `${members}/join`, {}, browser);
        await submit(page, `${page}/act`, { action: 'deny', id: String(id) });
        await submit(members, `${members}/join`, {}, browser);
        const own = await browser.fill(members, `${page}/act`, { action: 'developer', id: String(id) });
        assert.ok([403, 404].includes(own.status), `${own.status}`);
        await submit(page, `${page}/act`, { action: 'reporter', id: String(id) });
        assert.equal((await server.must(`GET ${api}/members/${id}`)).access_level, 20);
        assert.doesNotMatch(await openPage(members, browser), /Request access/);
        assert.equal((await browser.post(`${members}/join`, {})).status, 422);
      });
    }

    it('offer nothing if requests are disabled, or to group Maintainers', async () => {
      await server.must('PUT /groups/choir', { json: { request_access_enabled: false } });
      const { browser, id } = await someone();
      const [members] = places[0];
      assert.doesNotMatch(await openPage(members, browser), /Request access/);
      assert.equal((await browser.fill(members, `${members}/join`, {})).status, 403);
      await server.must('POST /groups/choir/members', { json: { user_id: id, access_level: 40 } });
      assert.doesNotMatch(await openPage(members, browser), /Add a member|\/invitations"/);
    });
  });
});
