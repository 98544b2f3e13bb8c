import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { atOnce } from '../../support/at-once.ts';
import { Browser } from '../../support/browser.ts';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';

const oldPassword = 'long enough 4 you';
const newPassword = 'quite another phrase';

forEachEngine((engine) => {
  describe('account e-mails', () => {
    let server: TestServer;

    before(async () => {
      server = await startTestServer(engine, ['--trusted-proxies', '127.0.0.1']);
    });

    const emailsTo = async (address: string, subject: RegExp) => {
      const folder = join(server.running.services.config.data, 'mail');
      const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml'));
      const messages = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
      return messages.filter((message) => message.includes(`To: ${address}`) && subject.test(message));
    };
    const resetSubject = /Subject: Choose a new password/;
    /** Returns the path of the link in an e-mail, decoded from the quoted-printable plain text. */
    const linkIn = (message: string) => {
      const plain = message.replace(/=\r?\n/g, '').replace(/=3D/g, '=');
      return /https?:\/\/[^\s/]+(\/\S*(?:token)=[^\s"<]+)/.exec(plain)?.[1] ?? '';
    };
    let callers = 0;
    const from = (ip = `198.51.100.${++callers}`) => ({ 'x-forwarded-for': ip });
    const ask = (kind: 'password' | 'confirmation', email: string, headers = from()) =>
      new Browser(server).post(`/users/${kind}`, { 'user[email]': email }, headers);
    const idle = () =>
      until(async () => {
        const { count } = await server.db.read
          .selectFrom('jobs')
          .select((eb) => eb.fn.countAll<number | string>().as('count'))
          .where('kind', 'in', ['sessions.email', 'mail.send'])
          .executeTakeFirstOrThrow();
        return Number(count) === 0;
      });
    const linkFor = async (email: string) => {
      assert.equal((await ask('password', email)).status, 200);
      await until(async () => (await emailsTo(email, resetSubject)).length > 0);
      const [message = ''] = await emailsTo(email, resetSubject);
      return linkIn(message);
    };
    const choose = (link: string, password: string) =>
      new Browser(server).post('/users/password/edit', {
        reset_password_token: new URL(link, server.url).searchParams.get('reset_password_token') ?? '',
        'user[password]': password,
      });
    const canSignIn = async (login: string, password: string) =>
      (await new Browser(server).post('/users/sign_in', { 'user[login]': login, 'user[password]': password }, from()))
        .status === 303;

    it('let a user set a new password once', async () => {
      const user = await addUser(server, 'forgetful');
      const email = `${user.username}@example.com`;
      const signedIn = new Browser(server);
      await signedIn.signIn(user.username, oldPassword);
      const link = await linkFor(email);
      assert.equal((await new Browser(server).open(link)).status, 200);
      const short = await choose(link, 'short');
      assert.equal(short.status, 422);
      assert.match(short.text, /is too short \(minimum is 8 characters\)/);
      assert.equal(await canSignIn(user.username, oldPassword), true);
      const done = await choose(link, newPassword);
      assert.match(done.text, /Your password has been changed successfully/);
      assert.equal(await canSignIn(user.username, newPassword), true);
      assert.equal(await canSignIn(user.username, oldPassword), false);
      assert.equal((await signedIn.open('/-/user_settings/password/edit')).status, 303);
      assert.equal((await choose(link, 'a third phrase of mine')).status, 404);
      assert.equal((await new Browser(server).open(link)).status, 404);
      await until(async () => (await emailsTo(email, /Subject: Your password was changed/)).length === 1);
      const events = (await server.must('GET /audit_events?entity_type=User')) as { details: object }[];
      assert.ok(JSON.stringify(events).includes('Ask for password reset'));
    });

    it('are valid once even when used concurrently', async () => {
      const user = await addUser(server, 'hasty');
      const link = await linkFor(`${user.username}@example.com`);
      const answers = await atOnce(4, () => choose(link, newPassword));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404, 404, 404]);
    });

    it('end a lock and are rejected while the account is blocked', async () => {
      const user = await addUser(server, 'locked');
      const link = await linkFor(`${user.username}@example.com`);
      for (let tries = 0; tries < 10; tries++) await canSignIn(user.username, 'wrong');
      assert.equal(await canSignIn(user.username, oldPassword), false);
      await server.must(`POST /users/${user.id}/block`);
      assert.equal((await choose(link, newPassword)).status, 404);
      await server.must(`POST /users/${user.id}/unblock`);
      assert.equal((await choose(link, newPassword)).status, 200);
      assert.equal(await canSignIn(user.username, newPassword), true);
    });

    it('answer equally for all addresses and are sent only to accounts', async () => {
      const user = await addUser(server, 'known');
      const blocked = await addUser(server, 'shut');
      await server.must(`POST /users/${blocked.id}/block`);
      const addresses = [
        `${user.username}@example.com`,
        `${blocked.username}@example.com`,
        'nobody@example.com',
        'x',
        '',
      ];
      for (const kind of ['password', 'confirmation'] as const) {
        const answers = [];
        for (const address of addresses) answers.push((await ask(kind, address)).text.replace(/nonce="[^"]*"/g, ''));
        assert.equal(new Set(answers).size, 1, kind);
        assert.match(answers[0] ?? '', /If your email address exists in our database/);
      }
      await idle();
      assert.equal((await emailsTo(`${user.username}@example.com`, resetSubject)).length, 1);
      assert.equal((await emailsTo(`${blocked.username}@example.com`, resetSubject)).length, 0);
      assert.equal((await emailsTo('nobody@example.com', /./)).length, 0);
    });

    it('reject forged forms, invalid tokens and too many requests', async () => {
      const foreign = { ...from(), origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
      assert.equal((await ask('password', 'a@example.com', foreign)).status, 403);
      assert.equal((await choose('/?reset_password_token=nonsense', newPassword)).status, 404);
      assert.equal((await new Browser(server).open('/users/password/edit')).status, 404);
      const one = from('203.0.113.9');
      const statuses = [];
      for (let times = 0; times < 11; times++)
        statuses.push((await ask('password', `a${times}@example.com`, one)).status);
      assert.deepEqual(statuses, [...Array(10).fill(200), 429]);
    });

    it('are limited per recipient', async () => {
      const user = await addUser(server, 'flooded');
      const email = `${user.username}@example.com`;
      for (let times = 0; times < 8; times++) assert.equal((await ask('password', email)).status, 200);
      await idle();
      assert.equal((await emailsTo(email, resetSubject)).length, 5);
    });

    it('are sent to confirmed secondary addresses only', async () => {
      const user = await addUser(server, 'second');
      await server.must(`POST /users/${user.id}/emails`, {
        json: { email: 'spare@example.com', skip_confirmation: true },
      });
      await server.must(`POST /users/${user.id}/emails`, { json: { email: 'claimed@example.com' } });
      assert.equal((await choose(await linkFor('spare@example.com'), newPassword)).status, 200);
      await ask('password', 'claimed@example.com');
      await idle();
      assert.equal((await emailsTo('claimed@example.com', resetSubject)).length, 0);
    });

    it('let a new user choose the password', async () => {
      const json = { email: 'fresh@example.com', name: 'Fresh', username: 'fresh', reset_password: true };
      const user = await server.must('POST /users', { json });
      await until(async () => (await emailsTo('fresh@example.com', resetSubject)).length === 1);
      const [message = ''] = await emailsTo('fresh@example.com', resetSubject);
      assert.equal((await choose(linkIn(message), newPassword)).status, 200);
      assert.equal(await canSignIn('fresh', newPassword), true);
      assert.notEqual((await server.must(`GET /users/${user.id}`)).confirmed_at, null);
    });

    it('are sent again for any unconfirmed address', async () => {
      const subject = /Subject: Confirm your address/;
      const { id } = await server.must('POST /users', {
        json: { email: 'late@example.com', name: 'Late', username: 'late', password: oldPassword },
      });
      await server.must(`POST /users/${id}/emails`, { json: { email: 'late2@example.com' } });
      for (const email of ['late@example.com', 'late2@example.com']) {
        await until(async () => (await emailsTo(email, subject)).length === 1);
        assert.equal((await ask('confirmation', email.toUpperCase())).status, 200);
        await until(async () => (await emailsTo(email, subject)).length === 2);
      }
      const [message = ''] = await emailsTo('late@example.com', subject);
      const link = linkIn(message);
      assert.match((await new Browser(server).post(link, {})).text, /is confirmed/);
      await server.must(`PUT /users/${id}`, { json: { email: 'late3@example.com' } });
      await until(async () => (await emailsTo('late3@example.com', subject)).length === 1);
      await ask('confirmation', 'late3@example.com');
      await until(async () => (await emailsTo('late3@example.com', subject)).length === 2);
      await ask('confirmation', 'late@example.com');
      await idle();
      assert.equal((await emailsTo('late@example.com', subject)).length, 2);
    });

    it('report sign-ins from a new location unless disabled', async () => {
      const user = await addUser(server, 'traveller');
      const email = `${user.username}@example.com`;
      const subject = /sign-in from new location/;
      const enter = (ip: string) =>
        new Browser(server).post(
          '/users/sign_in',
          { 'user[login]': user.username, 'user[password]': oldPassword },
          { ...from(ip), 'user-agent': 'Firefox <b>' },
        );
      for (const ip of ['192.0.2.1', '192.0.2.1']) assert.equal((await enter(ip)).status, 303);
      await idle();
      assert.equal((await emailsTo(email, subject)).length, 0);
      await enter('192.0.2.2');
      await until(async () => (await emailsTo(email, subject)).length === 1);
      const [message = ''] = await emailsTo(email, subject);
      assert.match(message, /192\.0\.2\.2/);
      assert.match(message, /Firefox &lt;b&gt;/);
      await enter('192.0.2.1');
      await server.must('PUT /application/settings', { json: { notify_on_unknown_sign_in: false } });
      await enter('192.0.2.3');
      await idle();
      assert.equal((await emailsTo(email, subject)).length, 1);
    });
  });
});
