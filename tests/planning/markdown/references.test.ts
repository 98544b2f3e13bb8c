import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { extractReferences, referenceKey } from '../../../src/planning/markdown/public.ts';
import { findReferences } from '../../../src/planning/markdown/references/find.ts';

const instanceUrl = 'https://forge.example/base';
const keysIn = (text: string) => extractReferences(text, { instanceUrl }).map(referenceKey);

describe('references in a text', () => {
  const cases: readonly (readonly [text: string, keys: readonly string[]])[] = [
    ['nothing', []],
    ['see #1', ['issue  1']],
    ['#1, #2 and #1', ['issue  1', 'issue  2']],
    ['(#1) #2.', ['issue  1', 'issue  2']],
    ['!2 $3 &4', ['merge_request  2', 'snippet  3', 'epic  4']],
    ['project#1', ['issue project 1']],
    ['group/sub/project#1', ['issue group/sub/project 1']],
    ['group/project!2', ['merge_request group/project 2']],
    ['group/sub&4', ['epic group/sub 4']],
    ['#1+ #2+s', ['issue  1', 'issue  2']],
    ['@ann and @group/sub', ['user  ann', 'user  group/sub']],
    ['@ann.', ['user  ann']],
    ['@ann-lee_2 @a.b', ['user  ann-lee_2', 'user  a.b']],
    ['~bug ~"two words" ~a::b ~5', ['label  bug', 'label  two words', 'label  a::b', 'label  5']],
    ['group/project~bug', ['label group/project bug']],
    ['%v1.0 %"Release 2" %3', ['milestone  v1.0', 'milestone  Release 2', 'milestone  3']],
    ['*iteration:5 *iteration:"two words"', ['iteration  5', 'iteration  two words']],
    ['fixed in 1a2b3c4d', ['commit  1a2b3c4d']],
    ['1a2b3c4...5d6e7f8', ['commit_range  1a2b3c4...5d6e7f8']],
    ['1a2b3c4..5d6e7f8', ['commit_range  1a2b3c4..5d6e7f8']],
    ['group/project@1a2b3c4d', ['commit group/project 1a2b3c4d']],
    ['https://forge.example/base/g/p/-/issues/7', ['issue g/p 7']],
    ['<https://forge.example/base/g/p/-/issues/7#note_5>', ['issue g/p 7']],
    ['https://forge.example/base/g/p/-/merge_requests/7?a=b', ['merge_request g/p 7']],
    ['https://forge.example/base/g/p/-/merge_requests/7/diffs', ['merge_request g/p 7']],
    ['https://forge.example/base/g/p/-/issues/7/designs', ['issue g/p 7']],
    ['https://forge.example/base/groups/g/s/-/epics/7', ['epic g/s 7']],
    ['https://forge.example/base/g/p/-/commit/1a2b3c4d', ['commit g/p 1a2b3c4d']],
    ['- #1\n- **!2**\n\n> ~bug\n\n# @ann', ['issue  1', 'merge_request  2', 'label  bug', 'user  ann']],
    ['|a|\n|-|\n|#1|', ['issue  1']],
    // The link target counts, not the link text.
    ['[an issue](#1) [#3](!2)', ['issue  1', 'merge_request  2']],
    ['[ann](@ann) [l](~bug) [m](%v1) [c](1a2b3c4d)', ['user  ann', 'label  bug', 'milestone  v1', 'commit  1a2b3c4d']],
    ['[there](group/project#1 "title")', ['issue group/project 1']],
    ['[there](https://forge.example/base/g/p/-/issues/7)', ['issue g/p 7']],
    ['[a heading](#1-first) [a file](docs/a.md#first) [b](./!2) [c](#1?d=e)', []],
    // Looks like a reference but is not one.
    ['#0 #x # 1 a1#2b', []],
    ['ann@example.com', []],
    ['\\#1 \\@ann', []],
    ['`#1` ```@ann```', []],
    ['```\n#1 @ann\n```', []],
    ['    #1', []],
    ['<!-- #1 -->', []],
    ['[#1](https://elsewhere.example)', []],
    ['https://elsewhere.example/g/p/-/issues/7', []],
    ['https://elsewhere.example/#1', []],
    ['https://forge.example/baseline/g/p/-/issues/7', []],
    ['https://forge.example/base/g/p/-/issues/new', []],
    ['https://forge.example/base/g/p/-/issues/7/diffs', []],
    ['50% of ~ 100 $ & more !', []],
    ['defaced facade 1234567890123456789012345678901234567890123', []],
    ['11111111-2222-3333', []],
    ['AT&T1', []],
    ['text#', []],
    ['#99999999999', []],
  ];
  for (const [text, keys] of cases) {
    it(`${JSON.stringify(text)}: ${JSON.stringify(keys)}`, () => assert.deepEqual(keysIn(text), keys));
  }

  it('are found with their positions', () => {
    const text = 'a g/p#1 b ~"x y", @ann!';
    assert.deepEqual(
      findReferences(text).map(({ start, end, written }) => [text.slice(start, end), written]),
      [
        ['g/p#1', 'g/p#1'],
        ['~"x y"', '~"x y"'],
        ['@ann', '@ann'],
      ],
    );
  });

  it('are found in time linear in the length of the text', () => {
    const hostile = [
      '#',
      '@',
      '~"',
      '%',
      'a/',
      'a/a#',
      '@a/',
      '~a:',
      '@a.',
      '*iteration:',
      '1234567',
      '1234567..',
      '#1+',
      'a-',
    ];
    for (const piece of hostile) {
      const text = piece.repeat(Math.ceil(100_000 / piece.length));
      assert.ok(findReferences(text).length <= text.length);
    }
  });

  it('are not extracted from a maliciously slow text', () => {
    assert.deepEqual(keysIn(`${'['.repeat(300_000)} #1`), []);
  });
});
