import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Browser, rootPassword, tokenIn } from '../../support/browser.ts';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { leadsTo } from '../../support/openid-provider.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('sign-in through another Hearth', () => {
    let provider: TestServer;
    let server: TestServer;

    before(async () => {
      provider = await startTestServer(engine);
      const application = await provider.must('POST /applications', {
        json: { name: 'Forge', redirect_uri: 'https://forge.example', scopes: 'openid profile email' },
      });
      server = await startTestServer(engine, [
        ...['--egress-allow', new URL(provider.url).host],
        ...['--oidc-issuer', provider.url, '--oidc-client-id', application.application_id],
        ...['--oidc-client-secret', application.secret, '--oidc-provider', 'hearth', '--oidc-sign-up'],
      ]);
      // The address is known only now.
      const redirect_uri = `${server.url}/users/auth/hearth/callback`;
      await provider.db.write((trx) => trx.updateTable('oauth_applications').set({ redirect_uri }).execute());
    });

    /** Signs in at the provider, answers there and returns; yields the response of the callback. */
    const through = async (browser: Browser, there: Browser, redirect: string, answer = 'yes') => {
      const address = leadsTo(await browser.post('/users/auth/hearth', { redirect }));
      assert.equal(address.origin, provider.url);
      const page = await there.open(address.pathname + address.search);
      assert.equal(page.status, 200, page.text);
      const params = Object.fromEntries(address.searchParams);
      const sent = { ...params, authenticity_token: tokenIn(page.text), answer };
      const agreed = await there.post('/oauth/authorize', sent);
      const back = new URL(agreed.headers.get('location') ?? '');
      assert.equal(back.origin, server.url);
      return browser.open(back.pathname + back.search);
    };

    it('creates an account at the first sign-in, finds it at the next, and redirects back', async () => {
      const ada = await addUser(provider, 'ada');
      const there = new Browser(provider);
      await there.signIn(ada.username, 'long enough 4 you');
      for (const target of ['/dashboard/todos', '/explore?x=1']) {
        const browser = new Browser(server);
        const answer = await through(browser, there, target);
        assert.equal(answer.status, 303, answer.text);
        assert.equal(answer.headers.get('location'), target);
        assert.equal((await browser.open('/dashboard/todos')).status, 200);
      }
      const [user, ...others] = await server.must(`GET /users?provider=hearth&extern_uid=${ada.id}`);
      assert.deepEqual(others, []);
      assert.equal(user.username, ada.username);
      assert.equal(user.email, `${ada.username}@example.com`);
      assert.notEqual(user.confirmed_at, null);
      assert.deepEqual(user.identities, [{ provider: 'hearth', extern_uid: String(ada.id), saml_provider_id: null }]);
      const events = await server.must(`GET /audit_events?entity_type=User&entity_id=${user.id}`);
      assert.ok(events.length > 0);
    });

    it('rejects a user who declined', async () => {
      const eve = await addUser(provider, 'eve');
      const there = new Browser(provider);
      await there.signIn(eve.username, 'long enough 4 you');
      const browser = new Browser(server);
      const answer = await through(browser, there, '', 'no');
      assert.match(answer.text, /You declined the sign-in at hearth/);
      assert.deepEqual(await server.must(`GET /users?username=${eve.username}`), []);
    });

    it('does not link an account with the same e-mail address', async () => {
      // The first administrators of both servers have the same address.
      const there = new Browser(provider);
      await there.signIn('root', rootPassword);
      const browser = new Browser(server);
      const answer = await through(browser, there, '');
      assert.equal(answer.status, 422);
      assert.match(answer.text, /An account with your e-mail address already exists/);
    });
  });
});
