import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nextSteps, type ProcessedJob, type Status } from '../../../src/ci/states/public.ts';

/**
 * Parses `name@stage status [when] [<need,need] [!] [at-once]`, separated by semicolons. `!`: the failure is allowed;
 * `at-once`: the job itself was retried.
 */
function jobs(text: string): ProcessedJob[] {
  return text.split(/\s*;\s*/).map((line, id) => {
    const [place = '', status = '', ...rest] = line.split(/\s+/);
    const [name = '', stage = '0'] = place.split('@');
    const needs = rest.find((word) => word.startsWith('<'));
    return {
      id,
      name,
      stageIndex: Number(stage),
      status: status as Status,
      allowFailure: rest.includes('!'),
      when: (rest.find((word) => /^[a-z_]+$/.test(word)) ?? 'on_success') as ProcessedJob['when'],
      needs: needs === undefined ? null : needs.slice(1).split(',').filter(Boolean),
      atOnce: rest.includes('at-once'),
    };
  });
}

const cases: readonly (readonly [string, string, string])[] = [
  ['starts the first stage', 'a@0 created; b@0 created; c@1 created', 'a enqueue, b enqueue'],
  ['keeps the second stage waiting', 'a@0 running; c@1 created', ''],
  ['starts the second stage after success', 'a@0 success; c@1 created', 'c enqueue'],
  ['waits for all jobs of a stage', 'a@0 success; b@0 pending; c@1 created', ''],
  ['skips later stages after a failure', 'a@0 failed; c@1 created; d@2 created', 'c skip, d skip'],
  ['continues after an allowed failure', 'a@0 failed !; c@1 created', 'c enqueue'],
  ['runs on_failure after a failure', 'a@0 failed; c@1 created on_failure; d@1 created', 'c enqueue, d skip'],
  ['skips on_failure after success', 'a@0 success; c@1 created on_failure; d@1 created', 'c skip, d enqueue'],
  ['runs always after a failure', 'a@0 failed; c@1 created always', 'c enqueue'],
  ['skips always after a cancellation', 'a@0 canceled; c@1 created always', 'c skip'],
  ['runs always after skipped jobs', 'a@0 failed; b@1 created; c@2 created always', 'b skip, c enqueue'],
  ['makes a manual job wait for manual action', 'a@0 created manual; c@1 created', 'a actionize'],
  ['does not block on an optional manual job', 'a@0 created manual !; c@1 created', 'a actionize, c enqueue'],
  ['schedules a delayed job', 'a@0 created delayed; c@1 created', 'a schedule'],
  ['enqueues a retried manual job directly', 'a@0 created manual at-once', 'a enqueue'],
  ['enqueues a retried delayed job directly', 'a@0 created delayed at-once', 'a enqueue'],
  ['continues after a stage of skipped jobs', 'a@0 skipped; c@1 created', 'c enqueue'],
  ['continues after an empty first stage', 'c@5 created', 'c enqueue'],
  ['starts a job with empty needs immediately', 'a@0 running; c@1 created <', 'c enqueue'],
  ['starts a job whose need succeeded', 'a@0 success; b@0 running; c@1 created <a', 'c enqueue'],
  ['waits for a running need', 'a@0 success; b@0 running; c@1 created <b', ''],
  ['skips a job whose need failed', 'a@0 failed; c@1 created <a; d@1 created on_failure <a', 'c skip, d enqueue'],
  ['starts a job whose need failed with allow_failure', 'a@0 failed !; c@1 created <a', 'c enqueue'],
  ['skips a job whose need was skipped', 'a@0 skipped; c@1 created <a', 'c skip'],
  ['runs always with a skipped need', 'a@0 skipped; c@1 created always <a', 'c enqueue'],
  ['skips a job that needs an optional manual job', 'a@0 manual !; c@1 created <a', 'c skip'],
  ['waits for a blocking manual need', 'a@0 manual; c@1 created <a', ''],
  ['resolves needs within a stage', 'c@0 created <a; a@0 created on_failure', 'a skip, c skip'],
  ['ignores a missing need', 'c@0 created <ghost', 'c enqueue'],
  [
    'propagates skips along a chain',
    'a@0 failed; b@1 created <a; c@2 created <b; d@3 created <c',
    'b skip, c skip, d skip',
  ],
  ['skips jobs whose need was canceled', 'a@0 canceled; c@1 created <a; d@1 created always <a', 'c skip, d skip'],
  ['waits for a job that is being canceled', 'a@0 canceling; c@1 created', ''],
  ['waits for a job that waits for a resource', 'a@0 waiting_for_resource; c@1 created', ''],
  ['accepts commit statuses with the same name', 'a@0 success; a@0 success; c@1 created', 'c enqueue'],
  ['returns nothing for a finished pipeline', 'a@0 success; b@1 success', ''],
  ['terminates for a dependency cycle', 'a@0 created <b; b@0 created <a', ''],
];

describe('next steps of a pipeline', () => {
  for (const [name, text, expected] of cases) {
    it(name, () => {
      const all = jobs(text);
      const steps = nextSteps(all).map(({ id, event }) => `${all[id]?.name} ${event}`);
      assert.equal(steps.join(', '), expected);
    });
  }
  it('processes long chains of needs', () => {
    const chain = Array.from({ length: 20_000 }, (_, id): ProcessedJob => {
      const needs = id === 0 ? [] : [`j${id - 1}`];
      const status = id === 0 ? 'failed' : 'created';
      return { id, name: `j${id}`, stageIndex: 0, status, allowFailure: false, when: 'on_success', needs };
    });
    assert.equal(nextSteps(chain.toReversed()).length, 19_999);
  });
});
