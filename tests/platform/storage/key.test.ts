import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkKey } from '../../../src/platform/storage/key.ts';
import fc from '../../support/properties.ts';

const good = ['a', '0', 'uploads/ab/cd/1234', 'lfs/9f/86/9f86d081.bin', 'a_b-c.d', `${'x'.repeat(128)}/y`];

const bad = [
  '',
  '/',
  '/etc/passwd',
  'a/',
  'a//b',
  '..',
  '../a',
  'a/../b',
  'a/..',
  'a/./b',
  '.incoming/x',
  'a/.hidden',
  'A',
  'a b',
  'a\\b',
  'a\0b',
  'a\nb',
  'a%2f..',
  'ü',
  'c:a',
  '-a',
  '~',
  'x'.repeat(129),
  'x/'.repeat(300),
];

test('accepts keys made of ids and digests', () => {
  for (const key of good) assert.doesNotThrow(() => checkKey(key), key);
});

test('rejects keys that could leave the directory, be hidden or collide', () => {
  for (const key of bad) assert.throws(() => checkKey(key), /not a storage key/, JSON.stringify(key));
});

test('no accepted key leads out of the directory', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (key) => {
      try {
        checkKey(key);
      } catch {
        return;
      }
      assert.ok(!key.startsWith('/') && !key.split('/').some((part) => part === '' || part.startsWith('.')));
    }),
  );
});
