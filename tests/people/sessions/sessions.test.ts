import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { csrfToken } from '../../../src/access/credentials/sessions.ts';
import { Browser, rootPassword } from '../../support/browser.ts';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const password = 'long enough 4 you';

forEachEngine((engine) => {
  describe('sessions', () => {
    let server: TestServer;

    before(async () => {
      server = await startTestServer(engine);
    });

    const signedIn = async (login: string, word = password) => {
      const browser = new Browser(server);
      const answer = await browser.signIn(login, word);
      assert.equal(answer.status, 303, answer.text);
      return browser;
    };
    const byCookie = (browser: Browser, call: string, headers: Record<string, string> = {}, json?: unknown) =>
      server.api(call, {
        token: null,
        headers: { cookie: browser.cookie ?? '', ...headers },
        ...(json !== undefined && { json }),
      });
    const csrfOf = (browser: Browser) => csrfToken((browser.cookie ?? '').split('=')[1] ?? '');

    it('authenticate API reads, and writes with the CSRF token', async () => {
      const user = await addUser(server);
      const browser = await signedIn(user.username);
      assert.equal((await byCookie(browser, 'GET /user')).body.username, user.username);
      const write = (headers: Record<string, string>) =>
        byCookie(browser, 'PUT /user/status', headers, { message: 'here' });
      assert.equal((await write({})).status, 401);
      assert.equal((await write({ 'x-csrf-token': 'nonsense' })).status, 401);
      assert.equal((await write({ 'x-csrf-token': csrfToken('another secret') })).status, 401);
      assert.equal((await write({ 'x-csrf-token': csrfOf(browser) })).status, 200);
    });

    it('do not support sudo', async () => {
      const user = await addUser(server);
      const browser = await signedIn('root', rootPassword);
      const answer = await byCookie(browser, `GET /user?sudo=${user.username}`);
      assert.equal(answer.status, 403);
      assert.match(answer.body.message, /Must be authenticated using an OAuth or personal access token to use sudo/);
    });

    it('are overridden by a token and ignored if unknown', async () => {
      const user = await addUser(server);
      const browser = await signedIn(user.username);
      assert.equal((await byCookie(browser, 'GET /user', { 'private-token': 'glpat-unknown' })).status, 401);
      const stranger = { cookie: '_gitlab_session=abcdefghijklmnopqrstuvwxyz' };
      assert.equal((await server.api('GET /user', { token: null, headers: stranger })).status, 401);
      assert.equal((await server.api('GET /projects', { token: null, headers: stranger })).status, 200);
    });

    it('are listed and revoked by their owner only', async () => {
      const user = await addUser(server);
      const [first, second] = [await signedIn(user.username), await signedIn(user.username)];
      const listed = (await byCookie(first, 'GET /user/sessions')).body;
      assert.deepEqual(
        listed.map((one: { current: boolean }) => one.current),
        [false, true],
      );
      assert.ok(!JSON.stringify(listed).includes((second.cookie ?? '').split('=')[1] ?? '?'));
      const end = `DELETE /user/sessions/${listed[0].id}`;
      assert.equal((await server.api(end, { token: (await addUser(server)).token })).status, 404);
      assert.equal((await server.api(end, { token: user.token })).status, 204);
      assert.equal((await byCookie(second, 'GET /user')).status, 401);
      assert.equal((await byCookie(first, 'GET /user')).status, 200);
    });

    it('are revoked permanently by a block', async () => {
      const user = await addUser(server);
      const browser = await signedIn(user.username);
      await server.must(`POST /users/${user.id}/block`);
      assert.equal((await byCookie(browser, 'GET /user')).status, 401);
      await server.must(`POST /users/${user.id}/unblock`);
      assert.equal((await byCookie(browser, 'GET /user')).status, 401);
    });

    it('are revoked by a new password, which the owner must replace first', async () => {
      const user = await addUser(server);
      const browser = await signedIn(user.username);
      await server.must(`PUT /users/${user.id}`, { json: { password: 'given by another 1' } });
      assert.equal((await byCookie(browser, 'GET /user')).status, 401);
      const again = await signedIn(user.username, 'given by another 1');
      assert.equal((await again.open('/explore')).headers.get('location'), '/-/user_settings/password/new');
      const page = '/-/user_settings/password/new';
      const wrong = await again.fill(page, page, { current: 'no', next: 'my very own words' });
      assert.equal(wrong.status, 422);
      const short = await again.fill(page, page, { current: 'given by another 1', next: 'x' });
      assert.match(short.text, /password is too short[\s\S]*At least 8 characters/i);
      const before = again.cookie;
      const saved = await again.fill(page, page, { current: 'given by another 1', next: 'my very own words' });
      assert.equal(saved.status, 303, saved.text);
      assert.notEqual(again.cookie, before);
      assert.equal((await byCookie(again, 'GET /user')).status, 200);
    });

    it('started with the generated initial password require a new one', async () => {
      const user = await addUser(server);
      const file = join(server.running.services.config.data, 'root-password');
      await writeFile(file, 'long enough 4 you\n');
      const browser = await signedIn(user.username, 'long enough 4 you');
      const page = '/-/user_settings/password/new';
      assert.equal((await browser.open('/')).headers.get('location'), page);
      const saved = await browser.fill(page, page, { current: 'long enough 4 you', next: 'my very own words' });
      assert.equal(saved.status, 303, saved.text);
      assert.equal((await browser.open('/')).status, 200);
      assert.equal((await (await signedIn(user.username, 'my very own words')).open('/')).status, 200);
      await rm(file);
    });

    it('end when they expire', async () => {
      const user = await addUser(server);
      const browser = await signedIn(user.username);
      await server.db.write((trx) =>
        trx.updateTable('sessions').set({ expires_at: 1 }).where('user_id', '=', user.id).execute(),
      );
      assert.equal((await byCookie(browser, 'GET /user')).status, 401);
    });

    it('are deleted with the user', async () => {
      const user = await addUser(server);
      const browser = await signedIn(user.username);
      await server.must(`DELETE /users/${user.id}?hard_delete=true`);
      assert.equal((await byCookie(browser, 'GET /user')).status, 401);
    });
  });
});
