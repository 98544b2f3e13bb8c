import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { atEnd } from '../../support/at-end.ts';
import { Browser } from '../../support/browser.ts';
import { forEachEngine } from '../../support/engines.ts';
import {
  type Lies,
  leadsTo,
  type OpenidProvider,
  signed,
  startOpenidProvider,
  throughProvider,
  unsigned,
} from '../../support/openid-provider.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const otherKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const stranger = {
  sub: 'stranger',
  preferred_username: 'stranger',
  email: 'stranger@example.com',
  email_verified: true,
};

forEachEngine((engine) => {
  describe('malicious provider', () => {
    let provider: OpenidProvider;
    let server: TestServer;
    /** An internal address that is not allowed. */
    let inside: string;
    let reached = 0;
    let visitors = 0;

    before(async () => {
      provider = await startOpenidProvider();
      const secret = createServer((_request, response) => {
        reached += 1;
        response.end('{}');
      });
      await new Promise<void>((resolve) => secret.listen(0, '127.0.0.1', resolve));
      atEnd(() => new Promise((resolve) => secret.close(resolve)));
      inside = `http://127.0.0.1:${(secret.address() as AddressInfo).port}`;
      server = await startTestServer(engine, [
        ...['--oidc-issuer', provider.url, '--oidc-client-id', provider.clientId, '--oidc-client-secret', 'hush hush'],
        ...['--oidc-provider', 'liar', '--oidc-label', 'Liar', '--oidc-sign-up', '--oidc-link-by-email'],
        ...['--egress-allow', new URL(provider.url).host, '--trusted-proxies', '127.0.0.1'],
      ]);
    });
    beforeEach(() => {
      provider.lies = {};
      provider.person = stranger;
    });
    after(() => assert.equal(reached, 0, 'something inside the network was asked'));

    // Attempts are rate-limited by address.
    const visitor = () => new Browser(server, { 'x-forwarded-for': `198.51.100.${++visitors}` });
    const people = async () => (await server.must('GET /users?search=stranger')) as unknown[];
    const staysOut = async (browser: Browser) => {
      assert.match((await browser.open('/dashboard/todos')).headers.get('location') ?? '', /^\/users\/sign_in/);
      assert.deepEqual(await people(), []);
    };

    const lies: [string, () => Lies][] = [
      ['a different nonce', () => ({ claims: (honest) => ({ ...honest, nonce: 'another' }) })],
      ['no nonce', () => ({ claims: ({ nonce: _, ...honest }) => honest })],
      ['a different issuer', () => ({ claims: (honest) => ({ ...honest, iss: 'https://accounts.google.com' }) })],
      ['a different audience', () => ({ claims: (honest) => ({ ...honest, aud: 'somebody else' }) })],
      ['a different authorized party', () => ({ claims: (honest) => ({ ...honest, aud: ['forge', 'x'], azp: 'x' }) })],
      ['an expired token', () => ({ claims: (honest) => ({ ...honest, exp: 1_000_000 }) })],
      ['a missing subject', () => ({ claims: ({ sub: _, ...honest }) => honest })],
      ['an overlong subject', () => ({ claims: (honest) => ({ ...honest, sub: 'x'.repeat(5000) }) })],
      ['no signature', () => ({ token: unsigned })],
      ['a signature by a different key', () => ({ token: (claims) => signed(claims, otherKey) })],
      ['a tampered token', () => ({ token: (claims) => `${signed(claims, provider.key).slice(0, -8)}AAAAAAAA` })],
      ['a malformed token', () => ({ token: () => 'a.b.c' })],
      ['an unverified e-mail address', () => ({ claims: (honest) => ({ ...honest, email_verified: false }) })],
      ['a huge token', () => ({ token: (claims) => signed({ ...claims, more: 'x'.repeat(2_000_000) }, provider.key) })],
      ['a token response that is not JSON', () => replying('/token', 'nonsense')],
      ['an endless token response', () => endless('/token')],
      ['an endless key response', () => endless('/keys')],
      ['a redirect of the keys to the internal network', () => redirecting('/keys')],
      ['a redirect of the token to the internal network', () => redirecting('/token')],
      [
        'an error',
        () => ({ reply: ({ path }) => (path === '/token' ? { status: 500, json: { error: 'x' } } : undefined) }),
      ],
    ];
    const replying = (at: string, text: string): Lies => ({
      reply: ({ path }) => (path === at ? (response) => response.end(text) : undefined),
    });
    const redirecting = (at: string): Lies => ({
      reply: ({ path }) => (path === at ? { status: 302, headers: { location: inside }, json: {} } : undefined),
    });
    const endless = (at: string): Lies => ({
      reply: ({ path }) =>
        path !== at
          ? undefined
          : (response) => {
              response.writeHead(200, { 'content-type': 'application/json' });
              const more = () => {
                while (!response.destroyed && response.write(' '.repeat(65_536)));
              };
              response.on('drain', more);
              more();
            },
    });

    for (const [name, lie] of lies) {
      it(`cannot sign a user in with ${name}`, async () => {
        provider.lies = lie();
        const browser = visitor();
        const answer = await throughProvider(browser, provider, 'liar');
        assert.equal(answer.status, 422);
        assert.match(answer.text, /role="alert">[^<]*\(Request [^)]+\)/);
        assert.doesNotMatch(answer.text, /hush/);
        await staysOut(browser);
      });
    }

    const discoveries: [string, () => Lies][] = [
      [
        'has a different issuer',
        () => ({ discovery: (honest) => ({ ...honest, issuer: 'https://accounts.google.com' }) }),
      ],
      ['redirects to the internal network', () => redirecting('/.well-known/openid-configuration')],
      ['sends huge metadata', () => ({ discovery: (honest) => ({ ...honest, more: 'x'.repeat(2_000_000) }) })],
      ['sends invalid JSON', () => replying('/.well-known/openid-configuration', '<html>')],
      ['is not found', () => ({ discovery: () => ({ status: 404, json: {} }) })],
      ['closes the connection', () => ({ discovery: () => (response) => response.destroy() })],
    ];
    for (const [name, lie] of discoveries) {
      it(`is not redirected to if it ${name}`, async () => {
        // The metadata is fetched again after a failure.
        provider.lies = { token: () => 'a.b.c' };
        await throughProvider(visitor(), provider, 'liar');
        provider.lies = lie();
        const answer = await visitor().post('/users/auth/liar', {});
        assert.equal(answer.status, 422);
        assert.match(answer.text, /Sign-in through Liar failed/);
      });
    }

    it('cannot cause requests to the internal network', async () => {
      provider.lies = { token: () => 'a.b.c' };
      await throughProvider(visitor(), provider, 'liar');
      provider.lies = { discovery: (honest) => ({ ...honest, token_endpoint: `${inside}/token`, jwks_uri: inside }) };
      const browser = visitor();
      assert.equal((await throughProvider(browser, provider, 'liar')).status, 422);
      await staysOut(browser);
    });

    it('cannot use a flow of another browser, state or provider', async () => {
      const theirs = visitor();
      const state = leadsTo(await theirs.post('/users/auth/liar', {})).searchParams.get('state') ?? '';
      const back = `/users/auth/liar/callback?code=x&state=${state}`;
      const asked = provider.calls.length;
      const [fresh, own] = [visitor(), visitor()];
      await own.post('/users/auth/liar', {});
      for (const [browser, address] of [
        [fresh, back],
        [own, back],
        [theirs, '/users/auth/liar/callback?code=x&state=other'],
        [theirs, '/users/auth/liar/callback?code=x'],
        [theirs, back.replace('liar', 'other')],
      ] as const) {
        const answer = await browser.open(address);
        assert.equal(answer.status, 422, address);
        await staysOut(browser);
      }
      assert.equal(provider.calls.slice(asked).filter(({ path }) => path === '/token').length, 0);
    });

    it('cannot respond with a different issuer', async () => {
      const browser = visitor();
      const address = leadsTo(await browser.post('/users/auth/liar', {}));
      provider.nonce = address.searchParams.get('nonce') ?? '';
      const state = address.searchParams.get('state');
      const answer = await browser.open(`/users/auth/liar/callback?code=x&state=${state}&iss=https://evil.example`);
      assert.equal(answer.status, 422);
      await staysOut(browser);
    });

    it('reports a declined sign-in', async () => {
      const browser = visitor();
      const state = leadsTo(await browser.post('/users/auth/liar', {})).searchParams.get('state');
      const answer = await browser.open(`/users/auth/liar/callback?error=access_denied&state=${state}`);
      assert.match(answer.text, /You declined the sign-in at Liar/);
      await staysOut(browser);
    });

    it('can use a response only once', async () => {
      provider.person = { ...stranger, sub: 'once', preferred_username: 'once', email: 'once@example.com' };
      const browser = visitor();
      const started = await browser.post('/users/auth/liar', {});
      const cookie = browser.cookie ?? '';
      const address = leadsTo(started);
      provider.nonce = address.searchParams.get('nonce') ?? '';
      const back = `/users/auth/liar/callback?code=y&state=${address.searchParams.get('state')}`;
      const answers = await Promise.all([1, 2, 3, 4].map(() => visitor().open(back, { cookie })));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [303, 422, 422, 422]);
      assert.equal((await visitor().open(back, { cookie })).status, 422);
    });

    it('is accepted again with correct responses and a rotated key', async () => {
      provider.person = { ...stranger, sub: 'honest', preferred_username: 'honest', email: 'honest@example.com' };
      provider.rotate();
      const browser = visitor();
      const answer = await throughProvider(browser, provider, 'liar', { redirect: '/dashboard/todos' });
      assert.equal(answer.headers.get('location'), '/dashboard/todos');
      assert.equal((await browser.open('/dashboard/todos')).status, 200);
      const asked = provider.calls.findLast(({ path }) => path === '/token');
      assert.equal(asked?.headers.authorization, `Basic ${btoa('forge:hush+hush')}`);
      assert.match(asked?.body ?? '', /code_verifier=[\w-]{43,}/);
    });

    it('is not requested by forged forms and cannot redirect elsewhere', async () => {
      const foreign = await visitor().post('/users/auth/liar', {}, { 'sec-fetch-site': 'cross-site' });
      assert.equal(foreign.status, 403);
      const browser = visitor();
      const answer = await throughProvider(browser, provider, 'liar', { redirect: '//evil.example/x' });
      assert.equal(answer.headers.get('location'), '/');
    });
  });
});
