import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Attribute, Change } from 'ldapts';
import { checkPassword } from '../../../src/access/credentials/passwords.ts';
import { usernameFrom } from '../../../src/people/directory/person.ts';
import { syncAllUsers } from '../../../src/people/directory/user-sync.ts';
import { atOnce } from '../../support/at-once.ts';
import { Browser } from '../../support/browser.ts';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { appCode, codePage, factorPage, switchOn } from '../../support/second-factor.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { admin, noSlapd, Slapd, suffix } from '../../support/slapd.ts';
import { until } from '../../support/until.ts';

describe('usernames derived from logins', () => {
  const cases: [string, string][] = [
    ['john', 'john'],
    ['John.Smith@example.com', 'John.Smith'],
    ['jürgen müller', 'ju-rgen-mu-ller'],
    ['..x..y..', 'x.y'],
    ['a', 'user-a'],
    ['ß', 'user-1'],
    ['tool.git', 'tool-git'],
  ];
  for (const [login, expected] of cases)
    it(`${login} becomes ${expected}`, () => assert.equal(usernameFrom(login), expected));
});

const flagsFor = (slapd: Slapd, more: readonly string[] = []) => [
  ...['--ldap-bind-dn', admin.dn, '--ldap-password', admin.password, '--ldap-base', `ou=people,${suffix}`],
  ...['--ldap-group-base', `ou=groups,${suffix}`, '--ldap-user-filter', '(!(employeeType=robot))'],
  ...(more.includes('--ldap-url') ? [] : ['--ldap-url', slapd.url]),
  ...more,
];

forEachEngine((engine) => {
  describe('sign-in with a directory account', { skip: noSlapd }, () => {
    let slapd: Slapd;
    let server: TestServer;

    before(async () => {
      slapd = await Slapd.start();
      server = await startTestServer(engine, flagsFor(slapd, ['--ldap-admin-group', 'rulers']));
    });

    const check = (login: string, password: string) => checkPassword(server.running.services, login, password);
    const readUser = async (id: number) =>
      (await server.must(`GET /users/${id}`)) as { state: string; is_admin: boolean };
    const sync = () => {
      const { services } = server.running;
      return syncAllUsers(services, new AbortController().signal);
    };

    it('keeps the name and the address of the directory, and proves its users by their password there', async () => {
      await slapd.addPerson('zoe', { displayName: 'Zoe' });
      const browser = new Browser(server);
      await browser.signIn('zoe', 'secret of zoe');
      const profile = '/-/user_settings/profile';
      const refused = async (path: string, fields: Record<string, string>, reason: RegExp) => {
        const answer = await browser.fill(profile, path, fields);
        assert.equal(answer.status, 422, path);
        assert.match(answer.text, reason);
      };
      const { text } = await browser.open(profile);
      assert.doesNotMatch(text, /name="name"|name="email"/);
      await refused(`${profile}/details`, { name: 'Another' }, /Your name comes from the directory/);
      const moved = { email: 'zoe@elsewhere.example', password: 'secret of zoe' };
      await refused(`${profile}/email`, moved, /Your email address comes from the directory/);
      const password = '/-/user_settings/password/edit';
      const page = (await browser.open(password)).text;
      assert.match(page, /Your password is that of the directory/);
      assert.doesNotMatch(page, /name="next"/);
      await refused(password, { current: 'secret of zoe', next: 'my very own words' }, /that of the directory/);
      await refused('/-/profile/account/delete', { password: 'x', username: 'zoe' }, /password is incorrect/);
      const proof = { password: 'secret of zoe' };
      assert.equal((await browser.fill(profile, '/-/profile/account/delete', proof)).status, 200);
      assert.deepEqual(await server.must('GET /users?username=zoe'), []);
    });

    it('creates an account at the first sign-in and finds it at the next', async () => {
      const dn = await slapd.addPerson('ada', { displayName: 'Ada Lovelace' });
      const browser = new Browser(server);
      assert.equal((await browser.signIn('ada', 'secret of ada')).status, 303);
      const [user] = await server.must('GET /users?username=ada');
      assert.equal(user.name, 'Ada Lovelace');
      assert.equal(user.email, 'ada@directory.example.com');
      assert.deepEqual(
        user.identities.map((one: { provider: string; extern_uid: string }) => [one.provider, one.extern_uid]),
        [['ldapmain', dn.toLowerCase()]],
      );
      assert.equal((await check('ada', 'secret of ada'))?.id, user.id);
    });

    it('requires approval for users whose account was deleted', async () => {
      await slapd.addPerson('boomerang');
      const first = await check('boomerang', 'secret of boomerang');
      assert.ok(first);
      await server.must(`DELETE /users/${first.id}?hard_delete=true`);
      await until(async () => (await server.api(`GET /users/${first.id}`)).status === 404);
      const browser = new Browser(server);
      assert.equal((await browser.signIn('boomerang', 'secret of boomerang')).status, 422);
      const [user] = await server.must('GET /users?username=boomerang');
      assert.equal(user.state, 'blocked_pending_approval');
      await server.must(`POST /users/${user.id}/approve`);
      assert.equal((await browser.signIn('boomerang', 'secret of boomerang')).status, 303);
    });

    it('asks for the second factor like any sign-in', async () => {
      await slapd.addPerson('careful');
      const browser = new Browser(server);
      assert.equal((await browser.signIn('careful', 'secret of careful')).status, 303);
      const { key, codes } = await switchOn(browser, 'secret of careful');
      const again = new Browser(server);
      const halfway = await again.signIn('careful', 'secret of careful');
      assert.match(halfway.headers.get('location') ?? '', /^\/users\/sign_in\/two_factor/);
      assert.match((await again.open('/dashboard/todos')).headers.get('location') ?? '', /^\/users\/sign_in/);
      assert.equal((await again.post(codePage, { 'user[otp_attempt]': '000000' })).status, 422);
      assert.equal((await again.post(codePage, { 'user[otp_attempt]': appCode(key, 1) })).status, 303);
      assert.equal((await again.open('/dashboard/todos')).status, 200);
      const off = { password: 'secret of careful', code: codes[0] ?? '' };
      assert.equal((await again.fill(factorPage, `${factorPage}/off`, off)).status, 303);
    });

    it('rejects wrong and empty passwords and logins with filter syntax', async () => {
      await slapd.addPerson('bob');
      assert.equal(await check('bob', 'wrong'), undefined);
      assert.equal(await check('bob', ''), undefined);
      assert.equal(await check('bo*', 'secret of bob'), undefined);
      assert.equal(await check('bob)(uid=*', 'secret of bob'), undefined);
      assert.equal(await check('*', 'secret of bob'), undefined);
      assert.deepEqual(await server.must('GET /users?username=bob'), []);
      assert.ok(await check('bob', 'secret of bob'));
    });

    it('is restricted by the configured user filter', async () => {
      await slapd.addPerson('r2d2', { employeeType: 'robot' });
      assert.equal(await check('r2d2', 'secret of r2d2'), undefined);
    });

    it('authenticates Git over HTTP', async () => {
      await slapd.addPerson('grace');
      const user = await check('grace', 'secret of grace');
      assert.ok(user);
      const { token } = await server.must(`POST /users/${user.id}/personal_access_tokens`, {
        json: { name: 'test', scopes: ['api'] },
      });
      await server.must('POST /projects', { token, json: { name: 'engine' } });
      const refs = (password: string) =>
        fetch(`${server.url}/grace/engine.git/info/refs?service=git-upload-pack`, {
          headers: { authorization: `Basic ${btoa(`grace:${password}`)}` },
        });
      assert.equal((await refs('secret of grace')).status, 200);
      assert.equal((await refs('wrong')).status, 401);
    });

    it('does not take over local accounts', async () => {
      const local = await addUser(server, 'local');
      await slapd.addPerson(local.username, { mail: 'another@directory.example.com' });
      assert.equal((await check(local.username, 'long enough 4 you'))?.id, local.id);
      const other = await check(local.username, `secret of ${local.username}`);
      assert.notEqual(other?.id, local.id);
      assert.equal(other?.username, `${local.username}1`);
      await slapd.addPerson('thief', { mail: `${local.username}@example.com` });
      assert.equal(await check('thief', 'secret of thief'), undefined);
    });

    it('does not hand an account to a user who takes its e-mail address in the directory', async () => {
      await slapd.addPerson('victim');
      const victim = await check('victim', 'secret of victim');
      await slapd.addPerson('taker', { mail: 'victim@directory.example.com' });
      assert.equal(await check('taker', 'secret of taker'), undefined);
      assert.equal((await check('victim', 'secret of victim'))?.id, victim?.id);
    });

    it('follows a user renamed in the directory', async () => {
      const dn = await slapd.addPerson('maiden', { mail: 'same@directory.example.com' });
      const user = await check('maiden', 'secret of maiden');
      await slapd.client.del(dn);
      await slapd.addPerson('married', { mail: 'same@directory.example.com' });
      assert.equal((await check('married', 'secret of married'))?.id, user?.id);
      assert.equal(user?.username, 'maiden');
    });

    it('updates the e-mail address from the directory unless it is taken', async () => {
      const dn = await slapd.addPerson('moved', { mail: 'old@directory.example.com' });
      const user = await check('moved', 'secret of moved');
      assert.ok(user);
      const taken = await addUser(server, 'taken');
      const give = (value: string) =>
        slapd.client.modify(
          dn,
          new Change({ operation: 'replace', modification: new Attribute({ type: 'mail', values: [value] }) }),
        );
      const address = async () => (await server.must(`GET /users/${user.id}`)).email;
      await give('new@directory.example.com');
      await check('moved', 'secret of moved');
      assert.equal(await address(), 'new@directory.example.com');
      await give(`${taken.username}@example.com`);
      assert.equal((await check('moved', 'secret of moved'))?.id, user.id);
      assert.equal(await address(), 'new@directory.example.com');
      await give('newest@directory.example.com');
      await sync();
      assert.equal(await address(), 'newest@directory.example.com');
    });

    it('disables the local password of an account linked to the directory', async () => {
      const dn = await slapd.addPerson('mover');
      const user = await addUser(server, 'mover');
      await server.must(`PUT /users/${user.id}`, { json: { provider: 'ldapmain', extern_uid: dn.toUpperCase() } });
      assert.equal(await check(user.username, 'long enough 4 you'), undefined);
      assert.equal((await check('mover', 'secret of mover'))?.id, user.id);
      await server.must(`DELETE /users/${user.id}/identities/ldapmain`);
      assert.equal((await check(user.username, 'long enough 4 you'))?.id, user.id);
      assert.equal((await server.api(`DELETE /users/${user.id}/identities/ldapmain`)).status, 404);
    });

    it('creates one account for concurrent first sign-ins', async () => {
      await slapd.addPerson('crowd');
      const users = await atOnce(5, () => check('crowd', 'secret of crowd'));
      assert.equal(new Set(users.map((user) => user?.id)).size, 1);
      assert.ok(users[0]);
    });

    it('locks the account after too many wrong passwords', async () => {
      await slapd.addPerson('guessed');
      const user = await check('guessed', 'secret of guessed');
      assert.ok(user);
      for (let tries = 0; tries < 10; tries++) await check('guessed', 'wrong');
      assert.equal(await check('guessed', 'secret of guessed'), undefined);
    });

    it('blocks users removed from the directory and unblocks those who return', async () => {
      const dn = await slapd.addPerson('leaver');
      const user = await check('leaver', 'secret of leaver');
      assert.ok(user);
      await slapd.client.del(dn);
      await sync();
      assert.equal((await readUser(user.id)).state, 'ldap_blocked');
      assert.equal((await server.api(`POST /users/${user.id}/unblock`)).status, 403);
      assert.equal((await server.api(`POST /users/${user.id}/block`)).status, 403);
      await slapd.addPerson('leaver');
      assert.equal((await check('leaver', 'secret of leaver'))?.state, 'active');
      await slapd.client.del(dn);
      await sync();
      await slapd.addPerson('leaver');
      await sync();
      assert.equal((await readUser(user.id)).state, 'active');
    });

    it('synchronizes administrators with a directory group', async () => {
      const ruler = await check('ada', 'secret of ada');
      const other = await check('grace', 'secret of grace');
      assert.ok(ruler && other);
      await slapd.addGroup('rulers', [`uid=ada,ou=people,${suffix}`]);
      await sync();
      assert.equal((await readUser(ruler.id)).is_admin, true);
      assert.equal((await readUser(other.id)).is_admin, false);
      await slapd.client.del(`cn=rulers,ou=groups,${suffix}`);
      await slapd.addGroup('rulers', [`uid=grace,ou=people,${suffix}`]);
      await sync();
      assert.equal((await readUser(ruler.id)).is_admin, false);
      assert.equal((await readUser(other.id)).is_admin, true);
    });

    it('changes nothing while the directory is down', async () => {
      const user = await check('bob', 'secret of bob');
      assert.ok(user);
      await slapd.stop();
      assert.equal(await check('bob', 'secret of bob'), undefined);
      assert.equal((await check('root', 'correct horse battery'))?.username, 'root');
      await assert.rejects(sync(), /./);
      assert.equal((await readUser(user.id)).state, 'active');
      await slapd.run();
      await slapd.client.bind(admin.dn, admin.password);
      assert.equal((await check('bob', 'secret of bob'))?.id, user.id);
    });

    it('supports TLS and rejects untrusted certificates', async () => {
      await slapd.addPerson('tess');
      const attempt = async (flags: readonly string[]) => {
        const other = await startTestServer(engine, flagsFor(slapd, flags));
        return checkPassword(other.running.services, 'tess', 'secret of tess');
      };
      const ca = ['--ldap-ca', slapd.certificate];
      assert.ok(await attempt(['--ldap-url', `ldaps://127.0.0.1:${slapd.securePort}`, ...ca]));
      assert.ok(await attempt(['--ldap-url', slapd.url, '--ldap-start-tls', ...ca]));
      assert.equal(await attempt(['--ldap-url', `ldaps://127.0.0.1:${slapd.securePort}`]), undefined);
      assert.equal(await attempt(['--ldap-url', slapd.url, '--ldap-start-tls']), undefined);
    });
  });
});
