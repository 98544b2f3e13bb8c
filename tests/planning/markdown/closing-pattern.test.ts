import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { closedIssues } from '../../../src/planning/markdown/closing-pattern.ts';

const url = 'https://forge.example';
const shown = (text: string) =>
  closedIssues(text, url).map((issue) =>
    'externalKey' in issue ? issue.externalKey : `${issue.path ?? ''}#${issue.iid}`,
  );

describe('closing patterns', () => {
  const verbs =
    'close closes closed closing fix fixes fixed fixing resolve resolves resolved resolving implement implements implemented implementing';
  for (const verb of verbs.split(' ')) {
    it(`recognizes ${verb} #1 in lower case and capitalized`, () => {
      const capital = `${verb.slice(0, 1).toUpperCase()}${verb.slice(1)}`;
      assert.deepEqual(shown(`${verb} #1`), ['#1']);
      assert.deepEqual(shown(`This ${capital}: #2`), ['#2']);
    });
  }

  const cases: readonly (readonly [text: string, closed: readonly string[]])[] = [
    ['Closes #1, #2 and group/project#3', ['#1', '#2', 'group/project#3']],
    ['Closes #1, #2, and #3', ['#1', '#2', '#3']],
    ['Closes #1 #2', ['#1', '#2']],
    ['Fixes: #4', ['#4']],
    ['fixes   #4', ['#4']],
    ['Fix issue #1 and issues #2, #3', ['#1', '#2', '#3']],
    ['Closes #1 and mentions #2', ['#1']],
    ['Closes #1. Resolves #2; see #3', ['#1', '#2']],
    ['Closes #1\nFixes #2', ['#1', '#2']],
    ['Closes #1 and closes #1', ['#1']],
    ['Closes https://forge.example/g/p/-/issues/5', ['g/p#5']],
    ['Closes https://forge.example/g/p/-/issues/5, https://forge.example/g/p/-/work_items/6.', ['g/p#5', 'g/p#6']],
    ['Closes ABC-1 and #2', ['ABC-1', '#2']],
    ['- Closes #1\n- **Fixes** #2', ['#1', '#2']],
    ['Closes #', []],
    ['Closes #0', []],
    ['Closes', []],
    ['Closes#1', []],
    ['Closes:#1', []],
    ['CLOSES #1', []],
    ['encloses #1', []],
    ['prefix #1', []],
    ['Closes !1', []],
    ['Closes the issue #1', []],
    ['Closes https://elsewhere.example/g/p/-/issues/5', []],
    ['Closes https://forge.example/g/p/-/merge_requests/5', []],
    ['`Closes #1`', []],
    ['```\nCloses #1\n```', []],
    ['> Closes #1', []],
    ['<!-- Closes #1 -->', []],
    ['Closes `x` #1', []],
  ];
  for (const [text, closed] of cases) {
    it(`${JSON.stringify(text)}: ${JSON.stringify(closed)}`, () => assert.deepEqual(shown(text), closed));
  }

  it('recognizes at most 500 issues', () => {
    const text = `Closes ${Array.from({ length: 2_000 }, (_, at) => `#${at + 1}`).join(', ')}`;
    assert.equal(closedIssues(text, url).length, 500);
  });

  it('takes time linear in the length of the text', () => {
    for (const piece of ['fix ', 'fix: a/', 'a/', 'closes issue ', 'Closes A', 'fix https://']) {
      assert.deepEqual(closedIssues(piece.repeat(Math.ceil(100_000 / piece.length)), url), []);
    }
    assert.deepEqual(closedIssues(`fix${' '.repeat(1_000_000)}`, url), []);
  });
});
