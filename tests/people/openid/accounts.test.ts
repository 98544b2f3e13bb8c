import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Browser } from '../../support/browser.ts';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { leadsTo, type OpenidProvider, startOpenidProvider, throughProvider } from '../../support/openid-provider.ts';
import { appCode, codePage, factorPage, longAgo, switchOn } from '../../support/second-factor.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'providers-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const account = '/-/profile/account';
const password = 'long enough 4 you';

forEachEngine((engine) => {
  describe('accounts of OpenID Connect users', () => {
    let provider: OpenidProvider;
    let server: TestServer;
    let visitors = 0;

    before(async () => {
      provider = await startOpenidProvider();
      const one = { issuer: provider.url, client_id: provider.clientId };
      const path = join(folder, `${engine}.json`);
      const entries = [
        { ...one, provider: 'open', label: 'The <b>open</b> one', sign_up: true },
        { ...one, provider: 'closed' },
        { ...one, provider: 'linking', link_by_email: true },
        { ...one, provider: 'waiting', sign_up: true, approval: true },
        { ...one, provider: 'trusted', trust_second_factor: true },
        {
          ...one,
          provider: 'grouped',
          sign_up: true,
          required_groups: ['staff', 'guests'],
          admin_groups: ['rulers'],
          external_groups: ['guests'],
        },
      ];
      writeFileSync(path, JSON.stringify(entries));
      const flags = ['--egress-allow', new URL(provider.url).host, '--trusted-proxies', '127.0.0.1'];
      server = await startTestServer(engine, [...flags, '--oidc-providers', path]);
    });

    // Attempts are rate-limited by address.
    const visitor = () => new Browser(server, { 'x-forwarded-for': `198.51.100.${++visitors}` });
    const person = (name: string, more: object = {}) => {
      provider.person = {
        sub: `uid-${name}`,
        preferred_username: name,
        name: `Name of ${name}`,
        email: `${name}@provider.example`,
        email_verified: true,
        ...more,
      };
    };
    const userOf = async (at: string, name: string) =>
      (await server.must(`GET /users?provider=${at}&extern_uid=uid-${name}`))[0];
    const isIn = async (browser: Browser) => (await browser.open('/dashboard/todos')).status === 200;
    const enter = async (at: string, browser = visitor()) => {
      const answer = await throughProvider(browser, provider, at);
      assert.equal(answer.status, 303, answer.text);
      assert.ok(await isIn(browser));
      return browser;
    };
    const staysOut = async (at: string, reason: RegExp) => {
      const browser = visitor();
      const answer = await throughProvider(browser, provider, at);
      assert.equal(answer.status, 422);
      assert.match(answer.text, reason);
      assert.equal(await isIn(browser), false);
    };
    const connect = (browser: Browser, at: string) =>
      throughProvider(browser, provider, at, { page: account, start: `${account}/${at}/connect` });

    it('shows the providers on the sign-in page with escaped labels', async () => {
      const page = await visitor().page('/users/sign_in?redirect=/explore');
      assert.match(page, /action="\/users\/auth\/open"/);
      assert.match(page, /The &lt;b&gt;open/);
      assert.match(page, /name="redirect" value="\/explore"/);
    });

    it('changes usernames that are taken, used by a group or invalid', async () => {
      await server.must('POST /groups', { json: { name: 'crew', path: 'crew' } });
      for (const [name, expected] of [
        ['root', 'root1'],
        ['crew', 'crew1'],
        ['admin', 'admin1'],
        ['Jürgen Müller', 'Ju-rgen-Mu-ller'],
      ] as const) {
        person(name, { sub: `uid-${expected}`, email: `${expected}@provider.example` });
        await enter('open');
        assert.equal((await userOf('open', expected)).username, expected);
      }
    });

    it('creates one account for concurrent first sign-ins', async () => {
      person('hasty');
      const going = await Promise.all(
        [1, 2, 3, 4].map(async () => {
          const browser = visitor();
          return { browser, address: leadsTo(await browser.post('/users/auth/open', {})) };
        }),
      );
      const nonces = going.map(({ address }) => address.searchParams.get('nonce'));
      const answers: number[] = [];
      // The provider finds the nonce by the code.
      provider.lies = {
        reply: (call) => {
          const code = new URLSearchParams(call.body).get('code');
          if (code !== null) provider.nonce = nonces[Number(code)] ?? '';
          return undefined;
        },
      };
      await Promise.all(
        going.map(async ({ browser, address }, at) => {
          const state = address.searchParams.get('state');
          answers.push((await browser.open(`/users/auth/open/callback?code=${at}&state=${state}`)).status);
        }),
      );
      provider.lies = {};
      assert.deepEqual(answers, [303, 303, 303, 303]);
      assert.equal((await server.must('GET /users?search=hasty')).length, 1);
    });

    it('creates no account if sign-up is disabled, but finds one linked by an administrator', async () => {
      person('invited');
      await staysOut('closed', /No account is connected/);
      const user = await addUser(server, 'invited');
      await server.must(`PUT /users/${user.id}`, { json: { provider: 'closed', extern_uid: 'uid-invited' } });
      await enter('closed');
      assert.equal((await server.api(`DELETE /users/${user.id}/identities/closed`)).status, 204);
      await staysOut('closed', /No account is connected/);
    });

    it('links an account by e-mail address only if both sides confirmed it', async () => {
      const known = await addUser(server, 'known');
      const email = `${known.username}@example.com`;
      person('known', { email, email_verified: false });
      await staysOut('linking', /An account with your e-mail address already exists/);
      person('known', { email });
      await staysOut('open', /An account with your e-mail address already exists/);
      await enter('linking');
      assert.equal((await userOf('linking', 'known')).id, known.id);
      // A different identity with the same e-mail address cannot use the linked account.
      person('other', { email });
      await staysOut('linking', /An account with your e-mail address already exists/);
      const json = { username: 'early', name: 'early', email: 'late@example.com', password };
      await server.must('POST /users', { json });
      person('late', { email: 'late@example.com' });
      await staysOut('linking', /An account with your e-mail address already exists/);
    });

    it('requires approval if configured', async () => {
      person('waiting');
      await staysOut('waiting', /pending approval/);
      const user = await userOf('waiting', 'waiting');
      assert.equal(user.state, 'blocked_pending_approval');
      await server.must(`POST /users/${user.id}/approve`);
      await enter('waiting');
    });

    it('rejects blocked users and reactivates deactivated ones', async () => {
      person('blocked');
      await enter('open');
      const { id } = await userOf('open', 'blocked');
      await server.must(`POST /users/${id}/block`);
      await staysOut('open', /has been blocked/);
      await server.must(`POST /users/${id}/unblock`);
      await server.db.write((trx) =>
        trx.updateTable('users').set({ state: 'deactivated' }).where('id', '=', id).execute(),
      );
      await enter('open');
    });

    it('updates administrator and external flags from the groups at each sign-in', async () => {
      person('grouped', { groups: ['others'] });
      await staysOut('grouped', /You are not in a group at grouped/);
      const cases: [unknown, boolean, boolean][] = [
        [['staff', 'rulers'], true, false],
        [['guests'], false, true],
        ['staff', false, false],
      ];
      for (const [groups, is_admin, external] of cases) {
        person('grouped', { groups });
        await enter('grouped');
        const user = await userOf('grouped', 'grouped');
        assert.deepEqual([user.is_admin, user.external], [is_admin, external]);
      }
      person('grouped');
      await staysOut('grouped', /You are not in a group/);
    });

    it('asks for the second factor unless the provider is trusted with it', async () => {
      const careful = await addUser(server, 'careful');
      const browser = visitor();
      await browser.signIn(careful.username, password);
      const { key } = await switchOn(browser, password);
      person('careful');
      for (const at of ['closed', 'trusted']) assert.equal((await connect(browser, at)).status, 303);
      const again = visitor();
      const halfway = await throughProvider(again, provider, 'closed', { redirect: '/explore' });
      assert.equal(halfway.headers.get('location'), `${codePage}?redirect=%2Fexplore`);
      assert.equal(await isIn(again), false);
      assert.equal((await again.post(codePage, { 'user[otp_attempt]': '000000' })).status, 422);
      await longAgo(server, careful.id);
      assert.equal((await again.post(codePage, { 'user[otp_attempt]': appCode(key) })).status, 303);
      assert.ok(await isIn(again));
      await enter('trusted');
    });

    it('allows a second factor for users without a password', async () => {
      person('wordless');
      const browser = await enter('open');
      assert.doesNotMatch(await browser.page(factorPage), /name="password"/);
      await switchOn(browser, '');
      const halfway = await throughProvider(visitor(), provider, 'open');
      assert.match(halfway.headers.get('location') ?? '', /two_factor/);
    });

    it('requires approval after the account was deleted', async () => {
      person('leaver');
      await enter('open');
      const { id } = await userOf('open', 'leaver');
      await server.must(`DELETE /users/${id}?hard_delete=true`);
      await until(async () => (await server.api(`GET /users/${id}`)).status === 404);
      await staysOut('open', /pending approval/);
      const again = await userOf('open', 'leaver');
      assert.deepEqual([again.state, again.id === id], ['blocked_pending_approval', false]);
      await server.must(`POST /users/${again.id}/approve`);
      await enter('open');
    });

    it('rejects passwords of SSO users if disabled by administrators', async () => {
      const set = (on: boolean) =>
        server.must('PUT /application/settings', {
          json: { disable_password_authentication_for_users_with_sso_identities: on },
        });
      const user = await addUser(server, 'sso-only');
      const signsIn = async () => (await visitor().signIn(user.username, password)).status === 303;
      await set(true);
      assert.equal(await signsIn(), true, 'not connected to any provider');
      await server.must(`PUT /users/${user.id}`, { json: { provider: 'closed', extern_uid: 'uid-sso-only' } });
      assert.equal(await signsIn(), false);
      person('sso-only');
      await enter('closed');
      await server.must('PUT /application/settings', { json: { disabled_oauth_sign_in_sources: ['closed'] } });
      assert.equal(await signsIn(), true, 'no other way to sign in');
      await server.must('PUT /application/settings', { json: { disabled_oauth_sign_in_sources: [] } });
      assert.equal(await signsIn(), false);
      await set(false);
      assert.equal(await signsIn(), true);
    });

    it('records connections and disconnections as audit events', async () => {
      const user = await addUser(server, 'recorded');
      await server.must(`PUT /users/${user.id}`, { json: { provider: 'closed', extern_uid: 'uid-one' } });
      await server.must(`PUT /users/${user.id}`, { json: { provider: 'closed', extern_uid: 'uid-one' } });
      await server.must(`DELETE /users/${user.id}/identities/closed`);
      const events = (await server.must(`GET /audit_events?entity_type=User&entity_id=${user.id}&per_page=100`)) as {
        event_name: string;
        author_id: number;
        details: { target_details: string; to?: string };
      }[];
      const told = events.filter(({ event_name }) => event_name.startsWith('user_identity_'));
      assert.deepEqual(
        told.map(({ event_name, author_id, details }) => [event_name, author_id, details.target_details, details.to]),
        [
          ['user_identity_disconnected', 1, 'closed', undefined],
          ['user_identity_connected', -1, 'closed', 'uid-one'],
        ],
      );
    });

    it('connects and disconnects providers, except the only way to sign in', async () => {
      const owner = await addUser(server, 'owner');
      const browser = visitor();
      await browser.signIn(owner.username, password);
      person('mine');
      assert.equal((await browser.post(`${account}/closed/connect`, {})).status, 422);
      assert.equal((await connect(browser, 'closed')).headers.get('location'), account);
      assert.match(await browser.page(account), /Identity: uid-mine/);
      await enter('closed');
      person('another');
      assert.match((await connect(browser, 'closed')).text, /already connected to another identity at closed/);
      const thief = visitor();
      await thief.signIn((await addUser(server, 'thief')).username, password);
      person('mine');
      assert.match((await connect(thief, 'closed')).text, /already connected to another account/);
      assert.equal(await browser.send(account, `${account}/closed/disconnect`), account);
      await staysOut('closed', /No account is connected/);

      person('lonely');
      const lonely = await enter('open');
      const refused = await lonely.fill(account, `${account}/open/disconnect`, {});
      assert.equal(refused.status, 422);
      assert.match(refused.text, /This is your only way to sign in/);
      person('lonely at another');
      assert.equal((await connect(lonely, 'closed')).status, 303);
      assert.equal(await lonely.send(account, `${account}/open/disconnect`), account);
    });

    it('connects an identity only to the account that started it', async () => {
      const [one, other] = [await addUser(server), await addUser(server)];
      const browser = visitor();
      await browser.signIn(one.username, password);
      const begun = await browser.fill(account, `${account}/closed/connect`, {});
      const address = leadsTo(begun);
      await browser.signIn(other.username, password);
      person('swapped');
      provider.nonce = address.searchParams.get('nonce') ?? '';
      const state = address.searchParams.get('state');
      const answer = await browser.open(`/users/auth/closed/callback?code=x&state=${state}`);
      assert.match(answer.text, /no longer signed in as the user who started this/);
      assert.equal(await userOf('closed', 'swapped'), undefined);
    });

    it('rejects a disabled provider', async () => {
      const put = (json: object) => server.must('PUT /application/settings', { json });
      await put({ disabled_oauth_sign_in_sources: ['open'], password_authentication_enabled_for_web: false });
      const page = await visitor().page('/users/sign_in');
      assert.doesNotMatch(page, /\/users\/auth\/open|user\[password\]/);
      assert.match(page, /\/users\/auth\/closed/);
      assert.match((await visitor().post('/users/auth/open', {})).text, /This sign-in provider is not available/);
      await put({ disabled_oauth_sign_in_sources: [], password_authentication_enabled_for_web: true });
      assert.match(await visitor().page('/users/sign_in'), /user\[password\]/);
      assert.match((await visitor().post('/users/auth/unknown', {})).text, /This sign-in provider is not available/);
    });
  });

  describe('automatic redirect to a provider', () => {
    it('is skipped after signing out and after a failure', async () => {
      const provider = await startOpenidProvider();
      const server = await startTestServer(engine, [
        ...['--oidc-issuer', provider.url, '--oidc-client-id', provider.clientId, '--oidc-sign-up'],
        ...['--oidc-auto-sign-in', '--egress-allow', new URL(provider.url).host],
      ]);
      const browser = new Browser(server);
      const redirected = await browser.open('/users/sign_in?redirect=/explore');
      assert.equal(redirected.status, 303);
      const address = new URL(redirected.headers.get('location') ?? '');
      assert.equal(address.origin, provider.url);
      assert.match(redirected.headers.get('set-cookie') ?? '', /Path=\/users\/auth; HttpOnly; SameSite=Lax/);
      provider.nonce = address.searchParams.get('nonce') ?? '';
      provider.person = { sub: 'led', preferred_username: 'led', email: 'led@example.com' };
      const state = address.searchParams.get('state');
      const back = await browser.open(`/users/auth/openid_connect/callback?code=1&state=${state}`);
      assert.equal(back.headers.get('location'), '/explore');
      const [user] = await server.must('GET /users?username=led');
      assert.equal(user.confirmed_at, null, 'the e-mail address is not confirmed');
      const left = await browser.send('/explore', '/users/sign_out');
      assert.equal(left, '/users/sign_in?auto_sign_in=false');
      assert.match(await browser.page(left), /openid_connect/);
      provider.lies = { token: () => 'a.b.c' };
      await throughProvider(browser, provider, 'openid_connect');
      provider.lies = { discovery: () => ({ status: 500, json: {} }) };
      const failed = await browser.open('/users/sign_in');
      assert.equal(failed.status, 422);
      assert.match(failed.text, /Sign-in through openid_connect failed/);
    });
  });
});
