import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { checkPassword } from '../../../src/access/credentials/passwords.ts';
import { syncAllUsers } from '../../../src/people/directory/user-sync.ts';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { admin, noSlapd, Slapd, suffix } from '../../support/slapd.ts';
import { until } from '../../support/until.ts';

const bases = { base: `ou=people,${suffix}`, group_base: `ou=groups,${suffix}` };

forEachEngine((engine) => {
  describe('several directories', { skip: noSlapd }, () => {
    let main: Slapd;
    let second: Slapd;
    let server: TestServer;

    before(async () => {
      main = await Slapd.start();
      second = await Slapd.start();
      const file = join(second.folder, 'directories.json');
      const bind = { bind_dn: admin.dn, password: admin.password };
      const further = { provider: 'ldapsecond', url: second.url, link_by_email: true, ...bind, ...bases };
      await writeFile(file, JSON.stringify([further]));
      server = await startTestServer(engine, [
        ...['--ldap-url', main.url, '--ldap-bind-dn', admin.dn, '--ldap-password', admin.password],
        ...['--ldap-base', bases.base, '--ldap-group-base', bases.group_base, '--ldap-directories', file],
      ]);
    });

    const check = (login: string, password: string) => checkPassword(server.running.services, login, password);
    const sync = () => syncAllUsers(server.running.services, new AbortController().signal);
    const stateOf = async (id: number) => (await server.must(`GET /users/${id}`)).state as string;
    const providersOf = async (id: number) => {
      const { identities } = (await server.must(`GET /users/${id}`)) as { identities: { provider: string }[] };
      return identities.map(({ provider }) => provider).sort();
    };

    it('authenticate their own users under their own provider names', async () => {
      await main.addPerson('mia');
      await second.addPerson('sam');
      const [mia, sam] = [await check('mia', 'secret of mia'), await check('sam', 'secret of sam')];
      assert.ok(mia && sam);
      assert.deepEqual(await providersOf(mia.id), ['ldapmain']);
      assert.deepEqual(await providersOf(sam.id), ['ldapsecond']);
      assert.equal((await check('sam', 'secret of sam'))?.id, sam.id);
      assert.equal(await check('sam', 'wrong'), undefined);
    });

    it('keep users with the same login apart', async () => {
      await main.addPerson('twin', { userPassword: 'first of twins' });
      await second.addPerson('twin', { userPassword: 'second of twins', mail: 'other@directory.example.com' });
      const first = await check('twin', 'first of twins');
      const other = await check('twin', 'second of twins');
      assert.ok(first && other);
      assert.notEqual(first.id, other.id);
      assert.equal((await check('twin', 'first of twins'))?.id, first.id);
      assert.equal((await check('twin', 'second of twins'))?.id, other.id);
    });

    it("do not block each other's users, and the first one linked manages an account", async () => {
      const dn = await main.addPerson('both');
      await second.addPerson('both');
      const user = await check('both', 'secret of both');
      assert.ok(user);
      await server.must(`PUT /users/${user.id}`, {
        json: { provider: 'ldapsecond', extern_uid: `uid=both,${bases.base}` },
      });
      assert.deepEqual(await providersOf(user.id), ['ldapmain', 'ldapsecond']);
      await second.client.del(`uid=both,${bases.base}`);
      await sync();
      assert.equal(await stateOf(user.id), 'active');
      await second.addPerson('both');
      await main.client.del(dn);
      await sync();
      assert.equal(await stateOf(user.id), 'ldap_blocked');
      assert.equal((await check('both', 'secret of both'))?.state, 'ldap_blocked');
      await sync();
      assert.equal(await stateOf(user.id), 'ldap_blocked');
    });

    it('link accounts by e-mail address only where that directory allows it', async () => {
      const [one, two] = [await addUser(server, 'one'), await addUser(server, 'two')];
      await main.addPerson('one-main', { mail: `${one.username}@example.com` });
      await second.addPerson('two-second', { mail: `${two.username}@example.com` });
      assert.equal(await check('one-main', 'secret of one-main'), undefined);
      assert.equal((await check('two-second', 'secret of two-second'))?.id, two.id);
    });

    it('are queried again for a group whose links changed during the sync', async () => {
      const [mia, sam] = [await check('mia', 'secret of mia'), await check('sam', 'secret of sam')];
      const owner = await addUser(server, 'owner');
      const { token } = owner;
      await main.addGroup('Early', [`uid=mia,${bases.base}`]);
      await second.addGroup('Late', [`uid=sam,${bases.base}`]);
      const { id } = await server.must('POST /groups', { token, json: { name: 'Asked', path: 'asked' } });
      const link = (cn: string, provider: string) =>
        server.must(`POST /groups/${id}/ldap_group_links`, { token, json: { cn, provider, group_access: 30 } });
      const row = server.db.read.selectFrom('ldap_group_syncs').select('status').where('namespace_id', '=', id);
      const status = async () => (await row.executeTakeFirst())?.status;
      // A stopped process blocks its clients, so the run cannot end before the second link exists.
      main.pause();
      await link('Early', 'ldapmain');
      await until(async () => (await status()) === 'started');
      await link('Late', 'ldapsecond');
      assert.equal(await status(), 'pending');
      main.resume();
      await until(async () => (await status()) === 'ready');
      const members = (await server.must(`GET /groups/${id}/members`)) as { id: number }[];
      assert.deepEqual(new Set(members.map((one) => one.id)), new Set([owner.id, mia?.id, sam?.id]));
    });

    it('grant roles in the same group, each to its own users', async () => {
      const [mia, sam] = [await check('mia', 'secret of mia'), await check('sam', 'secret of sam')];
      const owner = await addUser(server, 'owner');
      await main.addGroup('Devs', [`uid=mia,${bases.base}`, `uid=sam,${bases.base}`]);
      await second.addGroup('Devs', [`uid=sam,${bases.base}`, `uid=mia,${bases.base}`]);
      const { token } = owner;
      const { id } = await server.must('POST /groups', { token, json: { name: 'Devs', path: 'devs' } });
      const links = `/groups/${id}/ldap_group_links`;
      for (const [provider, group_access] of [
        ['ldapmain', 30],
        ['ldapsecond', 40],
      ])
        await server.must(`POST ${links}`, { token, json: { cn: 'Devs', provider, group_access } });
      const levels = async () => {
        const members = (await server.must(`GET /groups/${id}/members`)) as { id: number; access_level: number }[];
        return Object.fromEntries(members.map((one) => [one.id, one.access_level]));
      };
      const both = { [owner.id]: 50, [`${mia?.id}`]: 30, [`${sam?.id}`]: 40 };
      const settled = async () => {
        await server.must(`POST /groups/${id}/ldap_sync`, { token });
        const row = server.db.read.selectFrom('ldap_group_syncs').selectAll().where('namespace_id', '=', id);
        await until(async () => ['ready', 'failed'].includes((await row.executeTakeFirst())?.status ?? ''));
        return row.executeTakeFirstOrThrow();
      };
      assert.equal((await settled()).status, 'ready');
      assert.deepEqual(await levels(), both);
      assert.deepEqual(await server.must('GET /ldap/ldapsecond/groups?search=De'), [{ cn: 'Devs' }]);
      assert.equal((await server.api('GET /ldap/ldapthird/groups')).status, 404);
      // An unavailable directory leaves its users unchanged and does not affect the other.
      await main.stop();
      await second.client.del(`cn=Devs,${bases.group_base}`);
      await second.addGroup('Devs', []);
      const after = await settled();
      assert.equal(after.status, 'failed');
      assert.match(`${after.error}`, /Connection error/);
      assert.deepEqual(await levels(), { [owner.id]: 50, [`${mia?.id}`]: 30 });
    });

    it('work while one of them is unavailable', async () => {
      assert.equal(await check('mia', 'secret of mia'), undefined);
      assert.ok(await check('sam', 'secret of sam'));
      const dn = `uid=sam,${bases.base}`;
      const sam = await check('sam', 'secret of sam');
      await second.client.del(dn);
      await assert.rejects(sync(), /not all directories/);
      assert.equal(await stateOf(sam?.id ?? 0), 'ldap_blocked');
      const [mia] = await server.must('GET /users?username=mia');
      assert.equal(mia.state, 'active');
    });
  });
});
