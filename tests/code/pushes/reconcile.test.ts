import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type RecordedPush, reconcile } from '../../../src/code/pushes/reconcile.ts';
import fc from '../../support/properties.ts';

const ref = 'refs/heads/main';
const push = (id: number, done: boolean, from: string | null, to: string | null): RecordedPush => ({
  id,
  done,
  changes: [{ ref, old: from, new: to }],
});
const moved = (pushes: RecordedPush[], current: string | null) => [...reconcile(pushes, () => current).keys()].sort();

describe('reconcile', () => {
  const table: [string, RecordedPush[], string | null, number[]][] = [
    ['the ref has the new value of the push', [push(1, false, 'x', 'y')], 'y', [1]],
    ['the ref is unchanged', [push(1, false, 'x', 'y')], 'x', []],
    ['the ref has another value', [push(1, false, 'x', 'y')], 'z', []],
    ['a later push started at the new value', [push(1, false, 'x', 'y'), push(2, true, 'y', 'z')], 'z', [1]],
    ['a later push started at the old value', [push(1, false, 'x', 'y'), push(2, true, 'x', 'z')], 'z', []],
    ['one of two identical pushes', [push(1, false, 'x', 'y'), push(2, false, 'x', 'y')], 'y', [2]],
    ['the finished one of two identical pushes', [push(1, false, 'x', 'y'), push(2, true, 'x', 'y')], 'y', []],
    ['two consecutive pushes', [push(1, false, 'x', 'y'), push(2, false, 'y', 'z')], 'z', [1, 2]],
    [
      'a push that was reverted later',
      [push(1, false, 'x', 'y'), push(2, true, 'y', 'x'), push(3, true, 'x', 'z')],
      'z',
      [1],
    ],
    ['a creation', [push(1, false, null, 'x')], 'x', [1]],
    ['a deletion', [push(1, false, 'x', null)], null, [1]],
    ['a deletion that was not applied', [push(1, false, 'x', null)], 'x', []],
  ];
  for (const [what, pushes, current, expected] of table)
    it(what, () => assert.deepEqual(moved(pushes, current), expected));

  it('distinguishes the refs of one push', () => {
    const changes = [
      { ref: 'refs/heads/a', old: 'x', new: 'y' },
      { ref: 'refs/heads/b', old: 'x', new: 'y' },
    ];
    const result = reconcile([{ id: 1, done: false, changes }], (name) => (name.endsWith('a') ? 'y' : 'x'));
    assert.deepEqual(result.get(1), [changes[0]]);
  });

  it('finds exactly the applied updates when all values are unique', () => {
    // For each step: whether it is applied, and whether the server recorded it before crashing. Steps that were not
    // applied are never recorded.
    const step = fc.record({ happens: fc.boolean(), recorded: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        let at: string | null = null;
        const pushes: RecordedPush[] = [];
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
