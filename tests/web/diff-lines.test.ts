import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type DiffLine, lineCodes, readDiff, sideBySide, withContext } from '../../src/web/code/diff-lines.ts';

const short = ({ kind, old, new: now, text }: DiffLine) => `${kind} ${old ?? '-'} ${now ?? '-'} ${text}`;

describe('diff lines', () => {
  const diff = '@@ -2,3 +2,3 @@\n two\n-three\n+drei\n four\n@@ -8,2 +8,3 @@\n eight\n+nine\n ten\n';
  const file = ['one', 'two', 'drei', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven'];

  it('have line codes of path hash and both numbers', () => {
    const lines = readDiff(diff);
    const codes = [...lineCodes('a.txt', lines).values()].map((code) => code.replace(/^[0-9a-f]{40}_/, ''));
    assert.deepEqual(codes, ['2_2', '3_3', '4_3', '4_4', '8_8', '9_9', '9_10']);
    assert.equal(new Set([...lineCodes('a.txt', lines).values()].map((code) => code.slice(0, 40))).size, 1);
  });

  it('are expanded with the rest of the file', () => {
    const filled = withContext(readDiff(diff), file, 100).map(short);
    assert.deepEqual(filled, [
      'same 1 1 one',
      'same 2 2 two',
      'del 3 - three',
      'add - 3 drei',
      'same 4 4 four',
      'same 5 5 five',
      'same 6 6 six',
      'same 7 7 seven',
      'same 8 8 eight',
      'add - 9 nine',
      'same 9 10 ten',
      'same 10 11 eleven',
    ]);
  });

  it('are expanded partially for a long file', () => {
    const long = Array.from({ length: 1000 }, (_, at) => `l${at + 1}`);
    const filled = withContext(readDiff('@@ -500 +500 @@\n-l\n+l500\n'), long, 100);
    assert.equal(filled.length, 43);
    assert.equal(short(filled[0] as DiffLine), 'same 480 480 l480');
    assert.equal(short(filled.at(-1) as DiffLine), 'same 520 520 l520');
  });

  it('handle hunks with an empty side', () => {
    const filled = withContext(readDiff('@@ -1,0 +2 @@\n+b\n'), ['a', 'b', 'c'], 100).map(short);
    assert.deepEqual(filled, ['same 1 1 a', 'add - 2 b', 'same 2 3 c']);
    const removed = withContext(readDiff('@@ -2 +1,0 @@\n-b\n'), ['a', 'c'], 100).map(short);
    assert.deepEqual(removed, ['same 1 1 a', 'del 2 - b', 'same 3 2 c']);
  });

  it('are paired side by side', () => {
    const pairs = sideBySide(readDiff('@@ -1,3 +1,4 @@\n-a\n-b\n\\ No newline\n+A\n same\n+c\n+d\n'));
    const drawn = pairs.map((pair) =>
      'wide' in pair ? pair.wide.kind : `${pair.left?.text ?? ''}|${pair.right?.text ?? ''}`,
    );
    assert.deepEqual(drawn, ['hunk', 'a|A', 'b|', 'same|same', '|c', '|d']);
  });
});
