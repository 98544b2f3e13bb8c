import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lanesOf, type Row } from '../../src/web/code/lanes.ts';

const marks = { through: '|', in: '>', out: '<' };

/** Formats a row: its lane, then each line as `from mark to`. */
const told = ({ lane, lines }: Row) =>
  [lane, ...lines.map(({ from, kind, to }) => `${from}${marks[kind]}${to}`)].join(' ');

/** `c: b a` is a commit and its parents. */
const history = (...commits: string[]) =>
  lanesOf(
    commits.map((text) => {
      const [id = '', ...parents] = text.split(/:? /);
      return { id, parent_ids: parents.filter((parent) => parent !== '') };
    }),
  ).map(told);

describe('commit graph lanes', () => {
  const cases: readonly [name: string, commits: string[], rows: string[]][] = [
    ['is one line where nothing was merged', ['c: b', 'b: a', 'a: '], ['0 0<0', '0 0>0 0<0', '0 0>0']],
    [
      'goes apart above a merge and comes together at where the branch began',
      ['m: b c', 'c: a', 'b: a', 'a: '],
      ['0 0<0 0<1', '1 0|0 1>1 1<1', '0 0>0 1|1 0<1', '1 1>1'],
    ],
    ['begins a lane for each branch that nothing leads to', ['x: a', 'y: a', 'a: '], ['0 0<0', '1 0|0 1<0', '0 0>0']],
    ['uses a lane again that has ended', ['b: ', 'd: c', 'c: '], ['0', '0 0<0', '0 0>0']],
    [
      'has a lane for each of three parents',
      ['m: a b c', 'a: ', 'b: ', 'c: '],
      ['0 0<0 0<1 0<2', '0 0>0 1|1 2|2', '1 1>1 2|2', '2 2>2'],
    ],
    ['draws a parent that is named twice once', ['b: a a', 'a: '], ['0 0<0', '0 0>0']],
    ['leads below the page what comes after it', ['c: b'], ['0 0<0']],
  ];
  for (const [name, commits, rows] of cases) {
    it(name, () => assert.deepEqual(history(...commits), rows));
  }
});
