import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  afterPatch,
  beforePatch,
  type TracedLine,
  type TracePatches,
  traceLine,
} from '../../../../src/review/merge-requests/discussions/trace.ts';
import { traceRange } from '../../../../src/review/merge-requests/discussions/trace-range.ts';

describe('line numbers across a patch', () => {
  const patch = '@@ -10,3 +10,4 @@\n a\n-b\n+B\n+c\n d\n@@ -30 +31 @@\n-x\n+y\n';
  const cases: [before: number | undefined, after: number | undefined][] = [
    [1, 1],
    [10, 10],
    [12, 13],
    [29, 30],
    [31, 32],
    [500, 501],
  ];
  it('are shifted by added and removed lines above', () => {
    for (const [before = 0, after = 0] of cases) {
      assert.equal(afterPatch(patch, before), after);
      assert.equal(beforePatch(patch, after), before);
    }
    for (const deleted of [11, 30]) assert.equal(afterPatch(patch, deleted), undefined);
    for (const added of [11, 12, 31]) assert.equal(beforePatch(patch, added), undefined);
  });

  it('are correct for a side without lines', () => {
    const inserted = '@@ -3,0 +4,2 @@\n+a\n+b\n';
    assert.deepEqual(
      [3, 4].map((line) => afterPatch(inserted, line)),
      [3, 6],
    );
    assert.deepEqual(
      [3, 4, 5, 6].map((line) => beforePatch(inserted, line)),
      [3, undefined, undefined, 4],
    );
    const created = '@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n';
    assert.equal(beforePatch(created, 2), undefined);
    assert.equal(afterPatch('', 7), 7);
  });
});

describe('a line in a newer version', () => {
  const none: TracePatches = { base: '', head: '', now: '' };
  const cases: [string, TracedLine, Partial<TracePatches>, TracedLine | undefined][] = [
    ['added and unchanged', { old: null, new: 2 }, { now: '@@ -1,0 +2 @@\n+x\n' }, { old: null, new: 2 }],
    [
      'added and moved down',
      { old: null, new: 2 },
      { head: '@@ -0,0 +1,3 @@\n+1\n+2\n+3\n', now: '@@ -0,0 +1,5 @@\n+1\n+2\n+3\n+4\n+5\n' },
      { old: null, new: 5 },
    ],
    ['added and then changed', { old: null, new: 2 }, { head: '@@ -2 +2 @@\n-x\n+y\n' }, undefined],
    ['added and then part of the base', { old: null, new: 2 }, {}, { old: 2, new: 2 }],
    ['unchanged', { old: 3, new: 4 }, { now: '@@ -0,0 +1 @@\n+x\n' }, { old: 3, new: 4 }],
    [
      'unchanged below lines added to the base',
      { old: 3, new: 3 },
      { head: '@@ -0,0 +1 @@\n+x\n', base: '@@ -0,0 +1 @@\n+x\n' },
      { old: 4, new: 4 },
    ],
    ['unchanged and then removed', { old: 3, new: 3 }, { head: '@@ -3 +2,0 @@\n-x\n' }, undefined],
    ['removed and unchanged', { old: 3, new: null }, { now: '@@ -3 +2,0 @@\n-x\n' }, { old: 3, new: null }],
    ['removed and then restored', { old: 3, new: null }, {}, undefined],
    [
      'removed below lines added to the base',
      { old: 3, new: null },
      { base: '@@ -0,0 +1 @@\n+x\n', now: '@@ -4 +3,0 @@\n-x\n' },
      { old: 4, new: null },
    ],
    ['removed and then missing in the base', { old: 3, new: null }, { base: '@@ -3 +2,0 @@\n-x\n' }, undefined],
    ['nowhere', { old: null, new: null }, {}, undefined],
  ];
  for (const [name, line, patches, expected] of cases) {
    it(`is followed if it was ${name}`, () => assert.deepEqual(traceLine(line, { ...none, ...patches }), expected));
  }

  it('is followed as the end of a range', () => {
    const patches = { base: '', head: '@@ -0,0 +1 @@\n+x\n', now: '@@ -0,0 +1,4 @@\n+x\n+a\n+b\n+c\n' };
    const end = (new_line: number) => ({ type: 'new', new_line });
    const moved = traceRange({ start: end(1), end: end(3) }, 'f', patches);
    assert.deepEqual([moved?.start?.new_line, moved?.end?.new_line], [2, 4]);
    const byCode = traceRange({ start: { type: 'new', line_code: 'f_0_1' }, end: end(3) }, 'f', patches);
    assert.match(byCode?.start?.line_code ?? '', /_0_2$/);
    const deleted = { ...patches, head: '@@ -1 +1 @@\n-a\n+x\n' };
    assert.equal(traceRange({ start: end(1), end: end(3) }, 'f', deleted), null);
  });
});
