import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';
import { Browser, rootPassword } from '../../support/browser.ts';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { planWithoutSorting, wholeReads } from '../../support/query-plans.ts';
import { appCode, factorPage, longAgo, switchOn } from '../../support/second-factor.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const password = 'long enough 4 you';
const off = {
  require_two_factor_authentication: false,
  require_admin_two_factor_authentication: false,
  two_factor_grace_period: 48,
};

forEachEngine((engine) => {
  describe('required two-factor authentication', () => {
    let server: TestServer;
    let callers = 0;

    before(async () => {
      server = await startTestServer(engine, ['--trusted-proxies', '127.0.0.1']);
    });
    beforeEach(async () => {
      await server.must('PUT /application/settings', { json: off });
    });

    const signedIn = async (login: string, word = password) => {
      const browser = new Browser(server, { 'x-forwarded-for': `198.51.100.${++callers}` });
      const answer = await browser.signIn(login, word);
      assert.equal(answer.status, 303, answer.text);
      return browser;
    };
    const group = async (json: Record<string, unknown> = {}) => {
      const path = `group-${++callers}`;
      return server.must('POST /groups', { json: { name: path, path, ...json } });
    };
    const join = (groupId: number, userId: number, more: Record<string, unknown> = {}) =>
      server.must(`POST /groups/${groupId}/members`, { json: { user_id: userId, access_level: 30, ...more } });
    const byCookie = (browser: Browser) =>
      server.api('GET /user', { token: null, headers: { cookie: browser.cookie ?? '' } });
    /** Whether all pages redirect to the two-factor settings. */
    const isShut = async (browser: Browser) => {
      const seen = await browser.open('/explore');
      const led = seen.headers.get('location') === factorPage;
      const answer = await byCookie(browser);
      assert.equal(answer.status, led ? 403 : 200);
      return led;
    };

    it('redirects to its settings after the grace period and does not affect tokens', async () => {
      const { username, token } = await addUser(server);
      const browser = await signedIn(username);
      assert.equal(await isShut(browser), false);
      await server.must('PUT /application/settings', {
        json: { require_two_factor_authentication: true, two_factor_grace_period: 0 },
      });
      assert.equal(await isShut(browser), true);
      assert.match((await byCookie(browser)).body.message, /You must enable two-factor authentication/);
      for (const page of ['/', '/dashboard/todos', '/-/user_settings/personal_access_tokens', '/oauth/authorize?x=1'])
        assert.equal((await browser.open(page)).headers.get('location'), factorPage, page);
      const created = await browser.fill(factorPage, '/-/user_settings/personal_access_tokens', { name: 'x' });
      assert.equal(created.headers.get('location'), factorPage);
      assert.equal((await server.api('GET /user', { token })).status, 200);
      const git = (word: string) =>
        fetch(`${server.url}/none/such.git/info/refs?service=git-upload-pack`, {
          headers: { authorization: `Basic ${Buffer.from(`${username}:${word}`).toString('base64')}` },
        });
      assert.equal((await git(password)).status, 401);
      assert.equal((await git(token)).status, 404);
      const page = await browser.open(factorPage);
      assert.equal(page.status, 200);
      assert.match(page.text, /You must switch on/);
      const { key } = await switchOn(browser, password);
      assert.equal(await isShut(browser), false);
      await longAgo(server, (await server.must('GET /user', { token })).id);
      const refused = await browser.fill(factorPage, `${factorPage}/off`, { password, code: appCode(key) });
      assert.equal(refused.status, 422);
      assert.match(refused.text, /Two-factor authentication is required on this instance/);
      assert.equal((await browser.post('/users/sign_out', {})).status, 422);
    });

    it('has a grace period starting when the user is first notified', async () => {
      const { id, username } = await addUser(server);
      await server.must('PUT /application/settings', { json: { require_two_factor_authentication: true } });
      const browser = await signedIn(username);
      assert.match((await browser.open('/explore')).text, /You must switch on .* before \d{4}-\d\d-\d\d/);
      assert.equal(await isShut(browser), false);
      const started = async () =>
        (
          await server.db.read
            .selectFrom('users')
            .select('two_factor_grace_started_at as at')
            .where('id', '=', id)
            .executeTakeFirstOrThrow()
        ).at;
      const first = await started();
      assert.ok(first !== null);
      const back = (hours: number) =>
        server.db.write((trx) =>
          trx
            .updateTable('users')
            .set({ two_factor_grace_started_at: Date.now() - hours * 3_600_000 })
            .where('id', '=', id)
            .execute(),
        );
      await back(47);
      assert.equal(await isShut(browser), false);
      await back(49);
      assert.equal(await isShut(browser), true);
      // The grace period starts again after the requirement was disabled.
      await server.must('PUT /application/settings', { json: off });
      assert.equal(await isShut(browser), false);
      assert.equal(await started(), null);
      await server.must('PUT /application/settings', { json: { require_two_factor_authentication: true } });
      assert.equal(await isShut(browser), false);
    });

    it('can be required for administrators only', async () => {
      const { username } = await addUser(server);
      const [root, other] = [await signedIn('root', rootPassword), await signedIn(username)];
      await server.must('PUT /application/settings', {
        json: { require_admin_two_factor_authentication: true, two_factor_grace_period: 0 },
      });
      assert.deepEqual([await isShut(root), await isShut(other)], [true, false]);
    });

    it('applies to the members of a group, its ancestors and descendants, and to nobody else', async () => {
      const top = await group();
      const asking = await group({ parent_id: top.id });
      const below = await group({ parent_id: asking.id });
      const beside = await group({ parent_id: top.id });
      const people = await Promise.all([top, asking, below, beside].map(() => addUser(server)));
      const [above, member, lower, aside] = await Promise.all(people.map(({ username }) => signedIn(username)));
      for (const [at, place] of [top, asking, below, beside].entries()) await join(place.id, people[at]?.id ?? 0);
      const over = await addUser(server);
      await join(asking.id, over.id, { expires_at: '2999-01-01' });
      const former = await signedIn(over.username);
      const states = async () => {
        const found = [];
        for (const browser of [above, member, lower, aside, former]) found.push(await isShut(browser as Browser));
        return found;
      };
      assert.deepEqual(await states(), [false, false, false, false, false]);
      const set = (json: Record<string, unknown>) => server.must(`PUT /groups/${asking.id}`, { json });
      const set1 = await set({ require_two_factor_authentication: true, two_factor_grace_period: 0 });
      assert.equal(set1.require_two_factor_authentication, true);
      assert.deepEqual(await states(), [true, true, true, false, true]);
      await server.db.write((trx) =>
        trx.updateTable('members').set({ expires_at: 1 }).where('user_id', '=', over.id).execute(),
      );
      assert.deepEqual(await states(), [true, true, true, false, false]);
      await set({ two_factor_grace_period: 5 });
      assert.deepEqual(await states(), [false, false, false, false, false]);
      await set({ require_two_factor_authentication: false, two_factor_grace_period: 0 });
      assert.deepEqual(await states(), [false, false, false, false, false]);
    });

    it('cannot be required by a subgroup if the top-level group forbids it', async () => {
      const top = await group();
      const below = await group({ parent_id: top.id, require_two_factor_authentication: true });
      const forbid = (id: number, allowed: boolean) =>
        server.must(`PUT /groups/${id}`, { json: { allow_mfa_for_subgroups: allowed } });
      const isAsked = async () => (await server.must(`GET /groups/${below.id}`)).require_two_factor_authentication;
      await forbid(below.id, false);
      assert.equal(await isAsked(), true);
      await forbid(top.id, false);
      assert.equal(await isAsked(), false);
      const json = { require_two_factor_authentication: true };
      const refused = await server.api(`PUT /groups/${below.id}`, { json });
      assert.equal(refused.status, 400);
      assert.deepEqual(refused.body.message, {
        require_two_factor_authentication: ['is forbidden by a top-level group'],
      });
      const created = { name: 'more', path: 'more', parent_id: below.id, ...json };
      const unmade = await server.api('POST /groups', { json: created });
      assert.equal(unmade.status, 400);
      assert.match(unmade.text, /is forbidden by a top-level group/);
      assert.equal((await server.must(`PUT /groups/${top.id}`, { json })).require_two_factor_authentication, true);
      await forbid(top.id, true);
      assert.equal((await server.must(`PUT /groups/${below.id}`, { json })).require_two_factor_authentication, true);
    });

    it('finds the requiring groups without reading all groups', async () => {
      const { id } = await group({ require_two_factor_authentication: true });
      const { id: user, username } = await addUser(server);
      await join(id, user);
      const seen: string[] = [];
      const stop = server.db.onQuery((text) => seen.push(text));
      assert.equal((await (await signedIn(username)).open('/explore')).status, 200);
      stop();
      const queries = [...new Set(seen.filter((text) => text.includes('require_two_factor_authentication')))];
      assert.equal(queries.length, 2);
      for (const text of queries) {
        const plan = await planWithoutSorting(server.db, text);
        assert.match(plan, /namespaces_two_factor/, plan);
        assert.deepEqual(wholeReads(server.db, plan, 'm|members|a|namespace_ancestors'), [], plan);
      }
    });

    it('uses the shortest grace period', async () => {
      const { id, username } = await addUser(server);
      await server.must('PUT /application/settings', { json: { require_two_factor_authentication: true } });
      const browser = await signedIn(username);
      assert.equal(await isShut(browser), false);
      const { id: groupId } = await group({ require_two_factor_authentication: true, two_factor_grace_period: 0 });
      await join(groupId, id);
      assert.equal(await isShut(browser), true);
    });

    it('rejects negative grace periods', async () => {
      const answer = await server.api('PUT /application/settings', { json: { two_factor_grace_period: -1 } });
      assert.equal(answer.status, 400);
      const { id } = await group();
      assert.equal((await server.api(`PUT /groups/${id}`, { json: { two_factor_grace_period: -1 } })).status, 400);
    });
  });
});
