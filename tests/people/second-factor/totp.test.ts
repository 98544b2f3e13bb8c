import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { codeDigest, inGroups, newRecoveryCodes, plainCode } from '../../../src/people/second-factor/recovery-codes.ts';
import { appLink, base32, codeAt, matchingStep, stepAt } from '../../../src/people/second-factor/totp.ts';

// The test vectors of RFC 6238, appendix B, have eight digits, of which apps show the last six.
const key = Buffer.from('12345678901234567890');

describe('TOTP codes', () => {
  const vectors: [number, string][] = [
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ];
  for (const [seconds, code] of vectors)
    it(`are ${code} at ${seconds} s`, () => assert.equal(codeAt(key, stepAt(seconds * 1000)), code.slice(2)));

  const now = 1_234_567_890_000;
  const step = stepAt(now);
  const cases: [string, number, number, number | undefined][] = [
    ['of now', 0, 0, step],
    ['of half a minute ago', -1, 0, step - 1],
    ['of half a minute from now', 1, 0, step + 1],
    ['of a minute ago', -2, 0, undefined],
    ['of a minute from now', 2, 0, undefined],
    ['already used', 0, step, undefined],
    ['before one already used', -1, step, undefined],
    ['after one already used', 1, step, step + 1],
  ];
  for (const [name, later, used, expected] of cases)
    it(`accept one ${name}: ${expected !== undefined}`, () =>
      assert.equal(matchingStep(key, codeAt(key, step + later), now, used), expected));

  for (const wrong of ['', '1', '0'.repeat(400), codeAt(key, step).slice(1), `${codeAt(key, step)}0`])
    it(`reject ${JSON.stringify(wrong.slice(0, 10))}`, () => assert.equal(matchingStep(key, wrong, now, 0), undefined));
});

describe('base32 keys', () => {
  // The vectors of RFC 4648, section 10, without padding.
  const vectors: [string, string][] = [
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ];
  for (const [bytes, text] of vectors)
    it(`encode ${bytes} as ${text}`, () => assert.equal(base32(Buffer.from(bytes)), text));

  it('are part of the provisioning URI', () => {
    const link = new URL(appLink(key, 'forge.example:8080', 'a b'));
    assert.equal(link.protocol, 'otpauth:');
    assert.equal(link.searchParams.get('secret'), 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ');
    assert.equal(link.searchParams.get('issuer'), 'forge.example:8080');
    assert.match(link.href, /forge\.example%3A8080:a%20b\?/);
  });
});

describe('recovery codes', () => {
  it('are ten, distinct, and recognized in any notation', () => {
    const codes = newRecoveryCodes();
    assert.equal(new Set(codes).size, 10);
    for (const code of codes) assert.match(code, /^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/);
    const [first = ''] = codes;
    assert.equal(codeDigest(` ${first.toUpperCase().replaceAll('-', ' ')}\n`), codeDigest(first));
    assert.equal(plainCode(' 12 34-56 '), '123456');
    assert.equal(inGroups('ABCDEFGHIJ', ' '), 'ABCD EFGH IJ');
  });
});
