import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { loadConfig, settings } from '../../src/config/config.ts';
import { providersOf } from '../../src/config/providers.ts';

const folder = mkdtempSync(join(tmpdir(), 'providers-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;
const file = (content: unknown) => {
  const path = join(folder, `${++count}.json`);
  writeFileSync(path, JSON.stringify(content));
  return path;
};
const good = { provider: 'second', issuer: 'https://second.example.com', client_id: 'forge' };
const first = ['--oidc-issuer', 'https://first.example.com', '--oidc-client-id', 'forge'];

describe('OpenID Connect providers', () => {
  it('are the first one, those of a file, or none', () => {
    const names = (flags: readonly string[]) => providersOf(loadConfig(flags)).map(({ oidcProvider }) => oidcProvider);
    const path = file([good, { ...good, provider: 'third' }]);
    assert.deepEqual(names([]), []);
    assert.deepEqual(names(first), ['openid_connect']);
    assert.deepEqual(names(['--oidc-providers', path]), ['second', 'third']);
    assert.deepEqual(names([...first, '--oidc-providers', path]), ['openid_connect', 'second', 'third']);
  });

  it('use the settings of the file and safe defaults', () => {
    const path = file([
      { ...good, client_secret: 'hush', admin_groups: ['a', 'b'], sign_up: true },
      { ...good, provider: 'x' },
    ]);
    const [second, third] = providersOf(loadConfig(['--oidc-providers', path]));
    assert.equal(second?.oidcClientSecret, 'hush');
    assert.deepEqual(second?.oidcAdminGroups, ['a', 'b']);
    assert.equal(second?.oidcSignUp, true);
    const careful = [third?.oidcSignUp, third?.oidcLinkByEmail, third?.oidcTrustSecondFactor, third?.oidcAutoSignIn];
    assert.deepEqual(careful, [false, false, false, false]);
    assert.deepEqual(third?.oidcScopes, ['openid', 'profile', 'email']);
    assert.equal(settings.oidcClientSecret.secret, true);
  });

  const wrong: [string, readonly string[], RegExp][] = [
    ['an unencrypted URL', ['--oidc-issuer', 'http://login.example.com'], /expected an address such as https/],
    ['a malformed URL', ['--oidc-issuer', 'login'], /expected an address such as https/],
    ['a password in the URL', ['--oidc-issuer', 'https://a:b@login.example.com'], /expected an address/],
    [
      'a discovery document URL',
      ['--oidc-issuer', 'https://x.example/.well-known/openid-configuration'],
      /expected an/,
    ],
    ['no client ID', ['--oidc-issuer', 'https://login.example.com'], /--oidc-client-id: needed/],
    ['an LDAP provider name', [...first, '--oidc-provider', 'ldapmain'], /expected a name such as keycloak/],
    ['a name with a slash', [...first, '--oidc-provider', 'a/b'], /expected a name such as keycloak/],
    ['a scope with a space', [...first, '--oidc-scopes', 'openid email'], /expected scopes such as openid,email/],
    ['scopes without openid', [...first, '--oidc-scopes', 'email'], /must include openid/],
    ['an unknown name', ['--oidc-providers', file([{ ...good, secret: 'hush' }])], /unknown setting secret/],
    ['no issuer', ['--oidc-providers', file([{ provider: 'x', client_id: 'y' }])], /provider 1: issuer: needed/],
    ['a duplicate name', ['--oidc-providers', file([good, good])], /two are called second/],
    [
      'the name of the first provider',
      [...first, '--oidc-providers', file([{ ...good, provider: 'openid_connect' }])],
      /openid_connect is the name of the first/,
    ],
    [
      'two automatic sign-in providers',
      [...first, '--oidc-auto-sign-in', '--oidc-providers', file([{ ...good, auto_sign_in: true }])],
      /only one provider/,
    ],
  ];
  for (const [problem, flags, message] of wrong) {
    it(`are rejected with ${problem}`, () => assert.throws(() => loadConfig(flags), message));
  }

  it('may use plain HTTP on the same machine', () => {
    for (const issuer of ['http://127.0.0.1:3000', 'http://localhost', 'http://[::1]:80'])
      assert.equal(loadConfig(['--oidc-issuer', issuer, '--oidc-client-id', 'x']).oidcIssuer, issuer);
  });
});
