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
    ['use one lane without merges', ['c: b', 'b: a', 'a: '], ['0 0<0', '0 0>0 0<0', '0 0>0']],
    [
      'fork lanes above a merge and join them at the fork point',
      ['m: b c', 'c: a', 'b: a', 'a: '],
      ['0 0<0 0<1', '1 0|0 1>1 1<1', '0 0>0 1|1 0<1', '1 1>1'],
    ],
    ['start a lane per branch tip', ['x: a', 'y: a', 'a: '], ['0 0<0', '1 0|0 1<0', '0 0>0']],
    ['reuse free lanes', ['b: ', 'd: c', 'c: '], ['0', '0 0<0', '0 0>0']],
    [
      'use a lane per parent of an octopus merge',
      ['m: a b c', 'a: ', 'b: ', 'c: '],
      ['0 0<0 0<1 0<2', '0 0>0 1|1 2|2', '1 1>1 2|2', '2 2>2'],
    ],
    ['draw a duplicate parent once', ['b: a a', 'a: '], ['0 0<0', '0 0>0']],
    ['continue lines below the page', ['c: b'], ['0 0<0']],
  ];
  for (const [name, commits, rows] of cases) {
    it(name, () => assert.deepEqual(history(...commits), rows));
  }
});
