import assert from 'node:assert/strict';
import { afterEach, before, describe, it } from 'node:test';
import { Browser } from '../../support/browser.ts';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';

const password = 'long enough 4 you';
const minute = 60_000;

forEachEngine((engine) => {
  describe('sign-in settings', () => {
    let server: TestServer;

    before(async () => {
      server = await startTestServer(engine);
    });

    const set = (json: Record<string, unknown>) => server.must('PUT /application/settings', { json });
    afterEach(() =>
      set({
        password_authentication_enabled_for_web: true,
        session_expire_delay: 10_080,
        session_expire_from_init: false,
        remember_me_enabled: true,
        max_login_attempts: null,
        failed_login_attempts_unlock_period_in_minutes: null,
        after_sign_out_path: null,
        home_page_url: null,
        password_number_required: false,
        password_symbol_required: false,
        password_uppercase_required: false,
        password_lowercase_required: false,
      }),
    );

    const sessionOf = (userId: number) =>
      server.db.read.selectFrom('sessions').selectAll().where('user_id', '=', userId).executeTakeFirstOrThrow();
    const lifetime = async (userId: number) => {
      const { created_at, expires_at } = await sessionOf(userId);
      return expires_at - created_at;
    };

    it('reject passwords on the pages if disabled, telling only their owners', async () => {
      const user = await addUser(server);
      await set({ password_authentication_enabled_for_web: false });
      const browser = new Browser(server);
      const right = await browser.signIn(user.username, password);
      assert.equal(right.status, 422);
      assert.match(right.text, /Password authentication is unavailable/);
      assert.match((await browser.signIn(user.username, 'wrong')).text, /Invalid login or password/);
      assert.equal(browser.cookie, undefined);
      await set({ password_authentication_enabled_for_web: true });
      assert.equal((await browser.signIn(user.username, password)).status, 303);
    });

    it('limit the session lifetime, with longer ones for remembered browsers', async () => {
      await set({ session_expire_delay: 30 });
      const [brief, long] = [await addUser(server), await addUser(server)];
      const first = await new Browser(server).signIn(brief.username, password);
      assert.doesNotMatch(first.headers.getSetCookie().join(), /Expires/);
      assert.equal(await lifetime(brief.id), 30 * minute);
      const remembered = await new Browser(server).signIn(long.username, password, { 'user[remember_me]': '1' });
      assert.match(remembered.headers.getSetCookie().join(), /Expires/);
      assert.equal(await lifetime(long.id), 14 * 24 * 60 * minute);
    });

    it('disable remembering browsers', async () => {
      await set({ remember_me_enabled: false });
      const user = await addUser(server);
      const browser = new Browser(server);
      assert.doesNotMatch((await browser.open('/users/sign_in')).text, /remember_me/);
      const answer = await browser.signIn(user.username, password, { 'user[remember_me]': '1' });
      assert.doesNotMatch(answer.headers.getSetCookie().join(), /Expires/);
      assert.equal(await lifetime(user.id), 10_080 * minute);
    });

    it('extend sessions in use unless they expire from the start', async () => {
      for (const fromInit of [false, true]) {
        await set({ session_expire_delay: 60, session_expire_from_init: fromInit });
        const user = await addUser(server);
        const browser = new Browser(server);
        await browser.signIn(user.username, password);
        // Simulates a session near its end; it expires before the next use would be recorded.
        const soon = Date.now() + 30_000;
        const aged = { expires_at: soon, last_used_at: Date.now() - 59 * minute };
        await server.db.write((trx) => trx.updateTable('sessions').set(aged).where('user_id', '=', user.id).execute());
        const used = await server.api('GET /user', { token: null, headers: { cookie: browser.cookie ?? '' } });
        assert.equal(used.status, 200);
        await until(async () => (await sessionOf(user.id)).last_used_at > aged.last_used_at);
        const { expires_at } = await sessionOf(user.id);
        assert.equal(expires_at > soon, !fromInit, `from the beginning: ${fromInit}`);
      }
    });

    it('lock an account for a while after wrong passwords', async () => {
      await set({ max_login_attempts: 2, failed_login_attempts_unlock_period_in_minutes: 7 });
      const user = await addUser(server);
      const browser = new Browser(server);
      const earliest = Date.now() + 7 * minute;
      for (let attempt = 0; attempt < 2; attempt += 1) await browser.signIn(user.username, 'wrong');
      const { locked_until } = await server.db.read
        .selectFrom('users')
        .select('locked_until')
        .where('id', '=', user.id)
        .executeTakeFirstOrThrow();
      assert.ok((locked_until ?? 0) >= earliest && (locked_until ?? 0) <= Date.now() + 7 * minute);
      assert.equal((await browser.signIn(user.username, password)).status, 422);
    });

    it('require character classes in new passwords', async () => {
      const user = await addUser(server);
      await set({
        password_number_required: true,
        password_symbol_required: true,
        password_uppercase_required: true,
        password_lowercase_required: true,
      });
      const change = (word: string) => server.api(`PUT /users/${user.id}`, { json: { password: word } });
      for (const [word, missing] of [
        ['Zookeepers; many', 'must contain at least one number'],
        ['Zo0keepersmany', 'must contain at least one symbol'],
        ['zo0 keepers; many', 'must contain at least one uppercase letter'],
        ['ZO0 KEEPERS; MANY', 'must contain at least one lowercase letter'],
      ] as const) {
        const answer = await change(word);
        assert.equal(answer.status, 400, word);
        assert.deepEqual(answer.body.message.password, [missing]);
      }
      assert.equal((await change('Zo0 keepers; more')).status, 200);
    });

    it('redirect users after sign-out and unauthenticated visitors', async () => {
      const user = await addUser(server);
      const leave = async () => {
        const browser = new Browser(server);
        await browser.signIn(user.username, password);
        const answer = await browser.fill('/', '/users/sign_out', {});
        assert.equal(browser.cookie, undefined);
        return answer;
      };
      assert.equal((await leave()).headers.get('location'), '/users/sign_in');
      await set({ after_sign_out_path: '/explore', home_page_url: 'https://home.example.com/welcome' });
      assert.equal((await leave()).headers.get('location'), '/explore');
      await set({ after_sign_out_path: 'https://sso.example.com/out' });
      const elsewhere = await leave();
      assert.equal(elsewhere.status, 200);
      assert.equal(elsewhere.headers.get('refresh'), '0; url=https://sso.example.com/out');
      const stranger = await new Browser(server).open('/');
      assert.equal(stranger.headers.get('location'), 'https://home.example.com/welcome');
      await set({ home_page_url: `${server.url}/` });
      assert.equal((await new Browser(server).open('/')).status, 200);
      for (const path of ['javascript:alert(1)', '//evil.example.com', 'nonsense']) {
        const answer = await server.api('PUT /application/settings', { json: { after_sign_out_path: path } });
        assert.equal(answer.status, 400, path);
      }
    });
  });
});
