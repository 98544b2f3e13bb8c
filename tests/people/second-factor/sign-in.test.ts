import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { codeAt } from '../../../src/people/second-factor/totp.ts';
import { armFault } from '../../../src/platform/faults.ts';
import { atOnce, inRounds } from '../../support/at-once.ts';
import { Browser } from '../../support/browser.ts';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { appCode, codePage, factorPage, longAgo, switchOn } from '../../support/second-factor.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const password = 'long enough 4 you';
const halfway = /(?:^|; )hearth_second_factor=([^;]+)/;

forEachEngine((engine) => {
  describe('sign-in with a second factor', () => {
    let server: TestServer;
    let callers = 0;

    before(async () => {
      server = await startTestServer(engine, ['--trusted-proxies', '127.0.0.1']);
    });

    /** Uses a separate address per browser, because attempts are rate-limited by address. */
    const browserFrom = (ip = `198.51.100.${++callers}`) => new Browser(server, { 'x-forwarded-for': ip });
    const isIn = async (browser: Browser) => {
      const answer = await server.api('GET /user', { token: null, headers: { cookie: browser.cookie ?? '' } });
      return answer.status === 200;
    };
    const send = (browser: Browser, code: string, more: Record<string, string> = {}) =>
      browser.post(codePage, { 'user[otp_attempt]': code, ...more });

    const addUserWithFactor = async () => {
      const user = await addUser(server);
      const browser = browserFrom();
      assert.equal((await browser.signIn(user.username, password)).status, 303);
      const factor = await switchOn(browser, password);
      await longAgo(server, user.id);
      return { ...user, ...factor, browser };
    };
    const onTheWay = async (username: string, more: Record<string, string> = {}) => {
      const browser = browserFrom();
      const answer = await browser.signIn(username, password, more);
      assert.equal(answer.status, 303, answer.text);
      assert.match(answer.headers.get('location') ?? '', /^\/users\/sign_in\/two_factor\?/);
      return browser;
    };

    it('asks for the code after the password and redirects back', async () => {
      const { username, key } = await addUserWithFactor();
      const target = '/oauth/authorize?client_id=x&state=y';
      const browser = await onTheWay(username, { redirect: target });
      const page = await browser.open(`${codePage}?redirect=${encodeURIComponent(target)}`);
      assert.match(page.text, /name="redirect" value="\/oauth\/authorize\?client_id=x&amp;state=y"/);
      const wrong = await send(browser, '000000', { redirect: target });
      assert.equal(wrong.status, 422);
      assert.match(wrong.text, /Invalid two-factor code\./);
      assert.match(wrong.text, /value="\/oauth\/authorize\?client_id=x&amp;state=y"/);
      assert.equal(await isIn(browser), false);
      const right = await send(browser, appCode(key), { redirect: target });
      assert.equal(right.headers.get('location'), target);
      assert.equal(await isIn(browser), true);
      assert.doesNotMatch(browser.cookie ?? '', halfway);
      const elsewhere = await send(await onTheWay(username), appCode(key, 1), { redirect: '//evil.example' });
      assert.equal(elsewhere.headers.get('location'), '/');
    });

    it('does not accept the intermediate state as a session', async () => {
      const { username } = await addUserWithFactor();
      const browser = await onTheWay(username);
      const [, value = ''] = halfway.exec(browser.cookie ?? '') ?? [];
      assert.notEqual(value, '');
      for (const cookie of [browser.cookie ?? '', `_gitlab_session=${value}`])
        assert.equal((await server.api('GET /user', { token: null, headers: { cookie } })).status, 401);
      assert.equal((await server.api('GET /user', { token: value })).status, 401);
      assert.match((await browser.open('/dashboard/todos')).headers.get('location') ?? '', /^\/users\/sign_in/);
    });

    it('rejects a code without a verified password', async () => {
      const { key } = await addUserWithFactor();
      const browser = browserFrom();
      assert.equal((await browser.open(codePage)).headers.get('location'), '/users/sign_in?redirect=');
      const answer = await send(browser, appCode(key));
      assert.equal(answer.status, 422);
      assert.match(answer.text, /Sign in again/);
      const created = await browser.post(
        codePage,
        { 'user[otp_attempt]': appCode(key) },
        { cookie: 'hearth_second_factor=v1.00000000.abcdefgh' },
      );
      assert.equal(created.status, 422);
      assert.equal((await send(await onTheWay((await addUserWithFactor()).username), appCode(key))).status, 422);
    });

    it('rejects forged forms', async () => {
      const { username, key } = await addUserWithFactor();
      const browser = await onTheWay(username);
      const fields = { 'user[otp_attempt]': appCode(key) };
      assert.equal((await browser.post(codePage, fields, { origin: 'https://evil.example' })).status, 403);
      assert.equal((await browser.post(codePage, fields)).status, 303);
    });

    it('accepts each code once, also concurrently', async () => {
      await inRounds(async () => {
        const { id, username, key, codes } = await addUserWithFactor();
        const browsers = await atOnce(4, () => onTheWay(username));
        const code = appCode(key);
        const answers = await atOnce(4, (index) => send(browsers[index] as Browser, code));
        assert.deepEqual(answers.map(({ status }) => status).sort(), [303, 422, 422, 422]);
        const later = await onTheWay(username);
        assert.equal((await send(later, code)).status, 422);
        const written = await atOnce(4, (index) => send(browsers[index] as Browser, codes[0] ?? ''));
        assert.deepEqual(written.map(({ status }) => status).sort(), [303, 422, 422, 422]);
        assert.equal((await send(later, codes[0] ?? '')).status, 422);
        await longAgo(server, id);
      }, 3);
    });

    it('rejects the code used to enable it', async () => {
      const user = await addUser(server);
      const browser = browserFrom();
      await browser.signIn(user.username, password);
      const { key } = await switchOn(browser, password);
      const { last_step: step } = await server.db.read
        .selectFrom('second_factors')
        .select('last_step')
        .where('user_id', '=', user.id)
        .executeTakeFirstOrThrow();

      assert.equal((await send(await onTheWay(user.username), codeAt(key, step))).status, 422);
    });

    it('locks the account after wrong codes from any address', async () => {
      const { id, username, key, codes } = await addUserWithFactor();
      for (let at = 0; at < 5; at += 1) {
        const browser = await onTheWay(username);
        for (const code of ['000000', 'nonsense']) assert.equal((await send(browser, code)).status, 422);
      }
      // The correct password does not reset the counter.
      const browser = await onTheWay(username);
      for (const code of [appCode(key), codes[0] ?? '']) {
        const answer = await send(browser, code);
        assert.match(answer.text, /Too many wrong codes/);
        assert.equal(answer.status, 422);
      }
      await server.db.write((trx) =>
        trx.updateTable('second_factors').set({ locked_until: 1 }).where('user_id', '=', id).execute(),
      );
      assert.equal((await send(browser, appCode(key))).status, 303);
    });

    it('rate-limits attempts per address', async () => {
      const { username, key } = await addUserWithFactor();
      const browser = browserFrom('203.0.113.77');
      await browser.signIn(username, password);
      const [, value = ''] = halfway.exec(browser.cookie ?? '') ?? [];
      for (let at = 0; at < 30; at += 1)
        await browser.post(codePage, { 'user[otp_attempt]': '' }, { cookie: 'none=1' });
      const shown = { cookie: `hearth_second_factor=${value}` };
      const answer = await browser.post(codePage, { 'user[otp_attempt]': appCode(key) }, shown);
      assert.match(answer.text, /Too many attempts from your address/);
      assert.equal((await send(await onTheWay(username), appCode(key))).status, 303);
    });

    it('is aborted by a block, a password change and disabling the second factor', async () => {
      const { id, username, key } = await addUserWithFactor();
      const browser = await onTheWay(username);
      await server.must(`POST /users/${id}/block`);
      assert.match((await send(browser, appCode(key))).text, /Your account has been blocked/);
      await server.must(`POST /users/${id}/unblock`);
      await server.must(`PUT /users/${id}`, { json: { password: 'given by another 1' } });
      assert.match((await send(browser, appCode(key))).text, /Sign in again/);
      const again = browserFrom();
      await again.signIn(username, 'given by another 1');
      await server.must(`PATCH /users/${id}/disable_two_factor`);
      assert.match((await send(again, appCode(key))).text, /Sign in again/);
      assert.equal(await isIn(again), false);
    });

    it('expires after ten minutes', async (t) => {
      const { username, key } = await addUserWithFactor();
      const browser = await onTheWay(username);
      const now = Date.now();
      t.mock.method(Date, 'now', () => now + 10 * 60_000 + 1);
      const late = await send(browser, appCode(key));
      t.mock.restoreAll();
      assert.match(late.text, /Sign in again/);
    });

    it('does not consume a code if creating the session fails', async () => {
      const { username, key } = await addUserWithFactor();
      const browser = await onTheWay(username);
      const code = appCode(key);
      const disarm = armFault('second-factor.proven', () => {
        throw new Error('the power is gone');
      });
      assert.equal((await send(browser, code)).status, 500);
      disarm();
      assert.equal(await isIn(browser), false);
      assert.equal((await send(browser, code)).status, 303);
      assert.equal(await isIn(browser), true);
    });

    it('reactivates a deactivated account and is audited', async () => {
      const { id, username, codes } = await addUserWithFactor();
      await server.db.write((trx) =>
        trx.updateTable('users').set({ state: 'deactivated' }).where('id', '=', id).execute(),
      );
      const browser = await onTheWay(username);
      assert.equal((await send(browser, 'wrong')).status, 422);
      assert.equal((await send(browser, (codes[3] ?? '').toUpperCase())).status, 303);
      assert.equal((await server.must(`GET /users/${id}`)).state, 'active');
      const events = await server.must(`GET /audit_events?entity_type=User&entity_id=${id}`);
      const names = events.map((event: { event_name: string }) => event.event_name);
      for (const name of [
        'user_enable_two_factor',
        'user_recovery_code_used',
        'login_failed_with_standard_authentication',
      ])
        assert.ok(names.includes(name), `${name} in ${names}`);
    });

    it('does not affect tokens, and rejects passwords where a code is impossible', async () => {
      const { username, token, key } = await addUserWithFactor();
      assert.equal((await server.api('GET /user', { token })).status, 200);
      const application = await server.must('POST /applications', {
        json: { name: 'x', redirect_uri: 'https://x.example', scopes: 'api', confidential: true },
      });
      const body = new URLSearchParams({
        grant_type: 'password',
        client_id: application.application_id,
        client_secret: application.secret,
        username,
        password,
      });
      const granted = await fetch(`${server.url}/oauth/token`, { method: 'POST', body: body });
      assert.equal(granted.status, 400);
      assert.equal(((await granted.json()) as { error: string }).error, 'invalid_grant');
      const git = (word: string) =>
        fetch(`${server.url}/none/such.git/info/refs?service=git-upload-pack`, {
          headers: { authorization: `Basic ${Buffer.from(`${username}:${word}`).toString('base64')}` },
        });
      const refused = await git(password);
      assert.equal(refused.status, 401);
      assert.equal(refused.headers.get('www-authenticate'), 'Basic realm="GitLab"');
      assert.match(await refused.text(), /^HTTP Basic: Access denied\. You must use a personal access token/);
      assert.equal((await git(`${password}${appCode(key)}`)).status, 401);
      assert.equal((await git(token)).status, 404);
    });

    it('is required for the settings page too', async () => {
      assert.match((await browserFrom().open(factorPage)).headers.get('location') ?? '', /^\/users\/sign_in/);
    });
  });
});
