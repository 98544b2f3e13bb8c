import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatLfsPointer, parseLfsPointer } from '../../../../src/platform/git/objects/lfs-pointer.ts';

const oid = '4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393';
const pointer = (text: string) => parseLfsPointer(Buffer.from(text));

test('a formatted pointer parses back', () => {
  for (const size of [0, 1, 12345, 2 ** 40]) {
    assert.deepEqual(pointer(formatLfsPointer({ oid, size })), { oid, size });
  }
});

test('the older version line is accepted, extensions only within the size limit', () => {
  assert.deepEqual(pointer(`version https://hawser.github.com/spec/v1\noid sha256:${oid}\nsize 7\n`), { oid, size: 7 });
  const extended = `version https://git-lfs.github.com/spec/v1\next-0-a sha256:${oid}\noid sha256:${oid}\nsize 7\n`;
  assert.equal(pointer(extended), undefined, 'a pointer over 200 bytes is an ordinary file');
});

test('anything else is an ordinary file', () => {
  const good = formatLfsPointer({ oid, size: 12345 });
  const bad: Record<string, string> = {
    empty: '',
    'no final newline': good.slice(0, -1),
    'upper-case digest': good.replace(oid, oid.toUpperCase()),
    'short digest': good.replace(oid, `${oid.slice(0, 60)}    `),
    'negative size': good.replace('12345', '-12345'),
    'octal size': good.replace('12345', '012345'),
    'absurd size': good.replace('12345', '9'.repeat(17)),
    'extra line': `${good}x y\n`,
    'carriage returns': good.replaceAll('\n', '\r\n'),
    'other version': good.replace('v1', 'v9'),
    binary: `\0${good}`,
  };
  for (const [name, text] of Object.entries(bad)) assert.equal(pointer(text), undefined, name);
});
