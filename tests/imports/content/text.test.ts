import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { importedText, importedTitle, withSuggestions } from '../../../src/imports/content/text.ts';

describe('imported texts', () => {
  const moved = { from: 'https://there/o/r', to: 'https://here/g/p' };
  const table: [string, string][] = [
    ['thanks @ann!', 'thanks `@ann`!'],
    ['`@ann` stays, @bob-b does not', '`@ann` stays, `@bob-b` does not'],
    ['```\n@ann\n```\n@ann', '```\n@ann\n```\n`@ann`'],
    ['mail ann@example.com', 'mail ann@example.com'],
    ['see https://there/o/r/issues/12#x', 'see https://here/g/p/-/issues/12#x'],
    [
      'see https://there/o/r/pull/3 and https://there/o/r/pulls',
      'see https://here/g/p/-/merge_requests/3 and https://there/o/r/pulls',
    ],
    ['https://there/o/r2/issues/1', 'https://there/o/r2/issues/1'],
    ['a\r\nb', 'a\nb'],
  ];
  for (const [text, expected] of table) {
    it(`converts ${JSON.stringify(text)}`, () => assert.equal(importedText(text, moved), expected));
  }

  it('are empty if missing', () => assert.equal(importedText(null), ''));
  it('are truncated as titles', () => {
    assert.equal([...importedTitle('😀'.repeat(300))].length, 255);
    assert.equal(importedTitle('  '), 'Untitled');
  });
  it('convert suggestions with their line ranges', () => {
    const proposal = '```suggestion\nx\n```';
    assert.equal(withSuggestions(proposal, { line: 9, start_line: 7 }), '```suggestion:-2+0\nx\n```');
    assert.equal(withSuggestions(proposal, { line: 9 }), '```suggestion:-0+0\nx\n```');
  });
});
