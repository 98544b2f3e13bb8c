import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type IncomingEvent, mergeByError } from '../../src/error-tracking/errors/recording/merge.ts';

const event: IncomingEvent = {
  event_id: '1'.repeat(32),
  fingerprint: '7',
  grouping_version: 1,
  title: 'E',
  message: 'm',
  culprit: 'c',
  platform: 'python',
  level: 'error',
  logger: null,
  environment: 'production',
  release: null,
  identity: null,
  occurred_at: 1,
  received_at: 1,
  position: 0,
  length: 1,
  batchId: 1,
};

describe('events of one error', () => {
  it('count once for releases that the database stores alike', () => {
    const [merged] = mergeByError(1, [
      { ...event, release: 'r\ud800' },
      { ...event, release: 'r\ud801' },
    ]);
    assert.deepEqual(
      merged?.values.map(({ name, value, count }) => [name, value, count]),
      [
        ['environment', 'production', 2],
        ['release', 'r\ufffd', 2],
      ],
    );
  });
});
