import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isFilter } from '../../../src/platform/directory/directory.ts';
import { isBelow, normalizeDn } from '../../../src/platform/directory/dn.ts';
import { allOf, equals, escapeFilterValue } from '../../../src/platform/directory/filter.ts';

describe('distinguished names', () => {
  const cases: [string, string | undefined][] = [
    ['uid=John,ou=People,dc=Example,dc=com', 'uid=john,ou=people,dc=example,dc=com'],
    [' UID = John Smith , OU=People', 'uid=john smith,ou=people'],
    ['cn=Smith\\, John,dc=x', 'cn=smith\\, john,dc=x'],
    ['cn=Smith\\2c John,dc=x', 'cn=smith\\, john,dc=x'],
    ['cn="Smith, John",dc=x', 'cn=smith\\, john,dc=x'],
    ['cn=J\\c3\\bcrgen,dc=x', 'cn=jürgen,dc=x'],
    ['cn=a+sn=b,dc=x', 'cn=a+sn=b,dc=x'],
    ['sn=b+cn=a,dc=x', 'cn=a+sn=b,dc=x'],
    ['cn=a\\ ,dc=x', 'cn=a\\ ,dc=x'],
    ['cn=\\#1,dc=x', 'cn=\\#1,dc=x'],
    ['1.2.840=x', '1.2.840=x'],
    // Surrogate pairs: names differ, however they are escaped.
    ['cn=\u{20bb7}\u7530,dc=x', 'cn=\u{20bb7}\u7530,dc=x'],
    ['cn=\\f0\\a0\\ae\\b7,dc=x', 'cn=\u{20bb7},dc=x'],
    ['cn=\\\u{20bb7},dc=x', 'cn=\u{20bb7},dc=x'],
    ['cn=\\ff,dc=x', undefined],
    ['cn=\ud842,dc=x', undefined],
    ['john', undefined],
    ['uid=', undefined],
    ['=x', undefined],
    ['uid=x,', undefined],
    ['uid=x\\', undefined],
    ['', undefined],
  ];
  for (const [written, expected] of cases) {
    it(`${JSON.stringify(written)} is normalized to ${expected ?? 'nothing'}`, () =>
      assert.equal(normalizeDn(written), expected));
  }

  it('are not changed by a second normalization', () => {
    for (const [, once] of cases) if (once !== undefined) assert.equal(normalizeDn(once), once);
  });

  it('are below their base only at a component boundary', () => {
    assert.ok(isBelow('uid=a,dc=x', 'dc=x'));
    assert.ok(isBelow('dc=x', 'dc=x'));
    assert.ok(!isBelow('uid=a,odc=x', 'dc=x'));
  });
});

describe('filters', () => {
  it('escape values', () => {
    assert.equal(escapeFilterValue('*)(uid=*'), '\\2a\\29\\28uid=\\2a');
    assert.equal(escapeFilterValue('a\\b\0'), 'a\\5cb\\00');
    assert.equal(equals('uid', 'x)(|(uid=*'), '(uid=x\\29\\28|\\28uid=\\2a)');
  });

  it('are combined, with or without parentheses', () => {
    assert.equal(allOf('(a=1)', undefined), '(a=1)');
    assert.equal(allOf('(a=1)', 'b=2'), '(&(a=1)(b=2))');
  });

  it('are recognized', async () => {
    assert.ok(await isFilter('(&(a=1)(!(b=2)))'));
    assert.ok(!(await isFilter('(a=1')));
    assert.ok(!(await isFilter('')));
  });
});
