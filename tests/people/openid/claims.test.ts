import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mergeClaims, readPerson } from '../../../src/people/openid/claims.ts';
import {
  type AddressOwner,
  flagsFromGroups,
  isAdmitted,
  resolveUnlinked,
} from '../../../src/people/sign-in-providers/person.ts';

const names = { username: ['preferred_username', 'nickname'], email: 'email', name: 'name', groups: 'groups' };
const person = (claims: object = {}) => {
  const read = readPerson({ sub: '1', ...claims }, names);
  assert.ok(read);
  return read;
};

describe('users from provider claims', () => {
  const logins: [string, object, string][] = [
    ['the first claim', { preferred_username: 'ada', nickname: 'countess' }, 'ada'],
    ['the next claim if the first is blank', { preferred_username: ' ', nickname: 'countess' }, 'countess'],
    ['the next claim if the first is not a string', { preferred_username: 7, nickname: 'countess' }, 'countess'],
    ['the e-mail address if both are missing', { email: 'Ada@Example.com' }, 'ada@example.com'],
    ['a default if everything is missing', {}, 'user'],
  ];
  for (const [name, claims, login] of logins) {
    it(`takes the username from ${name}`, () => assert.equal(person(claims).login, login));
  }

  const verified: [unknown, boolean | undefined][] = [
    [true, true],
    ['true', true],
    [false, false],
    ['false', false],
    [1, false],
    [undefined, undefined],
    [null, undefined],
  ];
  for (const [claimed, expected] of verified) {
    it(`reads email_verified ${JSON.stringify(claimed)} as ${expected}`, () =>
      assert.equal(person({ email: 'ada@example.com', email_verified: claimed }).emailVerified, expected));
  }

  it('applies email_verified to the claim email only', () => {
    const upn = { ...names, email: 'upn' };
    const read = (claims: object) => readPerson({ sub: '1', email_verified: true, ...claims }, upn)?.emailVerified;
    assert.equal(read({ email: 'mallory@example.com', upn: 'ada@example.com' }), undefined);
    assert.equal(read({ upn: 'ada@example.com' }), undefined);
    assert.equal(read({ email: 'Ada@Example.com', upn: 'ada@example.com' }), true);
  });

  it('does not apply email_verified of an unsigned address to a signed one', () => {
    const userInfo = { email: 'mallory@example.com', email_verified: true, name: 'Mallory' };
    const signed = { sub: '1', email: 'ada@example.com' };
    assert.deepEqual(mergeClaims(userInfo, signed), { ...signed, name: 'Mallory' });
    assert.deepEqual(mergeClaims({ ...userInfo, email: signed.email }, signed), { ...userInfo, ...signed });
    assert.deepEqual(mergeClaims(userInfo, { sub: '1' }), { ...userInfo, sub: '1' });
    assert.equal(mergeClaims(userInfo, { ...signed, email_verified: false }).email_verified, false);
  });

  it('ignores overlong e-mail addresses', () => {
    const long = `${'x'.repeat(243)}@example.com`;
    assert.equal(person({ email: long }).email, long);
    assert.equal(person({ email: `${long}.elsewhere.example` }).email, undefined);
  });

  const groups: [unknown, string[]][] = [
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
    ['a', ['a']],
    [['a', 1, null, ['b']], ['a']],
    [{ a: true }, []],
    [undefined, []],
  ];
  for (const [claimed, expected] of groups) {
    it(`reads the groups ${JSON.stringify(claimed)} as ${JSON.stringify(expected)}`, () =>
      assert.deepEqual(person({ groups: claimed }).groups, expected));
  }

  it('rejects empty, overlong and unstorable subjects', () => {
    for (const sub of ['', 'x'.repeat(256), 'a\0b']) assert.equal(readPerson({ sub }, names), undefined);
  });

  it('truncates overlong names and ignores unstorable ones', () => {
    assert.equal(person({ name: 'x'.repeat(10_000) }).name.length, 255);
    assert.equal(person({ name: 'a\0b', nickname: 'ada' }).name, 'ada');
  });
});

describe('decisions by groups', () => {
  const inB = person({ groups: ['b'] });
  it('admit members of a required group, and everyone if none is required', () => {
    assert.equal(isAdmitted(inB, { requiredGroups: [] }), true);
    assert.equal(isAdmitted(inB, { requiredGroups: ['a', 'b'] }), true);
    assert.equal(isAdmitted(inB, { requiredGroups: ['a', 'B'] }), false);
    assert.equal(isAdmitted(person(), { requiredGroups: ['a'] }), false);
  });

  it('set the flags of configured groups only', () => {
    assert.deepEqual(flagsFromGroups(inB, { adminGroups: [], externalGroups: [] }), {});
    assert.deepEqual(flagsFromGroups(inB, { adminGroups: ['b'], externalGroups: ['a'] }), { admin: 1, external: 0 });
    assert.deepEqual(flagsFromGroups(person(), { adminGroups: ['b'], externalGroups: [] }), { admin: 0 });
  });
});

describe('unlinked identity', () => {
  const nobody: AddressOwner = { kind: 'nobody', confirmed: false, linked: false };
  const owner: AddressOwner = { kind: 'human', confirmed: true, linked: false };
  const email = { email: 'a@example.com' };
  const sure = { ...email, email_verified: true };
  const open = { label: 'X', signUp: true, linkByEmail: false };
  const linking = { ...open, linkByEmail: true };
  const cases: [string, object, AddressOwner, typeof open, string | RegExp][] = [
    ['creates an account', sure, nobody, open, 'create'],
    ['creates one if email_verified is missing', email, nobody, open, 'create'],
    ['is refused if sign-up is disabled', sure, nobody, { ...open, signUp: false }, /No account is connected/],
    ['is refused without an e-mail address', {}, nobody, open, /did not provide your e-mail/],
    ['is refused with an unverified address', { ...email, email_verified: false }, nobody, open, /Confirm your e-mail/],
    ['is refused if another account has the address', sure, owner, open, /with your e-mail address already exists/],
    ['is linked by e-mail address if enabled', sure, owner, linking, 'link'],
    [
      'is not linked if the provider did not verify it',
      email,
      owner,
      linking,
      /with your e-mail address already exists/,
    ],
    [
      'is not linked if the account did not confirm it',
      sure,
      { ...owner, confirmed: false },
      linking,
      /with your e-mail/,
    ],
    ['is not linked to an already linked account', sure, { ...owner, linked: true }, linking, /with your e-mail/],
    ['is not linked to a bot', sure, { ...owner, kind: 'other' }, linking, /with your e-mail/],
  ];
  for (const [name, claims, at, settings, expected] of cases) {
    it(name, () => {
      const arrival = resolveUnlinked(person(claims), at, settings);
      if (typeof expected === 'string') assert.equal(arrival, expected);
      else assert.match(typeof arrival === 'object' ? arrival.refused : arrival, expected);
    });
  }
});
