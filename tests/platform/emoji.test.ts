import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { emojiCharacter, emojiName, emojiNameOfCharacter } from '../../src/platform/emoji.ts';

describe('emoji names', () => {
  const known: readonly (readonly [string, string])[] = [
    ['thumbsup', 'thumbsup'],
    ['+1', 'thumbsup'],
    ['thumbsdown', 'thumbsdown'],
    ['-1', 'thumbsdown'],
    ['tada', 'tada'],
    ['heart', 'heart'],
    ['eyes', 'eyes'],
    ['rocket', 'rocket'],
    ['slight_smile', 'slight_smile'],
    ['slightly_smiling_face', 'slight_smile'],
    ['white_check_mark', 'white_check_mark'],
    ['flag_de', 'flag_de'],
    ['de', 'flag_de'],
    ['thumbsup_tone1', 'thumbsup_tone1'],
    ['hugs', 'hugging'],
    ['8ball', '8ball'],
  ];
  for (const [name, stored] of known) {
    it(`map ${name} to ${stored}`, () => assert.equal(emojiName(name), stored));
  }
  for (const name of ['', 'nope', ':tada:', 'Tada', 'constructor', '__proto__', 'toString', '👍', 'tada tada']) {
    it(`do not include ${JSON.stringify(name)}`, () => assert.equal(emojiName(name), undefined));
  }

  it('map to characters and back', () => {
    assert.equal(emojiCharacter('tada'), '🎉');
    assert.equal(emojiCharacter('+1'), '👍');
    assert.equal(emojiCharacter('heart'), '❤\u{fe0f}');
    assert.equal(emojiCharacter('nope'), undefined);
    assert.equal(emojiNameOfCharacter('❤'), 'heart');
    assert.equal(emojiNameOfCharacter('❤\u{fe0f}'), 'heart');
    assert.equal(emojiNameOfCharacter('a'), undefined);
  });
});
