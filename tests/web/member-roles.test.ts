import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Browser, rootPassword } from '../support/browser.ts';
import { addUser } from '../support/cast.ts';
import { forEachEngine } from '../support/engines.ts';
import { assertHarmless, hostile } from '../support/hostile-texts.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

forEachEngine((engine) => {
  describe('pages of custom roles', () => {
    let server: TestServer;
    let root: Browser;
    let owner: Browser;

    before(async () => {
      server = await startTestServer(engine);
      root = new Browser(server);
      await root.signIn('root', rootPassword);
      const group = await server.must('POST /groups', { json: { name: 'Choir', path: 'choir' } });
      await server.must('POST /projects', { json: { name: 'mass', namespace_id: group.id } });
      const { id, username } = await addUser(server, 'owner');
      await server.must(`POST /groups/${group.id}/members`, { json: { user_id: id, access_level: 50 } });
      owner = new Browser(server);
      await owner.signIn(username, 'long enough 4 you');
    });

    const fields = { name: 'Listener', base_access_level: '10', permissions: 'read_code' };

    it('define roles of the instance and of a group', async () => {
      for (const [browser, page, api] of [
        [root, '/admin/member_roles', '/member_roles'],
        [owner, '/groups/choir/-/settings/member_roles', '/groups/choir/member_roles'],
      ] as const) {
        assert.match(await browser.page(page), /No custom roles/);
        await browser.send(page, page, { ...fields, description: hostile.element });
        const [role] = await server.must(`GET ${api}`);
        assert.deepEqual([role.name, role.base_access_level, role.read_code], ['Listener', 10, true]);
        const shown = await browser.page(page);
        assert.match(shown, /Listener[\s\S]*Guest · View repository code/);
        assertHarmless(shown, page);
        const empty = await browser.fill(page, page, { name: 'Nothing', base_access_level: '10' });
        assert.match(empty.text, /no enabled permissions/);
        await browser.send(page, `${page}/act`, { action: 'remove', id: String(role.id) });
        assert.deepEqual(await server.must(`GET ${api}`), []);
      }
      assert.ok((await owner.open('/admin/member_roles')).status >= 400);
    });

    it('offer roles for members, and name them in lists', async () => {
      const everywhere = await server.must('POST /member_roles', {
        json: { name: 'Reader <b>everywhere</b>', base_access_level: 10, read_code: true },
      });
      const here = await server.must('POST /groups/choir/member_roles', {
        json: { name: 'Reader here', base_access_level: 20, admin_runners: true },
      });
      for (const [members, api] of [
        ['/groups/choir/-/group_members', '/groups/choir'],
        ['/choir/mass/-/project_members', '/projects/choir%2Fmass'],
      ] as const) {
        const { id, username } = await addUser(server);
        const held = async () => {
          const member = await server.must(`GET ${api}/members/${id}`);
          return [member.access_level, member.member_role?.id];
        };
        const form = await owner.page(members);
        assert.match(form, /Reader here \(custom, Reporter\)/);
        assertHarmless(form, members);
        await owner.send(members, members, { username, access_level: `10:${everywhere.id}` });
        assert.deepEqual(await held(), [10, everywhere.id]);
        assert.match(await owner.page(members), /Reader &lt;b&gt;everywhere&lt;\/b&gt; \(Guest\)/);
        assert.match(await owner.page(`${members}/all`), /Reader &lt;b&gt;everywhere&lt;\/b&gt; \(Guest\)/);
        const edit = `${members}/edit?id=${id}`;
        assert.match(await owner.page(edit), new RegExp(`value="10:${everywhere.id}" selected`));
        await owner.send(edit, edit, { access_level: `20:${here.id}`, expires_at: '' });
        assert.deepEqual(await held(), [20, here.id]);
        await owner.send(edit, edit, { access_level: '30', expires_at: '' });
        assert.deepEqual(await held(), [30, undefined]);
        const page = `${members}/invitations`;
        await owner.fill(page, page, { email: 'later@example.com', access_level: `20:${here.id}` });
        const [invited] = await server.must(`GET ${api}/invitations`);
        await owner.send(page, `${page}/again`, {
          email: 'later@example.com',
          access_level: `20:${here.id}`,
          expires_at: '',
        });
        const [again] = await server.must(`GET ${api}/invitations`);
        assert.deepEqual([invited.member_role_id, again.member_role_id], [here.id, here.id]);
      }
    });
  });
});
