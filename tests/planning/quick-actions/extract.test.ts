import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { paragraphLines } from '../../../src/planning/markdown/public.ts';
import { substitutions } from '../../../src/planning/quick-actions/commands.ts';
import { extractCommands } from '../../../src/planning/quick-actions/extract.ts';

const known = new Set(['close', 'label', 'title', 'spend']);
const extract = (text: string) => extractCommands(text, paragraphLines(text), (name) => known.has(name), substitutions);

type Written = readonly (readonly [name: string, argument: string])[];
const cases: readonly (readonly [why: string, text: string, body: string, commands: Written])[] = [
  ['a text with only a command', '/close', '', [['close', '']]],
  ['a command with surrounding blanks', '\n\n/close  \n', '', [['close', '']]],
  ['a command after text', 'Done.\n\n/close', 'Done.', [['close', '']]],
  ['a command in a paragraph', 'a\n/close\nb', 'a\nb', [['close', '']]],
  [
    'several commands with arguments',
    '/label ~a ~"b c"\n/title  New one \ntext',
    'text',
    [
      ['label', '~a ~"b c"'],
      ['title', 'New one'],
    ],
  ],
  ['a thousand', '/close\n'.repeat(1000), '', Array.from({ length: 1000 }, () => ['close', ''] as const)],
  ['more than a thousand', '/close\n'.repeat(1001), '/close\n'.repeat(1001), []],
  ['a very long line', `/label ${'~a '.repeat(6000)}\n/close`, `/label ${'~a '.repeat(6000)}`.trim(), [['close', '']]],
  ['a command in mixed case', '/ClOsE', '', [['close', '']]],
  ['carriage returns', 'a\r\n/close\r\nb', 'a\nb', [['close', '']]],
  [
    'a repeated command',
    '/label a\n/label b',
    '',
    [
      ['label', 'a'],
      ['label', 'b'],
    ],
  ],
  ['a tab before the argument', '/label\ta', '', [['label', 'a']]],
  ['unknown commands', '/nope\n/usr/bin', '/nope\n/usr/bin', []],
  ['longer words', '/closed\n/close_it\n/close: x', '/closed\n/close_it\n/close: x', []],
  ['a slash within a line', 'please /close', 'please /close', []],
  ['an escaped slash', '\\/close', '\\/close', []],
  ['an indented command', ' /close', ' /close', []],
  ['a fence', '```\n/close\n```', '```\n/close\n```', []],
  ['an open fence', '```\n/close', '```\n/close', []],
  ['a tilde fence', '~~~\n/close\n~~~', '~~~\n/close\n~~~', []],
  ['indented code', 'a\n\n    /close', 'a\n\n    /close', []],
  ['a quote', '> /close', '> /close', []],
  ['the rest of a quoted paragraph', '> a\n/close', '> a\n/close', []],
  ['a list', '- a\n/close', '- a\n/close', []],
  ['a block of HTML', '<div>\n/close\n</div>', '<div>\n/close\n</div>', []],
  ['a comment', '<!--\n/close\n-->', '<!--\n/close\n-->', []],
  ['inline code', '`/close`', '`/close`', []],
  ['code over several lines', 'a `b\n/close\nc` d', 'a `b\n/close\nc` d', []],
  ['backticks that are not code', 'a `b\n/close\nc', 'a `b\nc', [['close', '']]],
  ['a text after a fence', '```\n/label x\n```\n/close', '```\n/label x\n```', [['close', '']]],
  ['a shrug', '/shrug so it goes', 'so it goes ¯\\＿(ツ)＿/¯', []],
  ['a tableflip', '/tableflip\n/close', '(╯°□°)╯︵ ┻━┻', [['close', '']]],
];

describe('extraction of commands', () => {
  for (const [why, text, body, commands] of cases) {
    it(`finds ${commands.length} in ${why}`, () => {
      const extracted = extract(text);
      assert.equal(extracted.body, body);
      assert.deepEqual(
        extracted.commands.map(({ name, argument }) => [name, argument]),
        commands,
      );
    });
  }

  it('skips a maliciously slow text and is fast for a long one', () => {
    const deep = `${'> '.repeat(300_000)}\n/close`;
    assert.equal(extract(deep).commands.length, 0);
    const ticks = `${'` `` '.repeat(100_000)}\n/close`;
    assert.ok(extract(ticks).commands.length <= 1);
    const long = `${'some words of prose\n'.repeat(50_000)}/close`;
    assert.equal(extract(long).commands.length, 1);
  });
});
