import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Gitlab } from '@gitbeaker/rest';
import { checkPassword } from '../../../src/access/credentials/passwords.ts';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { admin, noSlapd, Slapd, suffix } from '../../support/slapd.ts';
import { until } from '../../support/until.ts';

forEachEngine((engine) => {
  describe('LDAP group links', () => {
    let server: TestServer;
    let group: { id: number };
    let owner: { token: string; id: number };
    let guest: { token: string; id: number };

    before(async () => {
      server = await startTestServer(engine);
      [owner, guest] = [await addUser(server, 'owner'), await addUser(server, 'guest')];
      group = await server.must('POST /groups', { token: owner.token, json: { name: 'Links', path: 'links' } });
      await server.must(`POST /groups/${group.id}/members`, { json: { user_id: guest.id, access_level: 10 } });
    });

    const links = (call: string, json?: unknown, token: string | null = owner.token) =>
      server.api(call.replace('LINKS', `/groups/${group.id}/ldap_group_links`), { token, ...(json ? { json } : {}) });

    it('are created by CN or filter, shown in the group, and deleted by every route', async () => {
      assert.deepEqual((await links('GET LINKS')).body, { message: 'No linked LDAP groups found' });
      const byCn = { cn: 'Developers', group_access: 30, provider: 'ldapmain' };
      const added = await links('POST LINKS', byCn);
      assert.equal(added.status, 201);
      assert.deepEqual(added.body, { ...byCn, filter: null, member_role_id: null });
      const byFilter = { filter: '(employeeType=lead)', group_access: 40, provider: 'ldapmain' };
      assert.equal((await links('POST LINKS', byFilter)).status, 201);
      assert.equal((await links('GET LINKS')).body.length, 2);
      const shown = await server.must(`GET /groups/${group.id}`, { token: owner.token });
      assert.deepEqual([shown.ldap_cn, shown.ldap_access, shown.ldap_group_links.length], ['Developers', 30, 2]);
      assert.equal((await links('DELETE LINKS?provider=ldapmain&filter=(employeeType%3Dlead)')).status, 204);
      assert.equal((await links('DELETE LINKS/ldapother/Developers')).status, 404);
      assert.equal((await links('DELETE LINKS/ldapmain/Developers')).status, 204);
      await links('POST LINKS', byCn);
      assert.equal((await links('DELETE LINKS/Developers')).status, 204);
      const deleted = await links('DELETE LINKS', byCn);
      assert.equal(deleted.status, 404);
      assert.deepEqual(deleted.body, { message: 'Linked LDAP group not found' });
      assert.equal('ldap_group_links' in (await server.must(`GET /groups/${group.id}`)), false);
    });

    it('reject invalid attributes', async () => {
      const good = { cn: 'x', group_access: 30, provider: 'ldapmain' };
      const wrong: [object, number, RegExp][] = [
        [{ ...good, filter: '(a=b)' }, 400, /mutually exclusive|exactly one/],
        [{ group_access: 30, provider: 'ldapmain' }, 400, /cn, filter/],
        [{ ...good, group_access: 35 }, 400, /group_access does not have a valid value/],
        [{ cn: 'x', group_access: 30 }, 400, /provider is missing/],
        [{ ...good, cn: 'x'.repeat(256) }, 409, /Cn is too long/],
        [{ filter: '(a=b', group_access: 30, provider: 'ldapmain' }, 409, /Filter must be a valid filter/],
        [{ filter: `(a=${'b'.repeat(8200)})`, group_access: 30, provider: 'ldapmain' }, 409, /Filter is too long/],
      ];
      for (const [json, status, text] of wrong) {
        const answer = await links('POST LINKS', json);
        assert.equal(answer.status, status, answer.text);
        assert.match(answer.text, text);
      }
      await links('POST LINKS', good);
      const twice = await links('POST LINKS', good);
      assert.equal(twice.status, 409);
      assert.deepEqual(twice.body, { message: 'Cn has already been taken' });
      assert.equal((await links('GET LINKS')).body.length, 1);
      await links('DELETE LINKS/x');
    });

    it('are restricted to owners', async () => {
      const link = { cn: 'x', group_access: 30, provider: 'ldapmain' };
      for (const call of ['GET LINKS', 'POST LINKS', 'DELETE LINKS/x', `POST /groups/${group.id}/ldap_sync`]) {
        const json = call.startsWith('POST') ? link : undefined;
        assert.equal((await links(call, json, guest.token)).status, 403, call);
        assert.equal((await links(call, json, null)).status, 401, call);
        assert.equal((await links(call, json, (await addUser(server)).token)).status, 404, call);
      }
    });

    it('are restricted to administrators if the instance says so', async () => {
      const set = (allow_group_owners_to_manage_ldap: boolean) =>
        server.must('PUT /application/settings', { json: { allow_group_owners_to_manage_ldap } });
      const link = { cn: 'managed', group_access: 30, provider: 'ldapmain' };
      await set(false);
      for (const call of ['GET LINKS', 'POST LINKS', 'DELETE LINKS/managed'])
        assert.equal((await links(call, call.startsWith('POST') ? link : undefined, owner.token)).status, 403, call);
      const path = `/groups/${group.id}/ldap_group_links`;
      await server.must(`POST ${path}`, { json: link });
      await set(true);
      assert.equal((await links('DELETE LINKS/managed', undefined, owner.token)).status, 204);
    });

    it('have no effect without a directory: sync is not found and members stay editable', async () => {
      await links('POST LINKS', { cn: 'x', group_access: 30, provider: 'ldapmain' });
      assert.equal((await links(`POST /groups/${group.id}/ldap_sync`)).status, 404);
      assert.equal((await server.api('GET /ldap/groups')).status, 404);
      const user = await addUser(server);
      const json = { user_id: user.id, access_level: 20 };
      assert.equal((await server.api(`POST /groups/${group.id}/members`, { token: owner.token, json })).status, 201);
    });
  });

  describe('LDAP group sync', { skip: noSlapd }, () => {
    let slapd: Slapd;
    let server: TestServer;
    let owner: { token: string; id: number };
    let dns: Record<string, string>;
    const ids: Record<string, number> = {};

    before(async () => {
      slapd = await Slapd.start();
      server = await startTestServer(engine, [
        ...['--ldap-url', slapd.url, '--ldap-bind-dn', admin.dn, '--ldap-password', admin.password],
        ...['--ldap-base', `ou=people,${suffix}`, '--ldap-group-base', `ou=groups,${suffix}`],
      ]);
      owner = await addUser(server, 'owner');
      dns = {
        ann: await slapd.addPerson('ann'),
        ben: await slapd.addPerson('ben', { employeeType: 'lead' }),
        cem: await slapd.addPerson('cem'),
        late: await slapd.addPerson('late'),
      };
      for (const name of ['ann', 'ben', 'cem']) ids[name] = await signIn(name);
      await slapd.addGroup('Devs', [`${dns.ann}`, `${dns.ben}`, `${dns.late}`]);
      await slapd.add(`cn=Posix,ou=groups,${suffix}`, {
        ...{ objectClass: 'posixGroup', cn: 'Posix', gidNumber: '500' },
        memberUid: ['cem', 'nobody*'],
      });
      await slapd.add(`cn=Unique,ou=groups,${suffix}`, {
        ...{ objectClass: 'groupOfUniqueNames', cn: 'Unique' },
        uniqueMember: [`UID=Cem, OU=People,${suffix}#'0101'B`],
      });
    });

    const signIn = async (name: string) => {
      const user = await checkPassword(server.running.services, name, `secret of ${name}`);
      assert.ok(user);
      return user.id;
    };
    let count = 0;
    const addGroup = async (...links: { cn?: string; filter?: string; group_access: number }[]) => {
      const path = `synced-${++count}`;
      const group = await server.must('POST /groups', { token: owner.token, json: { name: path, path } });
      for (const link of links) {
        const json = { ...link, provider: 'ldapmain' };
        await server.must(`POST /groups/${group.id}/ldap_group_links`, { token: owner.token, json });
      }
      return group.id as number;
    };
    const statusOf = async (id: number) =>
      (await server.db.read.selectFrom('ldap_group_syncs').selectAll().where('namespace_id', '=', id).execute())[0];
    const settled = (id: number) =>
      until(async () => ['ready', 'failed'].includes((await statusOf(id))?.status ?? 'ready'));
    const sync = async (id: number) => {
      await settled(id);
      const answer = await server.api(`POST /groups/${id}/ldap_sync`, { token: owner.token });
      assert.equal(answer.status, 202);
      assert.equal(answer.text, '202');
      await settled(id);
    };
    const levels = async (id: number) => {
      const members = (await server.must(`GET /groups/${id}/members`)) as { id: number; access_level: number }[];
      const names = new Map(Object.entries(ids).map(([name, user]) => [user, name]));
      return Object.fromEntries(members.map((one) => [names.get(one.id) ?? 'owner', one.access_level]));
    };

    it('grants roles by CN and filter, the highest of several', async () => {
      const id = await addGroup({ cn: 'Devs', group_access: 30 }, { filter: '(employeeType=lead)', group_access: 40 });
      await sync(id);
      assert.deepEqual(await levels(id), { owner: 50, ann: 30, ben: 40 });
      assert.equal((await statusOf(id))?.status, 'ready');
    });

    it('can be requested with gitbeaker', async () => {
      const id = await addGroup({ cn: 'Devs', group_access: 30 });
      await settled(id);
      await new Gitlab({ host: server.url, token: owner.token }).GroupLDAPLinks.sync(id);
      await settled(id);
      assert.deepEqual(await levels(id), { owner: 50, ann: 30, ben: 30 });
    });

    it('supports all kinds of LDAP groups and ignores missing ones', async () => {
      const id = await addGroup({ cn: 'Posix', group_access: 20 }, { cn: 'No such group', group_access: 50 });
      await sync(id);
      assert.deepEqual(await levels(id), { owner: 50, cem: 20 });
      const unique = await addGroup({ cn: 'Unique', group_access: 10 });
      await sync(unique);
      assert.deepEqual(await levels(unique), { owner: 50, cem: 10 });
    });

    it('removes the roles of former LDAP members and leaves other members unchanged', async () => {
      await slapd.addGroup('Temps', [`${dns.ann}`, `${dns.cem}`]);
      const id = await addGroup({ cn: 'Temps', group_access: 30 });
      await sync(id);
      assert.deepEqual(await levels(id), { owner: 50, ann: 30, cem: 30 });
      await slapd.client.del(`cn=Temps,ou=groups,${suffix}`);
      await slapd.addGroup('Temps', [`${dns.cem}`]);
      await sync(id);
      assert.deepEqual(await levels(id), { owner: 50, cem: 30 });
    });

    it('prevents manual changes of members except for overridden roles', async () => {
      const id = await addGroup({ cn: 'Devs', group_access: 30 });
      await sync(id);
      const { token } = owner;
      const by = (call: string, json?: object) => server.api(call, { token, ...(json ? { json } : {}) });
      const member = `/groups/${id}/members/${ids.ann}`;
      const user = await addUser(server);
      const add = await by(`POST /groups/${id}/members`, { user_id: user.id, access_level: 20 });
      assert.equal(add.status, 403);
      assert.equal((await by(`PUT ${member}`, { access_level: 20 })).status, 403);
      assert.equal((await by(`DELETE ${member}`)).status, 403);
      const free = await by(`POST ${member}/override`);
      assert.equal(free.status, 201);
      assert.equal(free.body.override, true);
      assert.equal((await by(`PUT ${member}`, { access_level: 20 })).status, 200);
      await sync(id);
      assert.equal((await levels(id)).ann, 20);
      assert.equal((await by(`DELETE ${member}/override`)).body.override, false);
      await sync(id);
      assert.equal((await levels(id)).ann, 30);
      assert.equal((await by(`POST /groups/${id}/members/${owner.id}/override`)).status, 404);
    });

    it('prevents invitations by e-mail address', async () => {
      const id = await addGroup({ cn: 'Devs', group_access: 30 });
      const json = { email: 'stranger@example.org', access_level: 20 };
      const { body } = await server.api(`POST /groups/${id}/invitations`, { token: owner.token, json });
      assert.equal(body.status, 'error');
      assert.equal((await server.must(`GET /groups/${id}/invitations`)).length, 0);
    });

    it('restricts all memberships to administrators if the instance says so', async () => {
      const { token } = owner;
      const by = (call: string, json?: object) => server.api(call, { token, ...(json ? { json } : {}) });
      const id = await addGroup();
      const other = await addGroup();
      const user = await addUser(server);
      const project = await server.must('POST /projects', { token, json: { name: 'inside', namespace_id: id } });
      const own = await server.must('POST /projects', { token, json: { name: 'own' } });
      const role = { user_id: user.id, access_level: 20 };
      assert.equal((await by(`POST /groups/${id}/members`, role)).status, 201);
      await server.must('PUT /application/settings', { json: { lock_memberships_to_ldap: true } });
      const another = { user_id: (await addUser(server)).id, access_level: 20 };
      const refused: [string, object?][] = [
        [`POST /groups/${id}/members`, another],
        [`POST /projects/${project.id}/members`, another],
        [`PUT /groups/${id}/members/${user.id}`, { access_level: 30 }],
        [`DELETE /groups/${id}/members/${user.id}`],
        [`DELETE /groups/${id}/billable_members/${user.id}`],
        [`POST /projects/${project.id}/share`, { group_id: other, group_access: 20 }],
        [`POST /groups/${id}/share`, { group_id: other, group_access: 20 }],
        [`POST /projects/${project.id}/import_project_members/${own.id}`],
      ];
      for (const [call, json] of refused) {
        const { status, text } = await by(call, json);
        assert.equal(status, 403, `${call}: ${text}`);
      }
      const invited = await by(`POST /groups/${id}/invitations`, { email: 'a@example.org', access_level: 20 });
      assert.deepEqual([invited.body.status, (await by(`GET /groups/${id}/invitations`)).body], ['error', []]);
      // Administrators manage members, users may leave, and personal projects are not affected.
      assert.equal((await server.api(`POST /groups/${id}/members`, { json: another })).status, 201);
      assert.equal((await by(`POST /projects/${own.id}/members`, role)).status, 201);
      assert.equal((await server.api(`DELETE /groups/${id}/members/${user.id}`, { token: user.token })).status, 204);
      await server.must('PUT /application/settings', { json: { lock_memberships_to_ldap: false } });
      assert.equal((await by(`POST /groups/${id}/members`, role)).status, 201);
    });

    it('keeps the last owner', async () => {
      await slapd.addGroup('Owners', [`${dns.ann}`]);
      const id = await addGroup({ cn: 'Owners', group_access: 50 });
      await sync(id);
      assert.equal((await levels(id)).ann, 50);
      assert.equal((await server.api(`DELETE /groups/${id}/members/${owner.id}`, { token: owner.token })).status, 204);
      await slapd.client.del(`cn=Owners,ou=groups,${suffix}`);
      await slapd.addGroup('Owners', []);
      assert.equal((await server.api(`POST /groups/${id}/ldap_sync`)).status, 202);
      await settled(id);
      assert.deepEqual(await levels(id), { ann: 50 });
    });

    it('adds users on their first sign-in', async () => {
      const id = await addGroup({ cn: 'Devs', group_access: 30 });
      await sync(id);
      ids.late = await signIn('late');
      await until(async () => (await levels(id)).late === 30);
    });

    it('lists LDAP groups for administrators', async () => {
      assert.deepEqual(await server.must('GET /ldap/groups?search=dev'), [{ cn: 'Devs' }]);
      assert.deepEqual(await server.must('GET /ldap/ldapmain/groups?search=*'), []);
      assert.equal((await server.api('GET /ldap/ldapother/groups')).status, 404);
      assert.equal((await server.api('GET /ldap/groups', { token: owner.token })).status, 403);
    });

    it('leaves members unchanged and reports a failure while the directory is down', async () => {
      const id = await addGroup({ cn: 'Devs', group_access: 30 });
      await sync(id);
      const whole = await levels(id);
      await slapd.stop();
      await sync(id);
      assert.deepEqual(await levels(id), whole);
      const status = await statusOf(id);
      assert.equal(status?.status, 'failed');
      assert.match(status?.error ?? '', /Connection error/);
      assert.deepEqual(await server.must('GET /ldap/groups'), []);
      assert.ok((status?.last_successful_update_at ?? 0) <= (status?.last_update_at ?? 0));
    });
  });
});
