import assert from 'node:assert/strict';
import { test } from 'node:test';
import { avatarFilename, avatarRule, avatarType, pictureProblems } from '../../../src/people/avatars/rules.ts';

const avatarLimit = avatarRule.kibibytes * 1024;

const unsupported =
  'file format is not supported. Please try one of the following supported formats: ' +
  'png, jpg, jpeg, gif, bmp, tiff, ico, webp';
const tooBig = 'is too big (should be at most 200 KiB)';

const problems: [string, number, string[]][] = [
  ['a.png', 1, []],
  ['a.JPEG', avatarLimit, []],
  ['a.b.webp', 10, []],
  ['a.png', avatarLimit + 1, [tooBig]],
  ['a.svg', 1, [unsupported]],
  ['png', 1, [unsupported]],
  ['a.constructor', 1, [unsupported]],
  ['', avatarLimit + 1, [unsupported, tooBig]],
];
for (const [filename, size, expected] of problems) {
  test(`"${filename}" of ${size} bytes`, () => {
    assert.deepEqual(pictureProblems({ filename, size }, avatarRule), expected);
  });
}

const names: [string, string][] = [
  ['me.png', 'me.png'],
  ['C:\\Users\\me\\my face.PNG', 'my_face.PNG'],
  ['../../etc/passwd.png', 'passwd.png'],
  ['..png', '_png'],
  ['a"b;c.gif', 'a_b_c.gif'],
  [`${'x'.repeat(300)}.png`, `${'x'.repeat(96)}.png`],
];
for (const [sent, kept] of names) {
  test(`${sent.slice(0, 40)} is stored as ${kept.slice(0, 40)}`, () => {
    assert.equal(avatarFilename(sent), kept);
  });
}

test('derives the content type from the name', () => {
  assert.equal(avatarType('a.JPG'), 'image/jpeg');
  assert.equal(avatarType('a.exe'), 'application/octet-stream');
});
