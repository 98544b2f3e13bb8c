import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { before, it } from 'node:test';
import { compareVersions } from '../../../src/code/tags/version-order.ts';
import { GitClient } from '../../support/git-client.ts';
import fc from '../../support/properties.ts';

const git = new GitClient();

before(async () => {
  await git.init();
  await git.commit({ a: 'a' });
});

let runs = 0;

async function sortedByGit(names: readonly string[]): Promise<string[]> {
  const folder = `refs/run-${runs++}/`;
  const id = await git.git('rev-parse', 'HEAD');
  const input = names.map((name) => `create ${folder}${name} ${id}\n`).join('');
  execFileSync('git', ['update-ref', '--stdin'], { cwd: git.folder, env: git.env, input });
  const printed = await git.git('for-each-ref', '--sort=version:refname', '--format=%(refname:lstrip=2)', folder);
  return printed.split('\n').filter(Boolean);
}

it('sorts versions numerically', async () => {
  const names = ['v1.0', 'v1.9', 'v1.10', 'v1.10.1', 'v2.0-rc1', 'v2.0-rc2', 'v10', 'x'];
  assert.deepEqual(names.toReversed().sort(compareVersions), names);
});

it('sorts arbitrary names like git', async () => {
  const part = fc.constantFrom('0', '00', '1', '9', '10', '01', '09', '010', '000', 'v', 'rc', '-', '+', 'é');
  const name = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => `t${parts.join('')}`);
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(name, { minLength: 2, maxLength: 40 }), async (names) => {
      assert.deepEqual([...names].sort(compareVersions), await sortedByGit(names));
    }),
    { numRuns: 25 },
  );
});
