import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compareVersions, isPrerelease, latestOf } from '../../../src/ci/packages/versions.ts';

describe('package versions', () => {
  it('are sorted by precedence', () => {
    const ordered = [
      '0.9.3',
      '1.0.0-alpha',
      '1.0.0-alpha.1',
      '1.0.0-alpha.beta',
      '1.0.0-beta.2',
      '1.0.0-beta.11',
      '1.0.0-rc.1',
      '1.0.0',
      '1.0.0.1',
      'v1.2.0',
      '1.10.0',
      '2.0.0',
      '99999999999999999999.0.0',
      '100000000000000000000.0.0',
    ];
    assert.deepEqual(ordered.toReversed().toSorted(compareVersions), ordered);
  });

  it('ignore build metadata', () => {
    assert.equal(compareVersions('1.0.0+one', '1.0.0+two-a.b'), 0);
    assert.equal(compareVersions('1.0', '1.0.0.0'), 0);
  });

  it('have a latest one, preferring releases', () => {
    const of = (...versions: string[]) => latestOf(versions.map((version) => ({ version })))?.version;
    assert.equal(of('1.0.0', '2.0.0-rc.1', '0.9.0'), '1.0.0');
    assert.equal(of('2.0.0-rc.1', '2.0.0-rc.2'), '2.0.0-rc.2');
    assert.equal(of(), undefined);
    assert.deepEqual(['1.0.0-a', '1.0.0', '1.0.0+a-b'].map(isPrerelease), [true, false, false]);
  });
});
