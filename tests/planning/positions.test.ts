import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { positionBetween, positionGap } from '../../src/planning/positions.ts';

describe('a position between two others', () => {
  const table: [number | undefined, number | undefined, number | undefined][] = [
    [undefined, undefined, positionGap],
    [5, undefined, 5 + positionGap],
    [undefined, 5, 5 - positionGap],
    [0, 10, 5],
    [-3, 0, -2],
    [4, 6, 5],
    [4, 5, undefined],
    [5, 5, undefined],
    [7, 3, undefined],
  ];
  for (const [before, after, place] of table) {
    it(`${before} and ${after} -> ${place}`, () => assert.equal(positionBetween(before, after), place));
  }
});
