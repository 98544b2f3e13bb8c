import assert from 'node:assert/strict';
import { it } from 'node:test';
import { epicReference, issueReference } from '../../../src/planning/epics/short-references.ts';

const top = { id: 1, full_path: 'top' };
const inner = { id: 2, full_path: 'top/inner' };
const app = { path: 'app' };

it('uses the shortest possible references to issues and epics', () => {
  assert.equal(issueReference(top, app, top, 3), 'app#3');
  assert.equal(issueReference(top, app, inner, 3), 'top/inner/app#3');
  assert.equal(epicReference(top, top, 4), '&4');
  assert.equal(epicReference(top, inner, 4), 'top&4');
});
