import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  resolutionMessage,
  sectionsOf,
  withChoices,
} from '../../../../src/review/merge-requests/conflicts/sections.ts';

const [source, target] = ['a'.repeat(40), 'b'.repeat(40)];
const open = `<<<<<<< ${source}\n`;
const close = `>>>>>>> ${target}\n`;

const files: readonly [name: string, marked: string, sections: ReturnType<typeof sectionsOf>][] = [
  [
    'one conflict in the middle',
    `one\n${open}ours\n=======\ntheirs\n${close}three\n`,
    [{ text: 'one\n' }, { source: 'ours\n', target: 'theirs\n' }, { text: 'three\n' }],
  ],
  ['a file with only a conflict', `${open}ours\n=======\n${close}`, [{ source: 'ours\n', target: '' }]],
  [
    'two adjacent conflicts',
    `${open}a\n=======\nb\n${close}${open}c\n=======\nd\n${close}`,
    [
      { source: 'a\n', target: 'b\n' },
      { source: 'c\n', target: 'd\n' },
    ],
  ],
  [
    'sides with different file names',
    `<<<<<<< ${source}:old.txt\na\n=======\nb\n>>>>>>> ${target}:new.txt\n`,
    [{ source: 'a\n', target: 'b\n' }],
  ],
  [
    'CRLF line endings',
    `one\r\n<<<<<<< ${source}\r\na\r\n=======\r\nb\r\n>>>>>>> ${target}\r\n`,
    [{ text: 'one\r\n' }, { source: 'a\r\n', target: 'b\r\n' }],
  ],
  [
    'committed conflict markers',
    `<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> main\n${open}a\n=======\nb\n${close}`,
    [{ text: '<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> main\n' }, { source: 'a\n', target: 'b\n' }],
  ],
  ['a heading that looks like the separator', `${open}Title\n=======\n=======\nb\n${close}`, undefined],
  ['no conflict', 'one\ntwo\n', undefined],
  ['a conflict without an end', `${open}a\n=======\nb\n`, undefined],
];

for (const [name, marked, sections] of files) {
  test(`parses conflict markers: ${name}`, () => assert.deepEqual(sectionsOf(marked, source, target), sections));
}

test('applies a choice to each conflict', () => {
  const sections = [{ text: '1\n' }, { source: 'a\n', target: 'b\n' }, { text: '2\n' }, { source: '', target: 'd\n' }];
  assert.equal(withChoices(sections, ['source', 'target']), '1\na\n2\nd\n');
  assert.equal(withChoices(sections, ['both', 'source']), '1\na\nb\n2\n');
  assert.equal(withChoices(sections, ['source']), undefined);
  assert.equal(withChoices(sections, ['source', 'source', 'source']), undefined);
});

test('lists the files in the commit message', () => {
  assert.equal(
    resolutionMessage('topic', 'main', ['a', 'b c']),
    "Merge branch 'main' into 'topic'\n\n# Conflicts:\n#   a\n#   b c",
  );
});
