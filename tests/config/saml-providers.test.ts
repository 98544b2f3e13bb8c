import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { loadConfig } from '../../src/config/config.ts';
import { samlProvidersOf } from '../../src/config/saml-providers.ts';
import { issueRoot, pem } from '../support/x509.ts';

const folder = mkdtempSync(join(tmpdir(), 'saml-config-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;
const file = (content: unknown) => {
  const path = join(folder, `${++count}`);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};
const rsa = pem(issueRoot({ keys: generateKeyPairSync('rsa', { modulusLength: 2048 }) }));
const certificate = file(rsa);
const good = {
  provider: 'second',
  sso_url: 'https://second.example.com/sso',
  idp_entity_id: 'https://second.example.com',
  certificate,
};
const url = ['--saml-sso-url', 'https://first.example.com/sso'];
const first = [...url, '--saml-idp-entity-id', 'https://first.example.com', '--saml-certificate', certificate];

describe('SAML providers', () => {
  it('are the first one, those of a file, or none', () => {
    const names = (flags: readonly string[]) =>
      samlProvidersOf(loadConfig(flags)).map(({ samlProvider }) => samlProvider);
    const path = file([good, { ...good, provider: 'third' }]);
    assert.deepEqual(names([]), []);
    assert.deepEqual(names(first), ['saml']);
    assert.deepEqual(names([...first, '--saml-providers', path]), ['saml', 'second', 'third']);
  });

  it('have safe defaults', () => {
    const [one] = samlProvidersOf(loadConfig(['--saml-providers', file([good])]));
    const careful = [one?.samlSignUp, one?.samlLinkByEmail, one?.samlTrustSecondFactor, one?.samlIdpInitiated];
    assert.deepEqual(careful, [false, false, false, false]);
    assert.equal(one?.samlSigned, 'either');
    assert.match(one?.samlNameIdFormat ?? '', /persistent$/);
  });

  const oidc = ['--oidc-issuer', 'https://login.example.com', '--oidc-client-id', 'forge', '--oidc-provider', 'saml'];
  const wrong: [string, readonly string[], RegExp][] = [
    ['an unencrypted URL', ['--saml-sso-url', 'http://login.example.com'], /expected an address such as https/],
    ['a password in the URL', ['--saml-sso-url', 'https://a:b@login.example.com'], /expected an address such as https/],
    ['a malformed URL', ['--saml-sso-url', 'login'], /expected an address such as https/],
    ['no entity ID', [...url, '--saml-certificate', certificate], /--saml-idp-entity-id: needed/],
    ['no certificate', [...url, '--saml-idp-entity-id', 'x'], /--saml-certificate: needed/],
    ['a missing certificate', [...first, '--saml-certificate', '/nowhere'], /expected a file with certificates/],
    ['a certificate with an EC key', [...first, '--saml-certificate', file(pem(issueRoot()))], /RSA certificates/],
    [
      'one of several with an EC key',
      [...first, '--saml-certificate', file(rsa + pem(issueRoot()))],
      /RSA certificates/,
    ],
    ['the name of a directory', [...first, '--saml-provider', 'ldapmain'], /expected a name such as/],
    ['the name of an OpenID Connect provider', [...first, ...oidc], /saml is used twice/],
    ['a name twice', [...first, '--saml-providers', file([{ ...good, provider: 'saml' }])], /saml is used twice/],
    [
      'two automatic ones',
      [...first, '--saml-auto-sign-in', ...oidc, '--oidc-provider', 'x', '--oidc-auto-sign-in'],
      /only one provider/,
    ],
    ['a file without a certificate', ['--saml-providers', file([{ ...good, certificate: '' }])], /certificate: needed/],
    [
      'an unknown setting in the file',
      ['--saml-providers', file([{ ...good, issuer: 'x' }])],
      /unknown setting issuer/,
    ],
  ];
  for (const [name, flags, message] of wrong) {
    it(`are refused with ${name}`, () => assert.throws(() => loadConfig(flags), message));
  }
});
