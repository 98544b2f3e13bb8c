import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { commonPasswords } from '../../../../src/people/users/accounts/common-passwords.ts';
import { plainProfile, withoutTags } from '../../../../src/people/users/accounts/plain-text.ts';
import { isEmail, passwordProblems, userProblems } from '../../../../src/people/users/accounts/rules.ts';
import { commitEmail, localTime, workInformation } from '../../../../src/people/users/profiles/present.ts';

const ada = { username: 'ada.l', name: 'Ada Lovelace', email: 'ada@example.com' };
const common = 'must not contain commonly used combinations of words and letters';

describe('password validation', () => {
  const cases: [string, string[]][] = [
    ['', ["can't be blank"]],
    ['short', ['is too short (minimum is 8 characters)']],
    ['ünïcödé', ['is too short (minimum is 8 characters)']],
    ['Password123', [common]],
    ['qwertyuiop', [common]],
    ['ADA@example.com', [common]],
    ['ada lovelace', [common]],
    ['x'.repeat(129), ['is too long (maximum is 128 characters)']],
    ['correct horse', []],
  ];
  for (const [password, problems] of cases) {
    it(`${JSON.stringify(password.slice(0, 20))}: ${problems.join(', ') || 'valid'}`, () => {
      assert.deepEqual(passwordProblems(password, ada), problems);
    });
  }

  it('uses a list of lower-case words of sufficient length', () => {
    assert.ok(commonPasswords.size > 300);
    for (const word of commonPasswords) assert.ok(word.length >= 8 && word === word.toLowerCase(), word);
  });
});

describe('user validation', () => {
  const path =
    "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'.";
  const strict =
    "can only include non-accented letters, digits, '_', '-' and '.'. It must not start with '-', '_', or '.', " +
    "nor end with '-', '_', '.', '.git', or '.atom'.";
  const tooLong = (most: number) => `is too long (maximum is ${most} characters)`;
  const cases: [object, Record<string, string[]>][] = [
    [{ ...ada }, {}],
    [{ email: 'nobody' }, { email: ['is invalid'] }],
    [{ email: ' ' }, { email: ["can't be blank"] }],
    [{ name: ' ' }, { name: ["can't be blank"] }],
    [{ name: 'n'.repeat(256) }, { name: [tooLong(255)] }],
    [{ username: 'a' }, { username: ['is too short (minimum is 2 characters)'] }],
    [{ username: 'käthe' }, { username: [path, strict] }],
    [{ username: '_ada' }, { username: [strict] }],
    [{ username: 'api' }, { username: ['api is a reserved name'] }],
    [{ bio: 'b'.repeat(256) }, { bio: [tooLong(255)] }],
    [{ pronouns: 'p'.repeat(51) }, { 'user_detail.pronouns': [tooLong(50)] }],
    [{ organization: 'o'.repeat(501) }, { 'user_detail.organization': [tooLong(500)] }],
    [{ discord: 'me#1234' }, { 'user_detail.discord': ['must contain only a discord user ID.'] }],
    [{ discord: '12345678901234567' }, {}],
    [{ website_url: 'javascript:alert(1)' }, { 'user_detail.website_url': ['must be a valid URL'] }],
    [{ website_url: 'example.com:8080/me' }, {}],
    [{ website_url: 'https://example.com' }, {}],
    [{ projects_limit: -1 }, { projects_limit: ['must be greater than or equal to 0'] }],
    [
      { theme_id: 0, color_scheme_id: 99 },
      { theme_id: ['is not included in the list'], color_scheme_id: ['is not included in the list'] },
    ],
    [{ extern_uid: 'u'.repeat(256), provider: 'ldap' }, { 'identities.extern_uid': [tooLong(255)] }],
  ];
  for (const [values, problems] of cases) {
    it(`${JSON.stringify(values).slice(0, 60)}: ${Object.keys(problems).join(', ') || 'valid'}`, () => {
      assert.deepEqual(userProblems(values), problems);
    });
  }

  it('recognizes e-mail addresses', () => {
    for (const good of ['a@b', 'a.b+c@d-e.fr', "o'neill@x.org", 'a@127.0.0.1']) assert.ok(isEmail(good), good);
    for (const bad of ['a', '@b', 'a@', 'a b@c', 'a@b@c', 'a@b..c', '<a@b.c>', `${'a'.repeat(251)}@b.c`]) {
      assert.ok(!isEmail(bad), bad);
    }
  });
});

describe('user presentation', () => {
  it('joins job title and organization', () => {
    const shown = (job_title: string | null, organization: string) => workInformation({ job_title, organization });
    assert.deepEqual(
      [shown('Engineer', 'Acme'), shown('Engineer', ''), shown(null, 'Acme'), shown('', ''), shown(null, '')],
      ['Engineer at Acme', 'Engineer', 'Acme', null, null],
    );
  });

  it('selects the commit e-mail address', () => {
    const user = { id: 7, username: 'ada', email: 'ada@example.com' };
    const shown = (commit_email: string | null) => commitEmail({ ...user, commit_email }, 'https://forge.example:8443');
    assert.equal(shown(null), 'ada@example.com');
    assert.equal(shown('other@example.com'), 'other@example.com');
    assert.equal(shown('_private'), '7-ada@users.noreply.forge.example');
  });

  it('shows the local time', () => {
    const noon = new Date('2026-01-15T12:05:00Z');
    assert.equal(localTime('America/New_York', noon), '7:05 AM');
    assert.equal(localTime('Asia/Tokyo', noon), '9:05 PM');
    assert.equal(localTime('Nowhere/Land', noon), null);
    assert.equal(localTime(null, noon), null);
  });
});

describe('profile fields', () => {
  for (const [sent, kept] of [
    ['Paris', 'Paris'],
    ['a < b & c', 'a < b & c'],
    ['<b>Paris</b> & <i>Rome</i>', 'Paris & Rome'],
    ['<script>alert(1)</script>x', 'x'],
    ['<img src=x onerror=alert(1)>', ''],
  ] as const)
    it(`${sent} is stored as ${kept}`, () => {
      assert.equal(withoutTags(sent), kept);
      assert.deepEqual(plainProfile({ location: sent, name: sent, bio: sent }), {
        location: kept,
        name: kept,
        bio: sent,
      });
    });
});
