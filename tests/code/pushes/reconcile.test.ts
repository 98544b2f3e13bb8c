import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Recorded, reconcile } from '../../../src/code/pushes/reconcile.ts';
import fc from '../../support/properties.ts';

const ref = 'refs/heads/main';
const push = (id: number, done: boolean, from: string | null, to: string | null): Recorded => ({
  id,
  done,
  changes: [{ ref, old: from, new: to }],
});
const moved = (pushes: Recorded[], current: string | null) => [...reconcile(pushes, () => current).keys()].sort();

describe('which pushes of unknown outcome have happened', () => {
  const table: [string, Recorded[], string | null, number[]][] = [
    ['the ref is where the push wanted it', [push(1, false, 'x', 'y')], 'y', [1]],
    ['the ref is where it was', [push(1, false, 'x', 'y')], 'x', []],
    ['the ref is somewhere else', [push(1, false, 'x', 'y')], 'z', []],
    ['a later push went on from there', [push(1, false, 'x', 'y'), push(2, true, 'y', 'z')], 'z', [1]],
    ['a later push went on from the old place', [push(1, false, 'x', 'y'), push(2, true, 'x', 'z')], 'z', []],
    ['of two that wanted the same, one', [push(1, false, 'x', 'y'), push(2, false, 'x', 'y')], 'y', [2]],
    ['of two that wanted the same, the one that is done', [push(1, false, 'x', 'y'), push(2, true, 'x', 'y')], 'y', []],
    ['both of a chain', [push(1, false, 'x', 'y'), push(2, false, 'y', 'z')], 'z', [1, 2]],
    ['there and back again', [push(1, false, 'x', 'y'), push(2, true, 'y', 'x'), push(3, true, 'x', 'z')], 'z', [1]],
    ['a creation', [push(1, false, null, 'x')], 'x', [1]],
    ['a deletion', [push(1, false, 'x', null)], null, [1]],
    ['a deletion that did not happen', [push(1, false, 'x', null)], 'x', []],
  ];
  for (const [what, pushes, current, expected] of table)
    it(what, () => assert.deepEqual(moved(pushes, current), expected));

  it('tells refs of one push apart', () => {
    const changes = [
      { ref: 'refs/heads/a', old: 'x', new: 'y' },
      { ref: 'refs/heads/b', old: 'x', new: 'y' },
    ];
    const result = reconcile([{ id: 1, done: false, changes }], (name) => (name.endsWith('a') ? 'y' : 'x'));
    assert.deepEqual(result.get(1), [changes[0]]);
  });

  it('finds exactly what happened, whatever happened, when every value is new', () => {
    // Each step: does it happen, and did its server live to record it? A step that did not happen was never recorded.
    const step = fc.record({ happens: fc.boolean(), recorded: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        let at: string | null = null;
        const pushes: Recorded[] = [];
        const expected: number[] = [];
        steps.forEach(({ happens, recorded }, index) => {
          pushes.push(push(index, happens && recorded, at, `v${index}`));
          if (!happens) return;
          at = `v${index}`;
          if (!recorded) expected.push(index);
        });
        assert.deepEqual(moved(pushes, at), expected.sort());
      }),
    );
  });
});
