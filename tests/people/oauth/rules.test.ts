import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  applicationProblems,
  isRedirectOf,
  provesChallenge,
  readUserCode,
  scopesFor,
  userCodeFrom,
} from '../../../src/people/oauth/rules.ts';

describe('OAuth rules', () => {
  it('match redirect URIs exactly except for loopback ports', () => {
    const registered =
      'https://app.example/cb?x=1\nhttp://127.0.0.1/auth http://localhost:7171/auth/redirect myapp://cb';
    for (const [address, isOne] of [
      ['https://app.example/cb?x=1', true],
      ['https://app.example/cb', false],
      ['https://app.example/cb?x=1&y=2', false],
      ['https://app.example/cb?x=1/../evil', false],
      ['https://app.example.evil/cb?x=1', false],
      ['https://app.example@evil.example/cb?x=1', false],
      ['http://127.0.0.1:5123/auth', true],
      ['http://127.0.0.1:5123/other', false],
      ['http://127.0.0.1:5123@evil.example/auth', false],
      ['http://127.0.0.1.evil.example/auth', false],
      ['https://127.0.0.1:5123/auth', false],
      ['http://localhost:7171/auth/redirect', true],
      ['http://localhost:7172/auth/redirect', false],
      ['myapp://cb', true],
      ['', false],
    ] as const)
      assert.equal(isRedirectOf(address, registered), isOne, address);
  });

  it('grant scopes that the application has', () => {
    for (const [requested, allowed, granted] of [
      [undefined, ['api', 'read_user'], ['api']],
      ['', ['api'], ['api']],
      [undefined, ['read_user'], undefined],
      ['read_user openid', ['read_user', 'openid'], ['read_user', 'openid']],
      ['read_user read_user', ['read_user'], ['read_user']],
      ['api', ['read_user'], undefined],
      ['nonsense', ['api'], undefined],
    ] as const)
      assert.deepEqual(scopesFor(requested, allowed), granted, String(requested));
  });

  it('validate name, redirect URIs and scopes of an application', () => {
    const good = { name: 'App', redirect_uri: 'https://app.example/cb', scopes: 'api read_user' };
    assert.deepEqual(applicationProblems(good), {});
    for (const [wrong, keys] of [
      [{ name: ' ' }, ['name']],
      [{ name: 'x'.repeat(256) }, ['name']],
      [{ redirect_uri: '' }, ['redirect_uri']],
      [{ redirect_uri: '/relative' }, ['redirect_uri']],
      [{ redirect_uri: 'https://a.example/#x' }, ['redirect_uri']],
      [{ redirect_uri: 'javascript:alert(1)' }, ['redirect_uri']],
      [{ redirect_uri: 'JaVaScRiPt:alert(1)' }, ['redirect_uri']],
      [{ redirect_uri: 'data:text/html,x' }, ['redirect_uri']],
      [{ redirect_uri: 'https://a.example\nhttps://b.example/#' }, ['redirect_uri']],
      [{ scopes: '' }, ['scopes']],
      [{ scopes: 'api everything' }, ['scopes']],
    ] as const)
      assert.deepEqual(Object.keys(applicationProblems({ ...good, ...wrong })), keys, JSON.stringify(wrong));
  });

  it('verify code challenges (example of RFC 7636)', () => {
    const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
    const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
    assert.equal(provesChallenge(challenge, 'S256', verifier), true);
    assert.equal(provesChallenge(challenge, 'S256', `${verifier}x`), false);
    assert.equal(provesChallenge(challenge, 'plain', verifier), false);
    assert.equal(provesChallenge(verifier, 'plain', verifier), true);
    assert.equal(provesChallenge(challenge, 'S256', ''), false);
    assert.equal(provesChallenge('', 'plain', ''), false);
  });

  it('parse user codes in any notation', () => {
    const code = userCodeFrom(new Uint8Array([0, 1, 2, 3, 252, 253, 254, 255]));
    assert.match(code, /^[BCDFGHJKLMNPQRSTVWXZ]{8}$/);
    assert.equal(readUserCode(` ${code.slice(0, 4).toLowerCase()}-${code.slice(4)} `), code);
  });
});
