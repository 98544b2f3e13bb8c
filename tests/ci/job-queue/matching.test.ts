import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { producersFor } from '../../../src/ci/job-queue/dependencies.ts';
import { matchesTags, missingFeatures } from '../../../src/ci/job-queue/matching.ts';

describe('runner tag matching', () => {
  for (const [tags, runUntagged, jobTags, expected] of [
    [[], true, [], true],
    [[], false, [], false],
    [['a'], true, ['a'], true],
    [['a'], true, ['a', 'b'], false],
    [['a', 'b'], false, ['b'], true],
    [[], true, ['a'], false],
  ] as const) {
    it(`with [${tags}]${runUntagged ? ' and untagged jobs' : ''}: [${jobTags}] ${expected}`, () => {
      assert.equal(matchesTags({ tags, runUntagged }, jobTags), expected);
    });
  }

  it('reports missing features by name', () => {
    const none = {
      reports: false,
      mergeRequest: false,
      exclude: false,
      release: false,
      exitCodes: false,
      fallbackKeys: false,
      secrets: false,
      inputs: false,
      run: false,
    };
    assert.deepEqual(missingFeatures(none, {}), []);
    assert.deepEqual(missingFeatures({ ...none, reports: true, exitCodes: true }, { return_exit_code: true }), [
      'upload_multiple_artifacts',
    ]);
  });
});

describe('artifact dependencies of a job', () => {
  const jobs = [
    { name: 'a', stageIndex: 0 },
    { name: 'b 1/2', stageIndex: 0 },
    { name: 'b 2/2', stageIndex: 0 },
    { name: 'c', stageIndex: 1 },
    { name: 'd', stageIndex: 2 },
  ];
  const need = (name: string, artifacts = true) => ({ name, artifacts, optional: false });
  const names = (planned: Parameters<typeof producersFor>[0]) => producersFor(planned, jobs).map(({ name }) => name);

  it('default to jobs of earlier stages', () => {
    assert.deepEqual(names({ stageIndex: 1, needs: null, dependencies: null }), ['a', 'b 1/2', 'b 2/2']);
  });
  it('are its needs, in any stage', () => {
    assert.deepEqual(names({ stageIndex: 1, needs: [need('a', false), need('d')], dependencies: null }), ['d']);
  });
  it('are restricted by dependencies', () => {
    assert.deepEqual(names({ stageIndex: 1, needs: null, dependencies: ['b'] }), ['b 1/2', 'b 2/2']);
    assert.deepEqual(names({ stageIndex: 1, needs: null, dependencies: [] }), []);
    assert.deepEqual(names({ stageIndex: 2, needs: [need('a'), need('c')], dependencies: ['c'] }), ['c']);
  });
});
