import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createGit } from '../../../../src/platform/git/git.ts';
import { TreeEditError, type TreeEditProblem } from '../../../../src/platform/git/trees/edit.ts';
import { EMPTY_TREE, formatTree } from '../../../../src/platform/git/trees/tree.ts';
import fc from '../../../support/properties.ts';
import { WorkTree } from '../work-tree.ts';

const work = new WorkTree();
const { repo } = work;
const git = createGit({ root: work.folder });
work.commit({
  'dir/sub/deep.txt': 'deep',
  'dir/file.txt': 'file',
  'other/x.txt': 'x',
  'top.txt': 'top',
  run: { executable: '#' },
});
const base = work.git('rev-parse', 'main^{tree}');
const blob = work.git('rev-parse', 'main:top.txt');
const file = { mode: '100644', oid: blob };
after(() => {
  git.close();
  work.remove();
});

const pathsOf = (tree: string) => work.git('ls-tree', '-r', '--name-only', tree).split('\n').filter(Boolean);

describe('editing a tree', () => {
  it('keeps an unchanged tree', async () => {
    const editor = await git.editTree(repo, base);
    await editor.file('dir/sub/deep.txt');
    assert.equal(await editor.write(git.writer(repo)), base);
  });

  it('adds, replaces and removes files', async () => {
    const editor = await git.editTree(repo, base);
    await editor.create('dir/new/a/b.txt', file);
    await editor.replace('dir/file.txt', { mode: '100755', oid: blob });
    await editor.remove('top.txt');
    assert.deepEqual(await editor.remove('other/x.txt'), {
      mode: '100644',
      name: 'x.txt',
      oid: work.git('rev-parse', 'main:other/x.txt'),
    });
    const writer = git.writer(repo);
    const tree = await editor.write(writer);
    await writer.flush();
    assert.deepEqual(pathsOf(tree), ['dir/file.txt', 'dir/new/a/b.txt', 'dir/sub/deep.txt', 'run']);
    assert.match(work.git('ls-tree', tree, 'dir/file.txt'), /^100755/);
    assert.equal(work.git('rev-parse', `${tree}:dir/sub`), work.git('rev-parse', `${base}:dir/sub`));
    work.git('fsck', '--strict', '--full');
  });

  it('starts from the empty tree and can end with it', async () => {
    const editor = await git.editTree(repo, null);
    await editor.create('a/b/c', file);
    assert.deepEqual(await editor.file('a/b/c'), { mode: '100644', name: 'c', oid: blob });
    await editor.remove('a/b/c');
    assert.equal(await editor.write(git.writer(repo)), EMPTY_TREE);
  });

  it('frees the name of an emptied folder for a file, and of a removed file for a folder', async () => {
    const editor = await git.editTree(repo, base);
    await editor.remove('other/x.txt');
    await editor.create('other', file);
    await editor.remove('top.txt');
    await editor.create('top.txt/now/a/folder', file);
    const writer = git.writer(repo);
    const tree = await editor.write(writer);
    await writer.flush();
    assert.deepEqual(pathsOf(tree), ['dir/file.txt', 'dir/sub/deep.txt', 'other', 'run', 'top.txt/now/a/folder']);
  });

  const problems: [string, 'create' | 'replace' | 'remove', string, TreeEditProblem][] = [
    ['a file over a file', 'create', 'top.txt', 'exists'],
    ['a file over a folder', 'create', 'dir', 'is-a-directory'],
    ['a file below a file', 'create', 'top.txt/x', 'parent-is-a-file'],
    ['a file far below a file', 'create', 'dir/file.txt/x/y', 'parent-is-a-file'],
    ['a missing file', 'replace', 'dir/none', 'missing'],
    ['a file in a missing folder', 'replace', 'none/none', 'missing'],
    ['a file below a file', 'replace', 'top.txt/x', 'missing'],
    ['a folder', 'replace', 'dir', 'is-a-directory'],
    ['a folder', 'remove', 'dir/sub', 'is-a-directory'],
    ['a missing file', 'remove', 'none', 'missing'],
  ];
  for (const [target, action, path, problem] of problems) {
    it(`does not ${action} ${target}: ${problem}`, async () => {
      const editor = await git.editTree(repo, base);
      const edit = action === 'remove' ? editor.remove(path) : editor[action](path, file);
      await assert.rejects(edit, (error: TreeEditError) => error instanceof TreeEditError && error.problem === problem);
      assert.equal(await editor.write(git.writer(repo)), base);
    });
  }

  it('preserves entries whose names are not UTF-8', async () => {
    const names = [Buffer.from('f\xfc', 'latin1'), Buffer.from('fü')];
    const entries = names.map((bytes, i) => ({ mode: '100644', name: 'fü', oid: blob, ...(i === 0 && { bytes }) }));
    const writer = git.writer(repo);
    const odd = await writer.add('tree', formatTree(entries));
    await writer.flush();
    const editor = await git.editTree(repo, odd);
    await editor.create('plain', file);
    await editor.remove('fü');
    const tree = await editor.write(writer);
    await writer.flush();
    assert.equal(work.git('ls-tree', '--name-only', tree), '"f\\374"\nplain');
  });

  it('has the same result as a plain set of paths after random edits', async () => {
    const name = fc.constantFrom('a', 'b', 'c');
    const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
    const edits = fc.array(fc.tuple(fc.constantFrom('create', 'remove'), path), { maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(edits, async (list) => {
        const editor = await git.editTree(repo, null);
        const model = new Set<string>();
        for (const [action, at] of list) {
          const allowed = action === 'create' ? isFree(model, at) : model.has(at);
          const edit = action === 'create' ? editor.create(at, file) : editor.remove(at);
          const done = await edit.then(
            () => true,
            (error: unknown) => !(error instanceof TreeEditError),
          );
          assert.equal(done, allowed, `${action} ${at}`);
          if (done && action === 'create') model.add(at);
          if (done && action === 'remove') model.delete(at);
        }
        const fresh = await git.editTree(repo, null);
        for (const at of model) await fresh.create(at, file);
        assert.equal(await editor.write(git.writer(repo)), await fresh.write(git.writer(repo)));
      }),
      { numRuns: 100 },
    );
  });
});

function isFree(model: Set<string>, path: string): boolean {
  return ![...model].some((other) => other === path || other.startsWith(`${path}/`) || path.startsWith(`${other}/`));
}
