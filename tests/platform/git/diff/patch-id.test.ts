import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createGit } from '../../../../src/platform/git/git.ts';
import { GitError } from '../../../../src/platform/git/process/command.ts';
import { WorkTree } from '../work-tree.ts';

describe('patch IDs', () => {
  const work = new WorkTree();
  const git = createGit({ root: work.folder });
  after(() => {
    git.close();
    work.remove();
  });
  const lines = (...first: string[]) => [...first, ...Array.from({ length: 30 }, (_, i) => `line ${i}`)].join('\n');
  const first = work.commit({ f: lines(), g: 'g\n', old: lines('to be renamed') });
  const idOf = (from: string, to: string) => git.patchId(work.repo, { from, to });

  it('are those of git', async () => {
    const second = work.commit({
      f: lines().replace('line 20', 'line twenty'),
      g: { executable: 'g\n' },
      bin: Buffer.from([0, 1, 2]),
      empty: '',
      old: null,
      'new name': lines('to be renamed'),
    });
    const patch = work.git('diff', '--full-index', first, second);
    const [expected] = work.gitWith({ input: `${patch}\n` }, 'patch-id', '--verbatim').split(' ');
    assert.equal(await idOf(first, second), expected);
  });

  it('depend on the lines and their surroundings, not on their numbers', async () => {
    const change = (text: string, to = 'line twenty') => text.replace('line 20', to);
    const base = work.commit({ f: lines() });
    const moved = work.commit({ f: lines('a new beginning') });
    const changed = await idOf(base, work.commit({ f: change(lines()) }));
    assert.equal(await idOf(moved, work.commit({ f: change(lines('a new beginning')) })), changed);
    for (const to of ['line  twenty', 'line TWENTY', 'line 20']) {
      assert.notEqual(await idOf(base, work.commit({ f: change(lines(), to) })), changed, to);
    }
  });

  it('are undefined if nothing differs', async () => {
    assert.equal(await idOf(first, first), undefined);
  });

  it('end the comparison when the time is up', async () => {
    const large = work.commit({ large: 'a line\n'.repeat(2_000_000) });
    const hurried = git.patchId(work.repo, { from: first, to: large }, { timeoutMs: 1 });
    await assert.rejects(hurried, (error) => error instanceof GitError && error.timedOut);
    assert.match((await idOf(first, large)) ?? '', /^[0-9a-f]{40}$/, 'the next comparison is not held up');
  });
});
