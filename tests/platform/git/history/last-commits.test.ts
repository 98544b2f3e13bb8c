import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createGit } from '../../../../src/platform/git/git.ts';
import { lastCommitsOf } from '../../../../src/platform/git/history/last-commits.ts';
import { WorkTree } from '../work-tree.ts';
import { tangled } from './tangled.ts';

describe('the last commits of a folder', () => {
  const work = new WorkTree();
  const git = createGit({ root: work.folder });
  after(() => {
    git.close();
    work.remove();
  });
  const ids = tangled(work, 120);
  const lastOf = (id: string, path: string) =>
    work.gitWith({ env: { GIT_LITERAL_PATHSPECS: '1' } }, 'rev-list', '-1', id, '--', path);
  const namesIn = (id: string, folder: string) =>
    work
      .git('ls-tree', '--name-only', folder === '' ? id : `${id}:${folder}`)
      .split('\n')
      .filter((name) => name !== '');
  const hasFolder = (id: string, folder: string) =>
    folder === '' || work.git('ls-tree', '-d', '--name-only', id, folder) === folder;

  it('are those that git finds in a tangled history', async () => {
    const objects = git.objects(work.repo);
    let checked = 0;
    for (const id of ids.filter((_, at) => at % 3 === 2)) {
      for (const folder of ['', 'd', 'd/e'].filter((one) => hasFolder(id, one))) {
        const names = namesIn(id, folder);
        const found = await lastCommitsOf(objects, id, folder, names);
        const expected = names.map((name) => [name, lastOf(id, folder === '' ? name : `${folder}/${name}`)]);
        assert.deepEqual([...found].sort(), expected.sort(), `${folder} at ${id}`);
        checked += names.length;
      }
    }
    assert.ok(checked > 50);
  });

  it('are unknown beyond the budget, and the result is cached', async () => {
    const other = createGit({ root: work.folder });
    after(() => other.close());
    const objects = other.objects(work.repo);
    let input = '';
    for (let at = 0; at <= 30; at += 1) {
      input += `commit refs/heads/far\ncommitter A <a@x> ${1_700_000_000 + at} +0000\ndata 1\nx\n`;
      input += `M 100644 inline ${at === 0 ? 'old' : 'new'}\ndata 2\n${at % 10}\n\n`;
    }
    work.gitWith({ input }, 'fast-import', '--quiet', '--force');
    const head = work.git('rev-parse', 'refs/heads/far');
    const found = await lastCommitsOf(objects, head, '', ['new', 'old'], 10);
    assert.deepEqual(
      [...found],
      [
        ['new', head],
        ['old', null],
      ],
    );
    assert.equal(await lastCommitsOf(objects, head, '', ['new', 'old']), found);
  });

  it('are the same with a commit-graph', async () => {
    work.git('commit-graph', 'write', '--reachable', '--changed-paths', '--no-progress', '--split=replace');
    const other = createGit({ root: work.folder });
    after(() => other.close());
    for (const id of ids.filter((_, at) => at % 7 === 6)) {
      const names = namesIn(id, '');
      const found = await lastCommitsOf(other.objects(work.repo), id, '', names, 1);
      assert.deepEqual(
        [...found],
        names.map((name) => [name, lastOf(id, name)]),
        id,
      );
    }
  });
});
