import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Reference, readReference } from '../../src/web/planning/reference.ts';

describe('typed references', () => {
  const place = { here: 'house/attic/lamp', origin: 'https://forge.example/code' };
  const ofIssues: readonly (readonly [typed: string, read: Reference | undefined])[] = [
    ['#5', { iid: 5 }],
    ['5', { iid: 5 }],
    ['  #12 ', { iid: 12 }],
    ['desk#5', { path: 'house/attic/desk', iid: 5 }],
    ['house/desk#5', { path: 'house/desk', iid: 5 }],
    ['https://forge.example/code/house/desk/-/issues/5', { path: 'house/desk', iid: 5 }],
    ['https://forge.example/code/house/desk/-/work_items/5#note_7', { path: 'house/desk', iid: 5 }],
    ['https://forge.example/code/house/desk/-/issues/5?edit=labels', { path: 'house/desk', iid: 5 }],
    ['https://elsewhere.example/house/desk/-/issues/5', undefined],
    ['https://forge.example/code/house/desk/-/merge_requests/5', undefined],
    ['https://forge.example/codex/house/desk/-/issues/5', undefined],
    ['!5', undefined],
    ['&5', undefined],
    ['#', undefined],
    ['', undefined],
    ['house/desk', undefined],
    ['#5 #6', undefined],
    ['#9999999999', undefined],
  ];
  for (const [typed, read] of ofIssues)
    it(`parse the issue ${typed}`, () => assert.deepEqual(readReference(typed, '#', place), read));

  const ofEpics: readonly (readonly [typed: string, read: Reference | undefined])[] = [
    ['&5', { iid: 5 }],
    ['house&5', { path: 'house', iid: 5 }],
    ['house/attic&5', { path: 'house/attic', iid: 5 }],
    ['https://forge.example/code/groups/house/attic/-/epics/5', { path: 'house/attic', iid: 5 }],
    ['#5', undefined],
  ];
  for (const [typed, read] of ofEpics)
    it(`parse the epic ${typed}`, () => assert.deepEqual(readReference(typed, '&', place), read));
});
