import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lengthProblem } from '../../../../src/platform/http/parameters/too-long.ts';

test('counts characters, not UTF-16 code units', () => {
  assert.equal(lengthProblem('x'.repeat(255), 255), undefined);
  assert.equal(lengthProblem('🎉'.repeat(255), 255), undefined);
  for (const text of ['x'.repeat(256), '🎉'.repeat(256), `${'🎉'.repeat(200)}${'x'.repeat(56)}`]) {
    assert.equal(lengthProblem(text, 255), 'is too long (maximum is 255 characters)');
  }
});
