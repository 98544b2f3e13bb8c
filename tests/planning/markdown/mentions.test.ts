import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { extractMentions } from '../../../src/planning/markdown/public.ts';

describe('mentions in a text', () => {
  const cases: readonly (readonly [
    text: string,
    names: readonly string[],
    addressed: readonly string[],
    all?: true,
  ])[] = [
    ['nobody', [], []],
    ['thanks @ann', ['ann'], []],
    ['@ann please look', ['ann'], ['ann']],
    ['@ann, @bob and @eve please look, not @mallory', ['ann', 'bob', 'eve', 'mallory'], ['ann', 'bob', 'eve']],
    ['Hello\n@ann and\n@bob', ['ann', 'bob'], ['ann', 'bob']],
    ['cc @group/sub', ['group/sub'], []],
    ['@all look', [], [], true],
    ['@ann @ann', ['ann'], ['ann']],
    ['- @ann', ['ann'], ['ann']],
    ['`@ann` and ```@bob```', [], []],
    ['```\n@ann\n```', [], []],
    ['mail ann@example.com or @', [], []],
    ['[@ann](https://x.example)', [], []],
  ];
  for (const [text, names, addressed, all] of cases) {
    it(`${JSON.stringify(text)}: ${names.join(', ') || 'none'}`, () =>
      assert.deepEqual(extractMentions(text), { names, addressed, all: all ?? false }));
  }
});
