import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { parseMergeTree, pickTree, revertTree } from '../../../../src/platform/git/diff/merge.ts';
import { isAncestor, mergeBase, refsContaining } from '../../../../src/platform/git/history/ancestry.ts';
import { GitError } from '../../../../src/platform/git/process/command.ts';
import { EMPTY_TREE } from '../../../../src/platform/git/trees/tree.ts';
import { WorkTree } from '../work-tree.ts';

const work = new WorkTree();
const ids: Record<string, string> = {};
const id = (name: string) => ids[name] ?? assert.fail(name);
const tree = (name: string) => work.git('rev-parse', `${id(name)}^{tree}`);
const lines = Array.from({ length: 20 }, (_, i) => `line ${i}\n`);
const edited = (at: number, text: string) => lines.with(at, `${text}\n`).join('');

before(() => {
  ids.root = work.commit({ f: lines.join(''), other: 'o\n' }, 'root');
  work.git('checkout', '-q', '-b', 'left');
  ids.left = work.commit({ f: edited(2, 'left') }, 'left');
  work.git('checkout', '-q', '-b', 'right', ids.root);
  ids.right = work.commit({ f: edited(15, 'right'), 'new é': 'n\n' }, 'right');
  work.git('checkout', '-q', '-b', 'clash', ids.root);
  ids.clash = work.commit({ f: edited(2, 'clash'), other: null }, 'clash');
  work.git('checkout', '-q', '--orphan', 'alone');
  ids.alone = work.commit({ alone: '1\n', f: null, other: null }, 'alone');
  work.git('checkout', '-q', 'left');
  work.git('merge', '-q', '--no-ff', '-m', 'merge', 'right');
  ids.merge = work.git('rev-parse', 'HEAD');
  work.git('tag', 'v1', ids.right);
  work.git('tag', '-a', '-m', 'two', 'v2', ids.merge);
});
after(() => work.remove());

const scratchFolders = () => readdirSync(join(work.repo.path, 'objects')).filter((name) => name.startsWith('tmp_'));
const exists = (object: string) => {
  try {
    work.git('cat-file', '-e', object);
    return true;
  } catch {
    return false;
  }
};

test('the tree of a pick is kept, that of a dry run is not', async () => {
  work.git('checkout', '-q', '-b', 'third', id('root'));
  ids.third = work.commit({ third: 'only here\n' }, 'third');
  const query = { base: tree('root'), change: tree('right'), onto: tree('third') };
  const dry = await pickTree(work.repo, query, { dryRun: true });
  assert.ok(dry.status === 'clean');
  assert.equal(exists(dry.tree), false);
  assert.deepEqual(await pickTree(work.repo, query), dry);
  assert.equal(exists(dry.tree), true);
  assert.equal(work.git('ls-tree', '--name-only', '-z', dry.tree), 'f\0new é\0other\0third\0');
  assert.deepEqual(scratchFolders(), []);
});

test('conflicts list their paths and leave no objects behind', async () => {
  const before = work.git('count-objects');
  const result = await pickTree(work.repo, { base: tree('root'), change: tree('clash'), onto: tree('left') });
  assert.ok(result.status === 'conflict');
  assert.deepEqual(
    result.paths.map(({ path }) => path),
    ['f'],
  );
  assert.equal(work.git('count-objects'), before);
});

test('pickTree applies a change, and detects changes that are already present', async () => {
  const base = tree('root');
  const clean = await pickTree(work.repo, { base, change: tree('right'), onto: tree('left') });
  assert.deepEqual(clean, { status: 'clean', tree: tree('merge') });
  const again = await pickTree(work.repo, { base, change: tree('right'), onto: tree('merge') });
  assert.deepEqual(again, { status: 'empty' });
  const root = await pickTree(work.repo, { base: EMPTY_TREE, change: tree('alone'), onto: tree('left') });
  assert.ok(root.status === 'clean');
  assert.equal(work.git('ls-tree', '--name-only', root.tree), 'alone\nf\nother');
  const same = await pickTree(work.repo, { base, change: base, onto: tree('left') });
  assert.deepEqual(same, { status: 'empty' });
  const straight = await pickTree(work.repo, { base, change: tree('left'), onto: base });
  assert.deepEqual(straight, { status: 'clean', tree: tree('left') });
  assert.deepEqual(scratchFolders(), []);
});

test('revertTree undoes a change, and detects changes that are not present', async () => {
  const change = tree('right');
  const base = tree('root');
  assert.deepEqual(await revertTree(work.repo, { base, change, onto: tree('merge') }), {
    status: 'clean',
    tree: tree('left'),
  });
  assert.deepEqual(await revertTree(work.repo, { base, change, onto: tree('left') }), { status: 'empty' });
  const clash = await revertTree(work.repo, { base, change: tree('left'), onto: tree('clash') });
  assert.equal(clash.status, 'conflict');
});

test('unknown objects fail and leave nothing behind', async () => {
  await assert.rejects(
    pickTree(work.repo, { base: 'f'.repeat(40), change: tree('left'), onto: tree('right') }),
    GitError,
  );
  assert.deepEqual(scratchFolders(), []);
  assert.ok(existsSync(work.repo.path));
});

test('parseMergeTree reads both sides of a conflicted path', () => {
  const [base, ours, theirs] = ['b', 'c', 'd'].map((digit) => digit.repeat(40));
  const output = [
    'a'.repeat(40),
    `100644 ${base} 1\tx`,
    `100644 ${ours} 2\tx`,
    `100755 ${theirs} 3\tx`,
    `100644 ${base} 1\ttab\tand\nline`,
    `100644 ${theirs} 3\ttab\tand\nline`,
    '',
    '',
  ].join('\0');
  assert.deepEqual(parseMergeTree(Buffer.from(output), false), {
    status: 'conflict',
    tree: 'a'.repeat(40),
    paths: [
      { path: 'x', ours: { mode: '100644', oid: ours }, theirs: { mode: '100755', oid: theirs } },
      { path: 'tab\tand\nline', theirs: { mode: '100644', oid: theirs } },
    ],
  });
});

test('merge bases and ancestors are found', async () => {
  assert.equal(await mergeBase(work.repo, [id('left'), id('right')]), id('root'));
  assert.equal(await mergeBase(work.repo, [id('merge'), id('right')]), id('right'));
  assert.equal(await mergeBase(work.repo, [id('merge'), id('right'), id('clash')]), id('root'));
  assert.equal(await mergeBase(work.repo, [id('left'), id('alone')]), undefined);
  await assert.rejects(mergeBase(work.repo, [id('left'), 'nowhere']), GitError);
  assert.equal(await isAncestor(work.repo, id('root'), id('merge')), true);
  assert.equal(await isAncestor(work.repo, id('merge'), id('merge')), true);
  assert.equal(await isAncestor(work.repo, id('merge'), id('root')), false);
  await assert.rejects(isAncestor(work.repo, id('merge'), 'f'.repeat(40)), GitError);
});

test('refs containing a commit are listed', async () => {
  assert.deepEqual(await Array.fromAsync(refsContaining(work.repo, id('right'), ['refs/heads/'])), [
    'refs/heads/left',
    'refs/heads/right',
  ]);
  assert.deepEqual(await Array.fromAsync(refsContaining(work.repo, id('right'), ['refs/tags/'])), [
    'refs/tags/v1',
    'refs/tags/v2',
  ]);
  await assert.rejects(Array.fromAsync(refsContaining(work.repo, 'f'.repeat(40), ['refs/heads/'])), GitError);
});
