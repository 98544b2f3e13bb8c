import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Browser, rootPassword } from '../../support/browser.ts';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { SamlProvider, throughSaml } from '../../support/saml-provider.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('SAML group links', () => {
    const provider = new SamlProvider();
    let server: TestServer;
    let visitors = 0;

    before(async () => {
      server = await startTestServer(engine, [
        ...['--saml-sso-url', provider.url, '--saml-idp-entity-id', provider.entityId, '--saml-sign-up'],
        ...['--saml-certificate', provider.certificate, '--trusted-proxies', '127.0.0.1'],
      ]);
    });

    let groups = 0;
    const newGroup = async (more: object = {}): Promise<{ id: number }> => {
      const path = `linked-${++groups}`;
      return server.must('POST /groups', { json: { name: path, path, ...more } });
    };
    const link = (group: { id: number }, saml_group_name: string, access_level: number, more: object = {}) =>
      server.must(`POST /groups/${group.id}/saml_group_links`, { json: { saml_group_name, access_level, ...more } });
    const signIn = async (name: string, own: readonly string[]): Promise<number> => {
      provider.person = { nameId: name, attributes: { username: name, email: `${name}@example.com`, groups: own } };
      // Attempts are rate-limited by address.
      const browser = new Browser(server, { 'x-forwarded-for': `198.51.100.${++visitors}` });
      assert.equal((await throughSaml(browser, provider, 'saml')).status, 303);
      return (await server.must(`GET /users?username=${name}`))[0].id;
    };
    const roleIn = async (group: { id: number }, user: number) =>
      (await server.api(`GET /groups/${group.id}/members/${user}`)).body.access_level;

    it('are listed, read, created and deleted', async () => {
      const group = await newGroup();
      const path = `/groups/${group.id}/saml_group_links`;
      assert.deepEqual(await server.must(`GET ${path}`), []);
      const first = { name: 'Developers', access_level: 30, member_role_id: null, provider: null };
      assert.deepEqual(await link(group, ' Developers ', 30), first);
      const second = { ...first, access_level: 40, provider: 'saml' };
      assert.deepEqual(await link(group, 'Developers', 40, { provider: 'saml' }), second);
      assert.deepEqual(await server.must(`GET ${path}`), [first, second]);
      assert.deepEqual((await server.must(`GET /groups/${group.id}`)).saml_group_links, [first, second]);
      assert.equal((await server.api(`GET ${path}/Developers`)).status, 422);
      assert.equal((await server.api(`DELETE ${path}/Developers`)).status, 422);
      assert.deepEqual(await server.must(`GET ${path}/Developers?provider=saml`), second);
      assert.equal((await server.api(`DELETE ${path}/Developers?provider=saml`)).status, 204);
      assert.deepEqual(await server.must(`GET ${path}/Developers`), first);
      assert.equal((await server.api(`DELETE ${path}/Developers`)).status, 204);
      for (const method of ['GET', 'DELETE']) {
        const gone = await server.api(`${method} ${path}/Developers`);
        assert.deepEqual([gone.status, gone.body.message], [404, 'Linked SAML group not found']);
      }
      assert.equal('saml_group_links' in (await server.must(`GET /groups/${group.id}`)), false);
    });

    it('are validated', async () => {
      const group = await newGroup();
      await link(group, 'twice', 30);
      for (const [json, status] of [
        [{ saml_group_name: 'twice', access_level: 40 }, 409],
        [{ saml_group_name: ' ', access_level: 40 }, 409],
        [{ saml_group_name: 'x'.repeat(256), access_level: 40 }, 409],
        [{ saml_group_name: 'x', access_level: 40, provider: 'x'.repeat(256) }, 409],
        [{ saml_group_name: 'x', access_level: 42 }, 400],
        [{ saml_group_name: 'x', access_level: 0 }, 400],
        [{ saml_group_name: 'x' }, 400],
        [{ access_level: 30 }, 400],
      ] as const) {
        const answer = await server.api(`POST /groups/${group.id}/saml_group_links`, { json });
        assert.equal(answer.status, status, answer.text);
      }
      assert.equal((await server.must(`GET /groups/${group.id}/saml_group_links`)).length, 1);
    });

    it('are managed by owners', async () => {
      const group = await newGroup();
      await link(group, 'writers', 30);
      const path = `/groups/${group.id}/saml_group_links`;
      for (const [level, status] of [
        [40, 403],
        [50, 200],
      ] as const) {
        const user = await addUser(server);
        await server.must(`POST /groups/${group.id}/members`, { json: { user_id: user.id, access_level: level } });
        assert.equal((await server.api(`GET ${path}`, { token: user.token })).status, status);
        const shown = await server.must(`GET /groups/${group.id}`, { token: user.token });
        assert.equal('saml_group_links' in shown, level === 50);
      }
      const stranger = await addUser(server);
      const secret = await newGroup({ visibility: 'private' });
      assert.equal(
        (await server.api(`GET /groups/${secret.id}/saml_group_links`, { token: stranger.token })).status,
        404,
      );
    });

    it('give, change and take roles at sign-in', async () => {
      const [group, other] = [await newGroup(), await newGroup()];
      await link(group, 'readers', 20);
      await link(group, 'writers', 30, { provider: 'saml' });
      await link(group, 'owners', 50, { provider: 'another' });
      const user = await signIn('ruth', ['readers']);
      assert.equal(await roleIn(group, user), 20);
      await signIn('ruth', ['readers', 'writers', 'owners']);
      assert.equal(await roleIn(group, user), 30);
      await server.must(`POST /groups/${other.id}/members`, { json: { user_id: user, access_level: 40 } });
      await signIn('ruth', ['readers']);
      assert.equal(await roleIn(group, user), 20);
      await signIn('ruth', []);
      assert.equal(await roleIn(group, user), undefined);
      assert.equal(await roleIn(other, user), 40, 'a group without links is left alone');
    });

    it('also apply to roles that were given here, except the last owner', async () => {
      const group = await newGroup();
      const user = await signIn('sara', []);
      await server.must(`POST /groups/${group.id}/members`, { json: { user_id: user, access_level: 50 } });
      const root = (await server.must(`GET /groups/${group.id}/members`)).find(
        (one: { id: number }) => one.id !== user,
      );
      if (root) await server.must(`DELETE /groups/${group.id}/members/${root.id}`);
      await link(group, 'writers', 30);
      await signIn('sara', ['writers']);
      assert.equal(await roleIn(group, user), 50);
      await server.must(`POST /groups/${group.id}/members`, { json: { user_id: 1, access_level: 50 } });
      await signIn('sara', ['writers']);
      assert.equal(await roleIn(group, user), 30);
    });

    it('give custom roles, and the first of several to the same level', async () => {
      const group = await newGroup();
      const place = `/groups/${group.id}`;
      const makeRole = async (base_access_level: number, name: string): Promise<number> =>
        (await server.must(`POST ${place}/member_roles`, { json: { name, base_access_level, read_code: true } })).id;
      const [first, second] = [await makeRole(20, 'First'), await makeRole(20, 'Second')];
      const higher = await makeRole(30, 'Higher');
      const created = await link(group, 'readers', 20, { member_role_id: first });
      assert.deepEqual(created, { name: 'readers', access_level: 20, member_role_id: first, provider: null });
      assert.deepEqual(await server.must(`GET ${place}/saml_group_links`), [created]);
      await link(group, 'others', 20, { member_role_id: second });
      await link(group, 'plain', 20);
      await link(group, 'writers', 30, { member_role_id: higher });
      for (const [own, level, role] of [
        [['readers'], 20, first],
        [['plain', 'others', 'readers'], 20, first],
        [['plain', 'others'], 20, second],
        [['readers', 'writers'], 30, higher],
        [['plain'], 20, undefined],
      ] as const) {
        const user = await signIn('rosa', own);
        const { access_level, member_role } = await server.must(`GET ${place}/members/${user}`);
        assert.deepEqual([access_level, member_role?.id], [level, role], own.join());
      }
    });

    it('do not give roles that do not fit, and keep roles from being deleted', async () => {
      const [group, elsewhere] = [await newGroup(), await newGroup()];
      const below = await newGroup({ parent_id: group.id });
      const place = `/groups/${below.id}/saml_group_links`;
      const fields = { name: 'Reader', base_access_level: 20, read_code: true };
      const { id } = await server.must(`POST /groups/${group.id}/member_roles`, { json: fields });
      const foreign = await server.must(`POST /groups/${elsewhere.id}/member_roles`, { json: fields });
      for (const [access_level, member_role_id] of [
        [30, id],
        [20, foreign.id],
        [20, 987_654],
      ]) {
        const json = { saml_group_name: 'x', access_level, member_role_id };
        assert.equal((await server.api(`POST ${place}`, { json })).status, 400);
      }
      assert.deepEqual(await server.must(`GET ${place}`), []);
      await link(below, 'readers', 20, { member_role_id: id });
      const remove = () => server.api(`DELETE /groups/${group.id}/member_roles/${id}`);
      assert.equal((await remove()).status, 400);
      await server.must(`POST /groups/${below.id}/transfer`, { json: { group_id: elsewhere.id } });
      assert.equal((await server.must(`GET ${place}/readers`)).member_role_id, null);
      assert.equal((await remove()).status, 204);
    });

    it('leave inherited roles and directory roles alone', async () => {
      const top = await newGroup();
      const below = await newGroup({ parent_id: top.id });
      const user = await signIn('tina', []);
      await server.must(`POST /groups/${top.id}/members`, { json: { user_id: user, access_level: 40 } });
      await link(below, 'writers', 30);
      await signIn('tina', ['writers']);
      assert.equal(await roleIn(below, user), 40, 'never lower than the inherited role');
      const directory = await newGroup();
      await server.must(`POST /groups/${directory.id}/members`, { json: { user_id: user, access_level: 20 } });
      await server.db.write((trx) =>
        trx.updateTable('members').set({ ldap: 1 }).where('namespace_id', '=', directory.id).execute(),
      );
      await link(directory, 'writers', 30);
      for (const own of [['writers'], []]) {
        await signIn('tina', own);
        assert.equal(await roleIn(directory, user), 20);
      }
    });

    it('can be the only way to change members', async () => {
      const group = await newGroup();
      const owner = await addUser(server);
      const other = await addUser(server);
      await server.must(`POST /groups/${group.id}/members`, { json: { user_id: owner.id, access_level: 50 } });
      const add = (token?: string) =>
        server.api(`POST /groups/${group.id}/members`, {
          json: { user_id: other.id, access_level: 30 },
          ...(token !== undefined && { token }),
        });
      await server.must('PUT /application/settings', { json: { lock_memberships_to_saml: true } });
      assert.equal((await add(owner.token)).status, 403);
      await link(group, 'writers', 30);
      assert.equal(await roleIn(group, await signIn('vera', ['writers'])), 30);
      assert.equal((await add()).status, 201);
      await server.must('PUT /application/settings', { json: { lock_memberships_to_saml: false } });
    });

    it('are edited on a page of the group', async () => {
      const group = await newGroup();
      const browser = new Browser(server);
      await browser.signIn('root', rootPassword);
      const { full_path } = await server.must(`GET /groups/${group.id}`);
      const page = `/groups/${full_path}/-/settings/saml_group_links`;
      for (const provider of ['', 'saml']) {
        const fields = { saml_group_name: 'a/b & <i>c', access_level: '30', provider };
        assert.equal((await browser.fill(page, page, fields)).status, 303);
      }
      assert.equal((await server.must(`GET /groups/${group.id}/saml_group_links`)).length, 2);
      const text = await browser.page(page);
      assert.match(text, /a\/b &amp; &lt;i&gt;c/);
      const ids = [...text.matchAll(/name="id" value="([^"]+)"/g)].map(([, id = '']) => id.replaceAll('&amp;', '&'));
      assert.equal(ids.length, 2);
      for (const id of ids) await browser.send(page, `${page}/act`, { action: 'remove', id });
      assert.deepEqual(await server.must(`GET /groups/${group.id}/saml_group_links`), []);
    });

    it('cost a fixed number of queries where nothing changes', async () => {
      const own = Array.from({ length: 3 }, (_, at) => `team-${at}`);
      const linked = async (count: number) => {
        for (let at = 0; at < count; at++) await link(await newGroup(), own[at % own.length] ?? '', 30);
        await signIn('uma', own);
        return server.queriesOf(() => signIn('uma', own));
      };
      const few = await linked(1);
      assert.equal(await linked(5), few);
    });
  });
});
