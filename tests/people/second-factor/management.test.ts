import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { Browser } from '../../support/browser.ts';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { appCode, codesIn, factorPage, keyIn, longAgo, switchOn } from '../../support/second-factor.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';

const password = 'long enough 4 you';

forEachEngine((engine) => {
  describe('second factor of a user', () => {
    let server: TestServer;
    let callers = 0;

    before(async () => {
      server = await startTestServer(engine, ['--trusted-proxies', '127.0.0.1']);
    });

    const signedIn = async () => {
      const user = await addUser(server);
      const browser = new Browser(server, { 'x-forwarded-for': `198.51.100.${++callers}` });
      assert.equal((await browser.signIn(user.username, password)).status, 303);
      return { ...user, browser };
    };
    const isOn = async (id: number) => (await server.must(`GET /users/${id}`)).two_factor_enabled;
    const rows = async (id: number) => {
      const count = async (table: 'second_factors' | 'recovery_codes') =>
        (await server.db.read.selectFrom(table).select('id').where('user_id', '=', id).execute()).length;
      return [await count('second_factors'), await count('recovery_codes')];
    };
    const emailsTo = async (username: string) => {
      const folder = join(server.running.services.config.data, 'mail');
      const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml'));
      const messages = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
      return messages.filter((message) => message.includes(`To: ${username}@example.com`)).join('\n');
    };

    it('is enabled with the password and a code for the offered key', async () => {
      const { id, username, browser } = await signedIn();
      const page = (await browser.open(factorPage)).text;
      const key = keyIn(page);
      assert.equal(key.length, 20);
      assert.match(page, /href="otpauth:\/\/totp\/[^"]+secret=[A-Z2-7]{32}&amp;issuer=/);
      assert.match(page, /<svg class="qr" viewBox="0 0 (\d+) \1" role="img"/);
      const offer = /name="offer" value="([^"]+)"/.exec(page)?.[1] ?? '';
      const send = (fields: Record<string, string>) =>
        browser.fill(factorPage, factorPage, { offer, code: appCode(key), password, ...fields });
      const refusals: [Record<string, string>, RegExp][] = [
        [{ password: 'wrong' }, /current password is incorrect/],
        [{ code: '000000' }, /Invalid two-factor code/],
        [{ code: '' }, /Invalid two-factor code/],
        [{ offer: 'nonsense' }, /key is older than one hour/],
        [{ offer: '' }, /key is older than one hour/],
      ];
      for (const [fields, message] of refusals) {
        const answer = await send(fields);
        assert.equal(answer.status, 422, answer.text);
        assert.match(answer.text, message);
        // The app has the key already, so a mistyped form shows the same key.
        if (fields.offer === undefined) assert.deepEqual(keyIn(answer.text), key);
        assert.equal(await isOn(id), false);
        assert.deepEqual(await rows(id), [0, 0]);
      }
      const answer = await send({});
      assert.equal(codesIn(answer).length, 10);
      assert.equal(await isOn(id), true);
      assert.deepEqual(await rows(id), [1, 10]);
      assert.equal((await send({})).status, 422);
      await until(async () => /Subject: .*switched on/.test(await emailsTo(username)));
    });

    it('rejects a key offered to another user', async () => {
      const [one, other] = [await signedIn(), await signedIn()];
      const page = (await one.browser.open(factorPage)).text;
      const offer = /name="offer" value="([^"]+)"/.exec(page)?.[1] ?? '';
      const fields = { offer, code: appCode(keyIn(page)), password };
      assert.equal((await other.browser.fill(factorPage, factorPage, fields)).status, 422);
      assert.deepEqual(await rows(other.id), [0, 0]);
    });

    it('revokes sessions started without it, except the current one', async () => {
      const { username, browser } = await signedIn();
      const second = new Browser(server, { 'x-forwarded-for': `198.51.100.${++callers}` });
      await second.signIn(username, password);
      await switchOn(browser, password);
      const status = async (cookie = '') =>
        (await server.api('GET /user', { token: null, headers: { cookie } })).status;
      assert.equal(await status(browser.cookie), 200);
      assert.equal(await status(second.cookie), 401);
    });

    it('stores neither key nor codes in plain text', async () => {
      const { id, browser } = await signedIn();
      const { key, codes } = await switchOn(browser, password);
      const stored = JSON.stringify([
        await server.db.read.selectFrom('second_factors').selectAll().where('user_id', '=', id).execute(),
        await server.db.read.selectFrom('recovery_codes').selectAll().where('user_id', '=', id).execute(),
      ]);
      for (const secret of [key.toString('base64'), key.toString('hex'), ...codes])
        assert.ok(!stored.includes(secret.replaceAll('-', '')) && !stored.includes(secret));
      assert.ok(!(await browser.open(factorPage)).text.includes(codes[0] ?? '?'));
    });

    it('rejects a key copied from another account', async () => {
      const [one, other] = [await signedIn(), await signedIn()];
      const { key } = await switchOn(one.browser, password);
      await switchOn(other.browser, password);
      const { encrypted_key } = await server.db.read
        .selectFrom('second_factors')
        .select('encrypted_key')
        .where('user_id', '=', one.id)
        .executeTakeFirstOrThrow();
      await server.db.write((trx) =>
        trx
          .updateTable('second_factors')
          .set({ encrypted_key, last_step: 0 })
          .where('user_id', '=', other.id)
          .execute(),
      );
      const off = { password, code: appCode(key) };
      assert.equal((await other.browser.fill(factorPage, `${factorPage}/off`, off)).status, 422);
      assert.equal(await isOn(other.id), true);
    });

    it('replaces recovery codes after verifying the password', async () => {
      const { id, username, browser } = await signedIn();
      const { codes } = await switchOn(browser, password);
      const path = `${factorPage}/codes`;
      assert.equal((await browser.fill(factorPage, path, { password: 'wrong' })).status, 422);
      const created = codesIn(await browser.fill(factorPage, path, { password }));
      assert.equal(new Set([...created, ...codes]).size, 20);
      assert.deepEqual(await rows(id), [1, 10]);
      const off = (code: string) => browser.fill(factorPage, `${factorPage}/off`, { password, code });
      assert.equal((await off(codes[0] ?? '')).status, 422);
      assert.equal((await off(created[0] ?? '')).status, 303);
      await until(async () => /Subject: New recovery codes/.test(await emailsTo(username)));
      await until(async () => /Subject: A recovery code was used/.test(await emailsTo(username)));
    });

    it('is disabled with the password and a code', async () => {
      const { id, username, browser } = await signedIn();
      const { key } = await switchOn(browser, password);
      await longAgo(server, id);
      const off = (fields: Record<string, string>) =>
        browser.fill(factorPage, `${factorPage}/off`, { password, code: appCode(key), ...fields });
      assert.equal((await off({ password: 'wrong' })).status, 422);
      assert.equal((await off({ code: '123' })).status, 422);
      assert.deepEqual(await rows(id), [1, 10]);
      assert.equal((await off({})).status, 303);
      assert.deepEqual(await rows(id), [0, 0]);
      assert.equal(await isOn(id), false);
      assert.equal((await off({})).status, 422);
      assert.match((await browser.fill(factorPage, `${factorPage}/codes`, { password })).text, /is not enabled/);
      await until(async () => /Subject: .*switched off/.test(await emailsTo(username)));
    });

    it('is disabled by an administrator and deleted with the account', async () => {
      const { id, username, token, browser } = await signedIn();
      await switchOn(browser, password);
      const call = `PATCH /users/${id}/disable_two_factor`;
      assert.equal((await server.api(call, { token })).status, 403);
      assert.deepEqual(await rows(id), [1, 10]);
      const found = async (filter: string) =>
        (await server.must(`GET /users?two_factor=${filter}&search=${username}`)).length;
      assert.deepEqual([await found('enabled'), await found('disabled')], [1, 0]);
      assert.equal((await server.api(call)).status, 204);
      assert.deepEqual(await rows(id), [0, 0]);
      assert.deepEqual([await found('enabled'), await found('disabled')], [0, 1]);
      await until(async () => (await emailsTo(username)).includes('an administrator'));
      await switchOn(browser, password);
      await server.must(`DELETE /users/${id}?hard_delete=true`);
      await until(async () => (await rows(id)).join() === '0,0');
    });
  });
});
