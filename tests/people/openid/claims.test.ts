import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type AddressOwner,
  arrivalOf,
  isAdmitted,
  joinedClaims,
  marksOf,
  readPerson,
} from '../../../src/people/openid/claims.ts';

const names = { username: ['preferred_username', 'nickname'], email: 'email', name: 'name', groups: 'groups' };
const person = (claims: object = {}) => {
  const read = readPerson({ sub: '1', ...claims }, names);
  assert.ok(read);
  return read;
};

describe('users from provider claims', () => {
  const logins: [string, object, string][] = [
    ['the first claim', { preferred_username: 'ada', nickname: 'countess' }, 'ada'],
    ['the next, where the first is empty', { preferred_username: ' ', nickname: 'countess' }, 'countess'],
    ['the next, where the first is no text', { preferred_username: 7, nickname: 'countess' }, 'countess'],
    ['the address, where there is neither', { email: 'Ada@Example.com' }, 'ada@example.com'],
    ['something, where there is nothing', {}, 'user'],
  ];
  for (const [what, claims, login] of logins) {
    it(`takes the username from ${what}`, () => assert.equal(person(claims).login, login));
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
  for (const [said, expected] of verified) {
    it(`reads email_verified ${JSON.stringify(said)} as ${expected}`, () =>
      assert.equal(person({ email: 'ada@example.com', email_verified: said }).emailVerified, expected));
  }

  it('applies email_verified to the claim email only', () => {
    const upn = { ...names, email: 'upn' };
    const read = (claims: object) => readPerson({ sub: '1', email_verified: true, ...claims }, upn)?.emailVerified;
    assert.equal(read({ email: 'mallory@example.com', upn: 'ada@example.com' }), undefined);
    assert.equal(read({ upn: 'ada@example.com' }), undefined);
    assert.equal(read({ email: 'Ada@Example.com', upn: 'ada@example.com' }), true);
  });

  it('does not apply email_verified of an unsigned address to a signed one', () => {
    const told = { email: 'mallory@example.com', email_verified: true, name: 'Mallory' };
    const signed = { sub: '1', email: 'ada@example.com' };
    assert.deepEqual(joinedClaims(told, signed), { ...signed, name: 'Mallory' });
    assert.deepEqual(joinedClaims({ ...told, email: signed.email }, signed), { ...told, ...signed });
    assert.deepEqual(joinedClaims(told, { sub: '1' }), { ...told, sub: '1' });
    assert.equal(joinedClaims(told, { ...signed, email_verified: false }).email_verified, false);
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
  for (const [said, expected] of groups) {
    it(`reads the groups ${JSON.stringify(said)} as ${JSON.stringify(expected)}`, () =>
      assert.deepEqual(person({ groups: said }).groups, expected));
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
    assert.deepEqual(marksOf(inB, { adminGroups: [], externalGroups: [] }), {});
    assert.deepEqual(marksOf(inB, { adminGroups: ['b'], externalGroups: ['a'] }), { admin: 1, external: 0 });
    assert.deepEqual(marksOf(person(), { adminGroups: ['b'], externalGroups: [] }), { admin: 0 });
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
    ['gets an account', sure, nobody, open, 'create'],
    ['gets one where nothing is said of the address', email, nobody, open, 'create'],
    ['gets none where sign-up is off', sure, nobody, { ...open, signUp: false }, /No account is connected/],
    ['gets none without an address', {}, nobody, open, /did not provide your e-mail/],
    ['gets none with an unconfirmed address', { ...email, email_verified: false }, nobody, open, /Confirm your e-mail/],
    ['gets nobody else’s account', sure, owner, open, /with your e-mail address already exists/],
    ['gets the account of the address, where that is on', sure, owner, linking, 'link'],
    ['not where the provider does not vouch for it', email, owner, linking, /with your e-mail address already exists/],
    ['not where the account has not confirmed it', sure, { ...owner, confirmed: false }, linking, /with your e-mail/],
    ['not where the account is linked to another', sure, { ...owner, linked: true }, linking, /with your e-mail/],
    ['not that of a bot', sure, { ...owner, kind: 'other' }, linking, /with your e-mail/],
  ];
  for (const [what, claims, at, settings, expected] of cases) {
    it(what, () => {
      const arrival = arrivalOf(person(claims), at, settings);
      if (typeof expected === 'string') assert.equal(arrival, expected);
      else assert.match(typeof arrival === 'object' ? arrival.refused : arrival, expected);
    });
  }
});
