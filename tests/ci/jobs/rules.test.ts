import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { busySeconds } from '../../../src/ci/jobs/busy-time.ts';
import { dependentJobs } from '../../../src/ci/jobs/dependents.ts';

describe('pipeline duration', () => {
  const span = (started_at: number | null, finished_at: number | null) => ({ started_at, finished_at });

  it('counts overlaps once and ignores gaps', () => {
    assert.equal(busySeconds([], 9000), 0);
    assert.equal(busySeconds([span(null, 5000)], 9000), 0);
    assert.equal(busySeconds([span(1000, 4000), span(2000, 3000), span(3000, 6000)], 9000), 5);
    assert.equal(busySeconds([span(6000, 8000), span(1000, 2000)], 9000), 3);
    assert.equal(busySeconds([span(1000, null)], 9000), 8);
  });
});

describe('dependent jobs', () => {
  const job = (name: string, stageIndex: number, needs: string[] | null = null) => ({ name, stageIndex, needs });
  const build = job('build', 0);
  const lint = job('lint', 0);
  const test = job('test', 1);
  const early = job('early', 1, ['lint']);
  const deploy = job('deploy', 2, ['test']);
  const all = [deploy, test, early, build, lint];
  const names = (first: ReturnType<typeof job>) =>
    dependentJobs(all, [first])
      .map(({ name }) => name)
      .sort();

  it('are in later stages or need the job transitively', () => {
    assert.deepEqual(names(build), ['deploy', 'test']);
    assert.deepEqual(names(lint), ['deploy', 'early', 'test']);
    assert.deepEqual(names(test), ['deploy']);
    assert.deepEqual(names(deploy), []);
  });
});
