import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pipelineStatus } from '../../../src/ci/pipelines/status.ts';

describe('the state of a pipeline', () => {
  const table: [string[], string | undefined][] = [
    [[], undefined],
    [['success', 'success'], 'success'],
    [['success', 'skipped'], 'success'],
    [['skipped'], 'skipped'],
    [['success', 'failed'], 'failed'],
    [['failed', 'running'], 'running'],
    [['pending'], 'pending'],
    [['success', 'pending'], 'running'],
    [['success', 'canceled'], 'canceled'],
    [['failed', 'canceled'], 'failed'],
    [['failed?', 'success'], 'success'],
  ];
  for (const [statuses, expected] of table) {
    it(`${statuses.join(' + ') || 'nothing'} is ${expected}`, () => {
      const rows = statuses.map((text) => ({
        status: text.replace('?', ''),
        allow_failure: text.endsWith('?') ? 1 : 0,
      }));
      assert.equal(pipelineStatus(rows), expected);
    });
  }
});
