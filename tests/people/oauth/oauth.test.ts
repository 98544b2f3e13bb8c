import assert from 'node:assert/strict';
import { createHash, createPublicKey, verify } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { Browser, rootPassword, tokenIn } from '../../support/browser.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

interface Application {
  readonly id: number;
  readonly application_id: string;
  readonly secret: string;
}

const callback = 'https://app.example/callback';
const verifier = 'v'.repeat(50);
const challenge = createHash('sha256').update(verifier).digest('base64url');

forEachEngine((engine) => {
  describe('OAuth', () => {
    let server: TestServer;
    let browser: Browser;
    let person: Person;
    let application: Application;
    let open: Application;

    const token = async (fields: Record<string, string>, headers: Record<string, string> = {}) => {
      const answer = await fetch(`${server.url}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers,
      });
      return { status: answer.status, headers: answer.headers, body: JSON.parse(await answer.text()) };
    };
    const client = ({ application_id, secret }: Application) => ({ client_id: application_id, client_secret: secret });
    const question = (one: Application, more: Record<string, string> = {}) =>
      `/oauth/authorize?${new URLSearchParams({ client_id: one.application_id, redirect_uri: callback, response_type: 'code', state: 's 1', scope: 'api', ...more })}`;
    const answerOf = (seen: { headers: Headers }) => new URL(seen.headers.get('location') ?? 'about:blank');
    const agree = async (one: Application, more: Record<string, string> = {}) => {
      const asked = question(one, more);
      const page = await browser.open(asked);
      assert.equal(page.status, 200, page.text);
      const fields = Object.fromEntries(new URL(asked, server.url).searchParams);
      return browser.post('/oauth/authorize', { ...fields, authenticity_token: tokenIn(page.text), answer: 'yes' });
    };
    const codeOf = async (one: Application, more: Record<string, string> = {}) =>
      answerOf(await agree(one, more)).searchParams.get('code') ?? '';
    const exchange = async (one: Application, code: string, more: Record<string, string> = {}) =>
      token({ grant_type: 'authorization_code', code, redirect_uri: callback, ...client(one), ...more });

    before(async () => {
      server = await startTestServer(engine, ['--root-password', rootPassword]);
      person = await addPerson(server, 'person');
      browser = new Browser(server);
      await browser.signIn('root', rootPassword);
      const attributes = { name: 'App', redirect_uri: callback, scopes: 'api read_user openid profile email' };
      application = await server.must('POST /applications', { json: attributes });
      open = await server.must('POST /applications', { json: { ...attributes, name: 'Open', confidential: false } });
    });

    it('lists applications for administrators and shows the secret once', async () => {
      assert.match(application.secret, /^gloas-[0-9a-f]{64}$/);
      const listed = await server.must('GET /applications');
      assert.deepEqual(
        listed.map((one: object) => 'secret' in one),
        [false, false],
      );
      assert.deepEqual(listed[1], {
        id: application.id,
        application_id: application.application_id,
        application_name: 'App',
        callback_url: callback,
        confidential: true,
        scopes: ['api', 'read_user', 'openid', 'profile', 'email'],
      });
      for (const [who, status] of [
        [person.token, 403],
        [null, 401],
      ] as const) {
        assert.equal((await server.api('GET /applications', { token: who })).status, status);
        assert.equal((await server.api(`DELETE /applications/${application.id}`, { token: who })).status, status);
      }
      const refused = await server.api('POST /applications', {
        json: { name: 'x', redirect_uri: 'javascript:x', scopes: 'all' },
      });
      assert.deepEqual(
        [refused.status, refused.body],
        [
          400,
          {
            message: {
              redirect_uri: ['is forbidden by the server.'],
              scopes: ["doesn't match configured on the server."],
            },
          },
        ],
      );
    });

    it('lets an authorized application act for the user over the API and Git', async () => {
      const sent = await agree(application);
      const there = answerOf(sent);
      assert.equal(sent.status, 303);
      assert.deepEqual([there.origin + there.pathname, there.searchParams.get('state')], [callback, 's 1']);
      const { status, headers, body } = await exchange(application, there.searchParams.get('code') ?? '');
      assert.deepEqual(
        [status, headers.get('cache-control'), body.token_type, body.expires_in, body.scope, 'id_token' in body],
        [200, 'no-store', 'Bearer', 7200, 'api', false],
      );
      const bearer = { authorization: `Bearer ${body.access_token}` };
      const user = await server.must('GET /user', { token: null, headers: bearer });
      assert.equal(user.username, 'root');
      // It is not a personal access token and not accepted as one.
      const self = await server.api('GET /personal_access_tokens/self', { token: null, headers: bearer });
      assert.equal(self.status, 400);
      assert.equal((await server.api('GET /user', { token: body.access_token })).status, 401);
      const project = await server.must('POST /projects', { json: { name: 'told', initialize_with_readme: true } });
      const basic = Buffer.from(`oauth2:${body.access_token}`).toString('base64');
      const refs = await fetch(`${server.url}/${project.path_with_namespace}.git/info/refs?service=git-upload-pack`, {
        headers: { authorization: `Basic ${basic}` },
      });
      assert.equal(refs.status, 200);
      const info = await fetch(`${server.url}/oauth/token/info`, { headers: bearer });
      const { resource_owner_id, scope, application: of } = JSON.parse(await info.text());
      assert.deepEqual([resource_owner_id, scope, of.uid], [1, ['api'], application.application_id]);
    });

    it('rejects requests beyond the authorized scopes', async () => {
      const { body } = await exchange(application, await codeOf(application, { scope: 'read_user' }));
      const headers = { authorization: `Bearer ${body.access_token}` };
      assert.equal((await server.api('GET /user', { token: null, headers })).status, 200);
      assert.equal((await server.api('GET /projects', { token: null, headers })).status, 403);
      assert.equal((await server.api('POST /projects', { token: null, headers, json: { name: 'x' } })).status, 403);
    });

    it('redirects unauthenticated users to sign in and back', async () => {
      const stranger = new Browser(server);
      const seen = await stranger.open(question(application));
      assert.equal(seen.status, 303);
      const to = new URL(seen.headers.get('location') ?? '', server.url);
      assert.deepEqual([to.pathname, to.searchParams.get('redirect')], ['/users/sign_in', question(application)]);
    });

    it('does not redirect for unknown clients or redirect URIs', async () => {
      for (const more of [
        { client_id: 'nobody' },
        { redirect_uri: 'https://evil.example/callback' },
        { redirect_uri: `${callback}/..` },
      ] as Record<string, string>[]) {
        const seen = await browser.open(question(application, more));
        assert.deepEqual([seen.status, seen.headers.get('location')], [400, null]);
      }
    });

    it('redirects with the error for other mistakes', async () => {
      for (const [one, more, error] of [
        [application, { response_type: 'token' }, 'unsupported_response_type'],
        [application, { scope: 'sudo' }, 'invalid_scope'],
        [application, { scope: 'nonsense' }, 'invalid_scope'],
        [application, { code_challenge: 'short' }, 'invalid_request'],
        [application, { code_challenge: challenge, code_challenge_method: 'S1' }, 'invalid_request'],
        [open, {}, 'invalid_request'],
      ] as const) {
        const there = answerOf(await browser.open(question(one, more)));
        assert.deepEqual([there.origin + there.pathname, there.searchParams.get('error')], [callback, error]);
        assert.equal(there.searchParams.get('state'), 's 1');
      }
    });

    it('rejects forged forms and reports a denial to the application', async () => {
      const fields = Object.fromEntries(new URL(question(application), server.url).searchParams);
      assert.equal((await browser.post('/oauth/authorize', { ...fields, answer: 'yes' })).status, 422);
      const denied = await browser.fill(question(application), '/oauth/authorize', { ...fields, answer: 'no' });
      assert.equal(answerOf(denied).searchParams.get('error'), 'access_denied');
      const page = await browser.open(question(application));
      assert.match(page.headers.get('content-security-policy') ?? '', /form-action 'self' https:\/\/app\.example;/);
    });

    it('redeems a code once, for its client, redirect URI and verifier', async () => {
      const code = await codeOf(application);
      for (const wrong of [
        { client_secret: 'wrong' },
        { redirect_uri: 'https://app.example/other' },
        client(open),
        { code: 'x' },
      ] as Record<string, string>[]) {
        const { status, body } = await exchange(application, code, wrong);
        assert.ok([400, 401].includes(status), JSON.stringify(wrong));
        assert.ok(['invalid_grant', 'invalid_client'].includes(body.error));
      }
      const { body } = await exchange(application, code);
      const headers = { authorization: `Bearer ${body.access_token}` };
      assert.equal((await server.api('GET /user', { token: null, headers })).status, 200);
      // Redeemed again, it may have been stolen, so its tokens are revoked.
      assert.deepEqual((await exchange(application, code)).body.error, 'invalid_grant');
      assert.equal((await server.api('GET /user', { token: null, headers })).status, 401);
    });

    it('redeems a code at most once when presented concurrently', async () => {
      const code = await codeOf(application);
      const answers = await Promise.all(Array.from({ length: 6 }, () => exchange(application, code)));
      const successful = answers.filter(({ status }) => status === 200);
      assert.ok(successful.length <= 1);
      // And its tokens are revoked, because the code was reused.
      for (const { body } of successful) {
        const headers = { authorization: `Bearer ${body.access_token}` };
        assert.equal((await server.api('GET /user', { token: null, headers })).status, 401);
      }
    });

    it('rejects a verifier for a code requested without a challenge', async () => {
      const code = await codeOf(application);
      const shown = await exchange(application, code, { code_verifier: verifier });
      assert.deepEqual([shown.status, shown.body.error], [400, 'invalid_grant']);
      assert.equal((await exchange(application, code)).status, 200);
    });

    it('requires PKCE for public clients', async () => {
      const more = { code_challenge: challenge, code_challenge_method: 'S256' };
      const code = await codeOf(open, more);
      const sent = { grant_type: 'authorization_code', code, redirect_uri: callback, client_id: open.application_id };
      assert.equal((await token(sent)).body.error, 'invalid_grant');
      assert.equal((await token({ ...sent, code_verifier: 'w'.repeat(50) })).body.error, 'invalid_grant');
      assert.equal((await token({ ...sent, code_verifier: verifier })).status, 200);
    });

    it('revokes the previous tokens on refresh, and all of them on reuse', async () => {
      const first = (await exchange(application, await codeOf(application))).body;
      const refresh = (refresh_token: string) =>
        token({ grant_type: 'refresh_token', refresh_token, ...client(application) });
      const second = (await refresh(first.refresh_token)).body;
      const status = async (access: string) =>
        (await server.api('GET /user', { token: null, headers: { authorization: `Bearer ${access}` } })).status;
      assert.deepEqual([await status(first.access_token), await status(second.access_token)], [401, 200]);
      assert.equal((await refresh(first.refresh_token)).body.error, 'invalid_grant');
      assert.equal(await status(second.access_token), 401);
      assert.equal((await refresh(second.refresh_token)).body.error, 'invalid_grant');
    });

    it('supports client credentials in the header, introspection and revocation', async () => {
      const { body } = await exchange(application, await codeOf(application));
      const basic = Buffer.from(`${application.application_id}:${application.secret}`).toString('base64');
      const call = async (path: string, headers: Record<string, string>, text = body.access_token) => {
        const answer = await fetch(`${server.url}/oauth/${path}`, {
          method: 'POST',
          body: new URLSearchParams({ token: text }),
          headers,
        });
        return [answer.status, JSON.parse(await answer.text())];
      };
      const known = { authorization: `Basic ${basic}` };
      const [status, { active, scope, client_id }] = await call('introspect', known);
      assert.deepEqual([status, active, scope, client_id], [200, true, 'api', application.application_id]);
      assert.deepEqual((await call('introspect', {}))[0], 401);
      assert.deepEqual(await call('introspect', known, 'x'), [200, { active: false }]);
      assert.deepEqual((await call('revoke', {}))[0], 401);
      assert.deepEqual(await call('revoke', known), [200, {}]);
      assert.deepEqual(await call('introspect', known), [200, { active: false }]);
    });

    it('issues signed ID tokens', async () => {
      const code = await codeOf(application, { scope: 'openid profile email', nonce: 'n1' });
      const { body } = await exchange(application, code);
      const [head = '', claims = '', signature = ''] = body.id_token.split('.');
      const { kid } = JSON.parse(Buffer.from(head, 'base64url').toString());
      const discovery = await (await fetch(`${server.url}/.well-known/openid-configuration`)).json();
      const { keys } = (await (await fetch(`${server.url}/oauth/discovery/keys`)).json()) as {
        keys: { kid: string }[];
      };
      const key = createPublicKey({ key: keys.find((one) => one.kid === kid) as never, format: 'jwk' });
      const isOurs = verify('RSA-SHA256', Buffer.from(`${head}.${claims}`), key, Buffer.from(signature, 'base64url'));
      assert.equal(isOurs, true);
      const { iss, sub, aud, nonce, preferred_username, email_verified } = JSON.parse(
        Buffer.from(claims, 'base64url').toString(),
      );
      assert.deepEqual(
        [iss, sub, aud, nonce, preferred_username, email_verified],
        [(discovery as { issuer: string }).issuer, '1', application.application_id, 'n1', 'root', true],
      );
      const info = async (access: string) => {
        const answer = await fetch(`${server.url}/oauth/userinfo`, { headers: { authorization: `Bearer ${access}` } });
        return [answer.status, JSON.parse(await answer.text())];
      };
      const [status, described] = await info(body.access_token);
      assert.deepEqual([status, described.sub, described.nickname, 'email' in described], [200, '1', 'root', true]);
      const other = (await exchange(application, await codeOf(application))).body;
      assert.equal((await info(other.access_token))[0], 401);
      assert.equal((await info('x'))[0], 401);
    });

    it('supports the password grant for known clients with a password only', async () => {
      const sent = { grant_type: 'password', username: 'root', password: rootPassword };
      assert.equal((await token(sent)).body.error, 'invalid_client');
      const { status, body } = await token({ ...sent, ...client(application) });
      assert.deepEqual([status, body.scope], [200, 'api']);
      const wrong = await token({ ...sent, password: 'wrong', ...client(application) });
      assert.deepEqual([wrong.status, wrong.body.error], [400, 'invalid_grant']);
    });

    it('supports device authorization', async () => {
      const response = await fetch(`${server.url}/oauth/authorize_device`, {
        method: 'POST',
        body: new URLSearchParams({ client_id: open.application_id, scope: 'read_user' }),
      });
      const { device_code, user_code, verification_uri_complete } = (await response.json()) as Record<string, string>;
      const poll = () =>
        token({
          grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
          device_code: device_code ?? '',
          client_id: open.application_id,
        });
      assert.equal((await poll()).body.error, 'authorization_pending');
      assert.equal((await poll()).body.error, 'slow_down');
      assert.equal(verification_uri_complete?.endsWith(`/oauth/device?user_code=${user_code}`), true);
      assert.equal((await browser.open('/oauth/device?user_code=BBBBBBBB')).status, 404);
      const page = `/oauth/device?user_code=${user_code}`;
      const confirmation = await browser.fill(page, '/oauth/device', { user_code: user_code ?? '', answer: 'yes' });
      assert.match(confirmation.text, /The device is connected/);
      const { body } = await poll();
      const headers = { authorization: `Bearer ${body.access_token}` };
      assert.equal((await server.must('GET /user', { token: null, headers })).username, 'root');
      assert.equal((await poll()).body.error, 'invalid_grant');
    });

    it('does not act for administrators if disabled, except for trusted applications', async () => {
      const set = (disable_admin_oauth_scopes: boolean) =>
        server.must('PUT /application/settings', { json: { disable_admin_oauth_scopes } });
      const json = { name: 'Trusted', redirect_uri: callback, scopes: 'api', trusted: true };
      const trusted: Application = await server.must('POST /applications', { json });
      const byPassword = (scope: string) =>
        token({ grant_type: 'password', username: 'root', password: rootPassword, scope, ...client(application) });
      await set(true);
      const refused = answerOf(await agree(application)).searchParams;
      assert.deepEqual([refused.get('error'), refused.get('code')], ['access_denied', null]);
      assert.equal((await byPassword('api')).body.error, 'access_denied');
      const response = await fetch(`${server.url}/oauth/authorize_device`, {
        method: 'POST',
        body: new URLSearchParams({ client_id: open.application_id, scope: 'api' }),
      });
      const { device_code = '', user_code = '' } = (await response.json()) as Record<string, string>;
      await browser.fill(`/oauth/device?user_code=${user_code}`, '/oauth/device', { user_code, answer: 'yes' });
      const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
      const polled = await token({ grant_type, device_code, client_id: open.application_id });
      assert.equal(polled.body.error, 'access_denied');
      assert.equal((await byPassword('read_user')).status, 200, 'identity scopes are allowed');
      assert.notEqual(answerOf(await browser.open(question(trusted))).searchParams.get('code'), null);
      await set(false);
      assert.equal((await byPassword('api')).status, 200);
    });

    it('lets users list and revoke authorizations, which end with the application', async () => {
      const one = await server.must('POST /user/applications', {
        json: { name: 'Own', redirect_uri: callback, scopes: 'api' },
      });
      const { body } = await exchange(one, await codeOf(one));
      const headers = { authorization: `Bearer ${body.access_token}` };
      const ids = async () =>
        (await server.must('GET /user/authorized_applications')).map(({ id }: { id: number }) => id);
      assert.ok((await ids()).includes(one.id));
      assert.equal((await server.api(`DELETE /user/applications/${one.id}`, { token: person.token })).status, 404);
      await server.must(`DELETE /user/authorized_applications/${one.id}`);
      assert.equal((await ids()).includes(one.id), false);
      assert.equal((await server.api('GET /user', { token: null, headers })).status, 401);
      assert.equal((await server.api(`DELETE /user/authorized_applications/${one.id}`)).status, 404);

      const again = (await exchange(one, await codeOf(one))).body;
      const renewed = await server.must(`POST /user/applications/${one.id}/renew-secret`);
      assert.notEqual(renewed.secret, one.secret);
      assert.equal((await exchange(one, await codeOf(one))).body.error, 'invalid_client');
      await server.must(`DELETE /user/applications/${one.id}`);
      const deleted = { authorization: `Bearer ${again.access_token}` };
      assert.equal((await server.api('GET /user', { token: null, headers: deleted })).status, 401);
    });

    it('stops acting for blocked users', async () => {
      const { user } = person;
      await server.must(`PUT /users/${user.id}`, { json: { password: 'another long one 1' } });
      const sent = { grant_type: 'password', username: user.username, password: 'another long one 1' };
      assert.equal((await token({ ...sent, ...client(application) })).body.error, 'invalid_grant');
      await server.db.write((trx) =>
        trx.updateTable('users').set({ password_expires_at: null }).where('id', '=', user.id).execute(),
      );
      const { body } = await token({ ...sent, ...client(application) });
      const headers = { authorization: `Bearer ${body.access_token}` };
      assert.equal((await server.api('GET /user', { token: null, headers })).status, 200);
      await server.must(`POST /users/${user.id}/block`);
      assert.equal((await server.api('GET /user', { token: null, headers })).status, 403);
      const refresh = { grant_type: 'refresh_token', refresh_token: body.refresh_token, ...client(application) };
      assert.equal((await token(refresh)).body.error, 'invalid_grant');
    });

    it('rejects invalid requests with standard error codes', async () => {
      for (const [fields, status, error] of [
        [{}, 400, 'invalid_request'],
        [{ grant_type: 'authorization_code' }, 401, 'invalid_client'],
        [{ grant_type: 'client_credentials', ...client(application) }, 400, 'unsupported_grant_type'],
        [{ grant_type: 'constructor', ...client(application) }, 400, 'unsupported_grant_type'],
        [{ grant_type: 'refresh_token', ...client(application) }, 400, 'invalid_grant'],
      ] as [Record<string, string>, number, string][]) {
        const answer = await token(fields);
        assert.deepEqual([answer.status, answer.body.error], [status, error]);
      }
      const json = { 'content-type': 'application/json' };
      const broken = await fetch(`${server.url}/oauth/token`, { method: 'POST', body: '{', headers: json });
      assert.deepEqual([broken.status, ((await broken.json()) as { error: string }).error], [400, 'invalid_request']);
      const large = await fetch(`${server.url}/oauth/token`, {
        method: 'POST',
        body: 'x'.repeat(70_000),
        headers: json,
      });
      assert.equal(large.status, 413);
      await large.text();
    });

    it('rate-limits device authorizations per address', async () => {
      const begin = async () => {
        const body = new URLSearchParams({ client_id: application.application_id });
        const answer = await fetch(`${server.url}/oauth/authorize_device`, { method: 'POST', body });
        return ((await answer.json()) as { error?: string }).error;
      };
      const answers = await Promise.all(Array.from({ length: 70 }, begin));
      assert.ok(answers.includes('temporarily_unavailable'));
    });
  });
});
