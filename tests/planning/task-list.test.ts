import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { taskCompletionStatus, taskStatus, tasksOf, withTask } from '../../src/planning/task-list.ts';

const cases: readonly (readonly [why: string, text: string | null, count: number, completed: number])[] = [
  ['nothing', null, 0, 0],
  ['an empty text', '', 0, 0],
  ['three kinds of bullets', '- [ ] a\n* [x] b\n+ [X] c', 3, 2],
  ['numbers with a dot or parenthesis', '1. [ ] a\n2) [x] b', 2, 1],
  ['inapplicable tasks', '- [~] a\n- [x] b', 1, 1],
  ['nested lists', '- [ ] a\n  - [x] b\n    - [x] c\n', 3, 2],
  ['a list in a quote', '> - [x] a\n> - [ ] b', 2, 1],
  ['a loose list', '- [ ] a\n\n- [x] b\n', 2, 1],
  ['a checkbox on a separate line', '- [ ]\n  text', 1, 0],
  ['table cells', '|a|b|\n|-|-|\n|[ ]|x|\n|[x]|y|\n|[ ] z|w|\n', 2, 1],
  ['checkboxes in a fence', '```\n- [ ] a\n```\n', 0, 0],
  ['checkboxes in indented code', 'a\n\n    - [ ] a\n', 0, 0],
  ['checkboxes in a comment', '<!--\n- [ ] a\n-->', 0, 0],
  ['checkboxes in a paragraph', '[ ] a\n[x] b', 0, 0],
  ['a second paragraph of an item', '- a\n\n  [ ] b', 0, 0],
  ['checkboxes without text', '- [ ]\n- [x]   \n', 0, 0],
  ['checkboxes without a following blank', '- [ ]a\n- [x](url)', 0, 0],
  ['other marks', '- [y] a\n- [] b\n- [  ] c', 0, 0],
  ['carriage returns', '- [ ] a\r\n- [x] b\r\n', 2, 1],
];

const ticked: readonly (readonly [why: string, text: string, index: number, done: boolean, expected?: string])[] = [
  ['one of a list', 'a\n- [ ] b\n- [ ] c\n', 1, true, 'a\n- [ ] b\n- [x] c\n'],
  ['unchecking', '1. [X] b', 0, false, '1. [ ] b'],
  ['one in a quote, nested', '> - a\n>   * [ ] [x] b', 0, true, '> - a\n>   * [x] [x] b'],
  ['a list in a list', '- - [ ] a', 0, true, '- - [x] a'],
  ['after code', '```\n- [ ] a\n```\n- [ ] b', 0, true, '```\n- [ ] a\n```\n- [x] b'],
  ['the second cell of a row', '|a|b|c|\n|-|-|-|\n|[ ] n|[ ]| [ ] |', 1, true, '|a|b|c|\n|-|-|-|\n|[ ] n|[ ]| [x] |'],
  ['keeping carriage returns', '- [ ] a\r\n- [ ] b\r\n', 0, true, '- [x] a\r\n- [ ] b\r\n'],
  ['not for an inapplicable task', '- [~] a', 0, true],
  ['not for a missing task', '- [ ] a', 1, true],
  ['not for a negative index', '- [ ] a', -1, true],
  ['not for NaN', '- [ ] a', Number.NaN, true],
];

describe('task lists', () => {
  for (const [why, text, count, completed_count] of cases) {
    it(`counts ${count} in ${why}`, () => assert.deepEqual(taskCompletionStatus(text), { count, completed_count }));
  }

  it('have line numbers and texts', () => {
    assert.deepEqual(tasksOf('Intro\n\n- [ ] buy *milk*\n  today\n- [x] done\n'), [
      { line: 2, text: 'buy *milk*', state: 'open' },
      { line: 4, text: 'done', state: 'done' },
    ]);
  });

  for (const [why, text, index, done, expected] of ticked) {
    it(`can be toggled: ${why}`, () => assert.equal(withTask(text, index, done), expected));
  }

  it('have a status text', () => {
    assert.equal(taskStatus({ count: 0, completed_count: 0 }), '');
    assert.equal(taskStatus({ count: 3, completed_count: 1 }), '1 of 3 checklist items completed');
    assert.equal(taskStatus({ count: 1, completed_count: 0 }), '0 of 1 checklist item completed');
  });

  it('are scanned line by line in a long text', () => {
    assert.deepEqual(taskCompletionStatus('- [ ] a\n'.repeat(100_000)), { count: 100_000, completed_count: 0 });
    assert.deepEqual(taskCompletionStatus(`${'> '.repeat(500_000)}- [ ] a`), { count: 0, completed_count: 0 });
    assert.deepEqual(taskCompletionStatus('- [ ] a\n'.repeat(5_000)), { count: 5_000, completed_count: 0 });
  });
});
