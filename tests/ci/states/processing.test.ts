import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nextSteps, type ProcessedJob, type Status } from '../../../src/ci/states/public.ts';

/** `name@stage status [when] [<need,need] [!]`, one job a line; `!`: its failure is allowed; `again`: it was retried. */
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
      when: (rest.find((word) => /^[a-z_]+$/.test(word) && word !== 'again') ?? 'on_success') as ProcessedJob['when'],
      needs: needs === undefined ? null : needs.slice(1).split(',').filter(Boolean),
      again: rest.includes('again'),
    };
  });
}

const cases: readonly (readonly [string, string, string])[] = [
  ['the first stage starts', 'a@0 created; b@0 created; c@1 created', 'a enqueue, b enqueue'],
  ['the second waits', 'a@0 running; c@1 created', ''],
  ['the second follows success', 'a@0 success; c@1 created', 'c enqueue'],
  ['not while one is left', 'a@0 success; b@0 pending; c@1 created', ''],
  ['a failure skips the rest', 'a@0 failed; c@1 created; d@2 created', 'c skip, d skip'],
  ['an allowed failure does not', 'a@0 failed !; c@1 created', 'c enqueue'],
  ['on_failure after failure', 'a@0 failed; c@1 created on_failure; d@1 created', 'c enqueue, d skip'],
  ['on_failure after success', 'a@0 success; c@1 created on_failure; d@1 created', 'c skip, d enqueue'],
  ['always after failure', 'a@0 failed; c@1 created always', 'c enqueue'],
  ['always not after a cancel', 'a@0 canceled; c@1 created always', 'c skip'],
  ['always after skipped', 'a@0 failed; b@1 created; c@2 created always', 'b skip, c enqueue'],
  ['manual waits for a hand', 'a@0 created manual; c@1 created', 'a actionize'],
  ['an optional manual job holds nobody up', 'a@0 created manual !; c@1 created', 'a actionize, c enqueue'],
  ['delayed waits for the clock', 'a@0 created delayed; c@1 created', 'a schedule'],
  ['a retried manual job does not wait again', 'a@0 created manual again', 'a enqueue'],
  ['a retried delayed job does not wait again', 'a@0 created delayed again', 'a enqueue'],
  ['a stage of skipped jobs is passed', 'a@0 skipped; c@1 created', 'c enqueue'],
  ['an empty first stage is passed', 'c@5 created', 'c enqueue'],
  ['needs nothing: at once', 'a@0 running; c@1 created <', 'c enqueue'],
  ['needs one that is done', 'a@0 success; b@0 running; c@1 created <a', 'c enqueue'],
  ['needs one that is not', 'a@0 success; b@0 running; c@1 created <b', ''],
  ['needs a failed one', 'a@0 failed; c@1 created <a; d@1 created on_failure <a', 'c skip, d enqueue'],
  ['needs an allowed failure', 'a@0 failed !; c@1 created <a', 'c enqueue'],
  ['needs a skipped one', 'a@0 skipped; c@1 created <a', 'c skip'],
  ['always with a skipped need', 'a@0 skipped; c@1 created always <a', 'c enqueue'],
  ['needs an optional manual job', 'a@0 manual !; c@1 created <a', 'c skip'],
  ['needs a blocking manual job', 'a@0 manual; c@1 created <a', ''],
  ['needs in the same stage', 'c@0 created <a; a@0 created on_failure', 'a skip, c skip'],
  ['a need that is not there', 'c@0 created <ghost', 'c enqueue'],
  ['skips run through', 'a@0 failed; b@1 created <a; c@2 created <b; d@3 created <c', 'b skip, c skip, d skip'],
  ['canceled need', 'a@0 canceled; c@1 created <a; d@1 created always <a', 'c skip, d skip'],
  ['being canceled', 'a@0 canceling; c@1 created', ''],
  ['waiting for a resource', 'a@0 waiting_for_resource; c@1 created', ''],
  ['same names of outside statuses', 'a@0 success; a@0 success; c@1 created', 'c enqueue'],
  ['nothing to do', 'a@0 success; b@1 success', ''],
  ['a circle hangs nobody', 'a@0 created <b; b@0 created <a', ''],
];

describe('what happens next in a pipeline', () => {
  for (const [name, text, expected] of cases) {
    it(name, () => {
      const all = jobs(text);
      const steps = nextSteps(all).map(({ id, event }) => `${all[id]?.name} ${event}`);
      assert.equal(steps.join(', '), expected);
    });
  }
  it('walks long chains', () => {
    const chain = Array.from({ length: 20_000 }, (_, id): ProcessedJob => {
      const needs = id === 0 ? [] : [`j${id - 1}`];
      const status = id === 0 ? 'failed' : 'created';
      return { id, name: `j${id}`, stageIndex: 0, status, allowFailure: false, when: 'on_success', needs };
    });
    assert.equal(nextSteps(chain.toReversed()).length, 19_999);
  });
});
