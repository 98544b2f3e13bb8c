import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type ReportedState,
  report,
  reportedStates,
  type StatusState,
} from '../../../src/ci/commit-statuses/status-machine.ts';
import { checkStatus } from '../../../src/ci/commit-statuses/status-rules.ts';

describe('commit status report', () => {
  const allowed: Record<StatusState, ReportedState[]> = {
    created: [...reportedStates],
    pending: ['running', 'success', 'failed', 'canceled', 'skipped'],
    running: ['success', 'failed', 'canceled'],
    success: [],
    failed: [],
    canceled: [],
    skipped: ['pending', 'running'],
  };
  for (const [from, states] of Object.entries(allowed) as [StatusState, ReportedState[]][]) {
    it(`moves ${from} to ${states.join(', ') || 'nothing'}`, () => {
      const possible = reportedStates.filter((state) => 'to' in report(from, state));
      assert.deepEqual(possible, states);
    });
  }

  it('rejects repeated states with the message that clients match', () => {
    const step = report('pending', 'pending');
    assert.ok('problem' in step);
    assert.equal(
      step.problem,
      'Cannot transition status via :enqueue from :pending (Reason(s): Status cannot transition via "enqueue")',
    );
    assert.match((report('running', 'running') as { problem: string }).problem, /via :run from :running/);
  });

  it('validates text lengths and the target URL', () => {
    checkStatus({ name: 'x'.repeat(255), target_url: 'https://ci.example.com/1' });
    const problems = (texts: Parameters<typeof checkStatus>[0]) => {
      try {
        checkStatus(texts);
        return undefined;
      } catch (error) {
        return (error as { errors: unknown }).errors;
      }
    };
    const tooLong = ['is too long (maximum is 255 characters)'];
    assert.deepEqual(problems({ context: 'x'.repeat(256), description: 'y'.repeat(256) }), {
      name: tooLong,
      description: tooLong,
    });
    assert.deepEqual(problems({ target_url: 'javascript:alert(1)' }), {
      target_url: ['is blocked: Only allowed schemes are http, https'],
    });
    assert.deepEqual(problems({ target_url: 'nonsense' }), { target_url: ['is blocked: URI is invalid'] });
  });
});
