import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { digest, randomToken, safeEqual } from '../../../src/platform/secrets/tokens.ts';

test('a digest is the SHA-256 of the token', () => {
  assert.equal(digest('glpat-abc'), createHash('sha256').update('glpat-abc').digest('base64url'));
  assert.equal(digest('').length, 43);
});

test('random tokens have the requested length, are URL-safe and unique', () => {
  const tokens = Array.from({ length: 2000 }, () => randomToken());
  assert.equal(new Set(tokens).size, tokens.length);
  for (const token of tokens) assert.match(token, /^[A-Za-z0-9_-]{20}$/);
  for (const length of [1, 7, 32, 64]) assert.equal(randomToken(length).length, length);
  assert.equal(new Set(tokens.join('')).size, 64, 'every character of the alphabet occurs');
});

test('safeEqual compares texts of any length', () => {
  assert.ok(safeEqual('secret', 'secret'));
  assert.ok(safeEqual('', ''));
  for (const [left, right] of [
    ['secret', 'secreT'],
    ['secret', 'secret1'],
    ['secret', ''],
    ['é', 'e'],
  ] as const) {
    assert.ok(!safeEqual(left, right));
  }
});
