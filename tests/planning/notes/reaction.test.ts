import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { emojiReactionIn } from '../../../src/planning/notes/reaction.ts';

describe('notes that consist of one emoji', () => {
  const bodies: readonly (readonly [string, string | undefined])[] = [
    [':tada:', 'tada'],
    ['  :tada:\n', 'tada'],
    [':+1:', 'thumbsup'],
    ['🎉', 'tada'],
    ['👍', 'thumbsup'],
    ['👍🏽', 'thumbsup_tone3'],
    ['❤️', 'heart'],
    ['🇩🇪', 'flag_de'],
    ['', undefined],
    ['1', undefined],
    [':tada: :tada:', undefined],
    [':tada::tada:', undefined],
    ['🎉🎉', undefined],
    [':nope:', undefined],
    ['thanks :tada:', undefined],
    ['`:tada:`', undefined],
    [':tada', undefined],
    [':constructor:', undefined],
    [':'.repeat(1_000_000), undefined],
  ];
  for (const [body, name] of bodies) {
    it(`${JSON.stringify(body.slice(0, 20))} is ${name ?? 'an ordinary note'}`, () =>
      assert.equal(emojiReactionIn(body), name));
  }
});
