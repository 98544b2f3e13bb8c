import assert from 'node:assert/strict';
import { test } from 'node:test';
import { descriptionNotes } from '../../../src/planning/issues/public.ts';

const boxes = (count: number, mark: ' ' | 'x') => `- [${mark}] step\n`.repeat(count);

test('toggled tasks are noted individually, up to a hundred', () => {
  const notified = (count: number) => descriptionNotes(boxes(count, ' '), boxes(count, 'x'));
  assert.deepEqual(notified(1), ['marked the checklist item **step** as completed']);
  assert.equal(notified(100).length, 100);
  assert.deepEqual(notified(101), ['changed the description']);
});

test('other changes only note a changed description', () => {
  assert.deepEqual(descriptionNotes(boxes(1, ' '), `${boxes(1, 'x')}more`), ['changed the description']);
  assert.deepEqual(descriptionNotes(null, ''), []);
});
