import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { producersFor } from '../../../src/ci/job-queue/dependencies.ts';
import { lacking, takesTags } from '../../../src/ci/job-queue/matching.ts';

describe('which jobs a runner takes', () => {
  for (const [tags, runUntagged, wanted, expected] of [
    [[], true, [], true],
    [[], false, [], false],
    [['a'], true, ['a'], true],
    [['a'], true, ['a', 'b'], false],
    [['a', 'b'], false, ['b'], true],
    [[], true, ['a'], false],
  ] as const) {
    it(`with [${tags}]${runUntagged ? ' and untagged ones' : ''}: [${wanted}] ${expected}`, () => {
      assert.equal(takesTags({ tags, runUntagged }, wanted), expected);
    });
  }

  it('what it must be able to do is told by name', () => {
    const none = {
      reports: false,
      mergeRequest: false,
      exclude: false,
      release: false,
      exitCodes: false,
      fallbackKeys: false,
      secrets: false,
    };
    assert.deepEqual(lacking(none, {}), []);
    assert.deepEqual(lacking({ ...none, reports: true, exitCodes: true }, { return_exit_code: true }), [
      'upload_multiple_artifacts',
    ]);
  });
});

describe('what a job takes over', () => {
  const jobs = [
    { name: 'a', stageIndex: 0 },
    { name: 'b 1/2', stageIndex: 0 },
    { name: 'b 2/2', stageIndex: 0 },
    { name: 'c', stageIndex: 1 },
    { name: 'd', stageIndex: 2 },
  ];
  const need = (name: string, artifacts = true) => ({ name, artifacts, optional: false });
  const names = (planned: Parameters<typeof producersFor>[0]) => producersFor(planned, jobs).map(({ name }) => name);

  it('is what the stages before left', () => {
    assert.deepEqual(names({ stageIndex: 1, needs: null, dependencies: null }), ['a', 'b 1/2', 'b 2/2']);
  });
  it('is what it needs, of whatever stage', () => {
    assert.deepEqual(names({ stageIndex: 1, needs: [need('a', false), need('d')], dependencies: null }), ['d']);
  });
  it('is only what it names', () => {
    assert.deepEqual(names({ stageIndex: 1, needs: null, dependencies: ['b'] }), ['b 1/2', 'b 2/2']);
    assert.deepEqual(names({ stageIndex: 1, needs: null, dependencies: [] }), []);
    assert.deepEqual(names({ stageIndex: 2, needs: [need('a'), need('c')], dependencies: ['c'] }), ['c']);
  });
});
