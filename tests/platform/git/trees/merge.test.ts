import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { mergeCommits } from '../../../../src/platform/git/diff/merge.ts';
import { createGit } from '../../../../src/platform/git/git.ts';
import { createCommit } from '../../../../src/platform/git/objects/commit-write.ts';
import { mergeTrees } from '../../../../src/platform/git/trees/merge.ts';
import fc from '../../../support/properties.ts';
import { type FileContent, WorkTree } from '../work-tree.ts';

const work = new WorkTree();
const git = createGit({ root: work.folder });
const objects = git.objects(work.repo);
after(() => {
  git.close();
  work.remove();
});

type Files = Record<string, FileContent>;

const long = Array.from({ length: 30 }, (_, line) => `line ${line}\n`).join('');
const base: Files = {
  'a/one': `one\n${long}`,
  'a/two': `two\n${long}`,
  'b/deep/three': `three\n${long}`,
  'b/four': `four\n${long}`,
  five: `five\n${long}`,
  'né/ü': 'names\n',
};

/** The base, and a commit for each side on top of it. */
function sides(ours: Files, theirs: Files): { root: string; left: string; right: string } {
  work.git('checkout', '-q', '--orphan', `case-${Math.random().toString(36).slice(2)}`);
  const clean = Object.fromEntries(
    work
      .git('ls-files', '-z')
      .split('\0')
      .filter(Boolean)
      .map((path) => [path, null]),
  );
  const root = work.commit({ ...clean, ...base }, 'base');
  const left = work.commit(ours, 'ours');
  work.git('checkout', '-q', '--detach', root);
  const right = work.commit(theirs, 'theirs');
  return { root, left, right };
}

const treeOf = (commit: string) => work.git('rev-parse', `${commit}^{tree}`);
const quickly = ({ root, left, right }: ReturnType<typeof sides>) =>
  mergeTrees(objects, treeOf(root), treeOf(left), treeOf(right));

const apart: readonly [name: string, ours: Files, theirs: Files][] = [
  ['other files of one folder', { 'a/one': 'new' }, { 'a/two': 'new' }],
  ['other folders', { 'a/new': 'x' }, { 'b/deep/three': 'y', 'c/d/e': 'z' }],
  ['a file and a folder gone', { five: null }, { 'a/one': null, 'a/two': null }],
  ['all of a folder, half by each', { 'a/one': null }, { 'a/two': null }],
  ['the same change on both sides', { 'a/one': 'same', x: '1' }, { 'a/one': 'same', y: '2' }],
  ['the same new file and folder', { 'n/m': 'same', x: '1' }, { 'n/m': 'same', y: '2' }],
  ['new folders of one name', { 'n/x': '1' }, { 'n/y': '2' }],
  ['a mode and a link', { 'a/one': { executable: `one\n${long}` } }, { link: { link: 'five' }, 'b/four': '4' }],
  ['a rename beside a change', { 'a/one': null, 'z/one': `one\n${long}` }, { 'a/two': 'changed' }],
  ['a file in the place of a folder', { 'b/deep/three': null, 'b/deep': 'now a file' }, { 'b/four': '4' }],
  ['names that sort as folders do', { 'a.b': '1', 'a-b/c': '2' }, { 'a/zz': '3', a0: '4' }],
  ['names that are not ASCII', { 'né/ü': 'changed' }, { 'né/ö': 'added' }],
  ['an empty file of no interest', {}, { five: 'alone' }],
];

for (const [name, ours, theirs] of apart) {
  test(`${name}: as git merges it, without git`, async () => {
    const made = sides(ours, theirs);
    const merged = await quickly(made);
    assert.ok(merged);
    assert.equal(merged.tree, work.git('merge-tree', '--write-tree', made.left, made.right));
  });
}

const met: readonly [name: string, ours: Files, theirs: Files][] = [
  ['one file', { 'a/one': `ours\n${long}` }, { 'a/one': `one\n${long}theirs\n` }],
  ['a file changed here and gone there', { five: 'x' }, { five: null }],
  ['a file renamed here and changed there', { five: null, six: `five\n${long}` }, { five: `five\n${long}more\n` }],
  ['a file renamed to two names', { five: null, six: `five\n${long}` }, { five: null, seven: `five\n${long}` }],
  [
    'a file renamed to two names from a folder that looks alike',
    { 'a/one': null, six: `one\n${long}` },
    { 'a/one': null, seven: `one\n${long}` },
  ],
  ['two new files of one name', { new: '1' }, { new: '2' }],
  ['a new file and a new folder of one name', { new: '1' }, { 'new/file': '2' }],
  [
    'a folder renamed here and added to there',
    { 'a/one': null, 'a/two': null, 'z/one': `one\n${long}`, 'z/two': `two\n${long}` },
    { 'a/three': 'new' },
  ],
  ['a mode here and a content there', { five: { executable: `five\n${long}` } }, { five: 'changed' }],
];

for (const [name, ours, theirs] of met) {
  test(`${name}: is for git to decide`, async () => {
    const made = sides(ours, theirs);
    assert.equal(await quickly(made), undefined);
  });
}

test('a merge of commits leaves what it is made of with the writer, and nothing without one', async () => {
  const made = sides({ 'a/one': 'ours' }, { 'a/two': 'theirs' });
  const before = work.git('count-objects');
  const dry = await mergeCommits(objects, made.left, made.right);
  assert.ok(dry.status === 'clean');
  assert.equal(work.git('count-objects'), before);
  const writer = git.writer(work.repo);
  assert.deepEqual(await mergeCommits(objects, made.left, made.right, writer), dry);
  await writer.flush();
  assert.equal(work.git('show', `${dry.tree}:a/one`), 'ours');
  assert.equal(work.git('show', `${dry.tree}:a/two`), 'theirs');
});

test('histories that crossed have two bases, of which git makes one', async () => {
  const { left, right } = sides({ 'a/one': 'ours' }, { 'a/two': 'theirs' });
  const cross = (one: string, two: string, file: string) => {
    work.git('checkout', '-q', '--detach', one);
    work.git('merge', '-q', '--no-ff', '-m', 'cross', two);
    return work.commit({ [file]: 'new' }, file);
  };
  const [one, two] = [cross(left, right, 'x'), cross(right, left, 'y')];
  const merged = await mergeCommits(objects, one, two);
  assert.deepEqual(merged, { status: 'clean', tree: work.git('merge-tree', '--write-tree', one, two) });
});

/** Files are named by a letter and hold some lines; to rename one is to move its lines to another letter. */
const paths = ['a/k', 'a/l', 'b/k', 'b/c/m', 'b/c/n', 'o', 'p'];
const edit = fc.oneof(
  fc.record({ kind: fc.constant('write'), path: fc.constantFrom(...paths), text: fc.constantFrom('x\n', 'y\n') }),
  fc.record({ kind: fc.constant('remove'), path: fc.constantFrom(...paths), text: fc.constant('') }),
  fc.record({
    kind: fc.constant('rename'),
    path: fc.constantFrom(...paths),
    text: fc.constantFrom('a/new', 'c/q', 'b/c/r'),
  }),
);
type Edit = { kind: string; path: string; text: string };

async function committed(files: ReadonlyMap<string, string>, parents: string[]): Promise<string> {
  const writer = git.writer(work.repo);
  const editor = await git.editTree(work.repo, null);
  for (const [path, text] of files) {
    await editor.create(path, { mode: '100644', oid: await writer.add('blob', Buffer.from(text)) });
  }
  const who = { name: 'A', email: 'a@example.com', seconds: 1_700_000_000 + parents.length, zone: 0 };
  const tree = await editor.write(writer);
  const oid = await createCommit(writer, { tree, parents, author: who, committer: who, message: 'x' });
  await writer.flush();
  return oid;
}

function edited(files: ReadonlyMap<string, string>, edits: readonly Edit[]): Map<string, string> {
  const after = new Map(files);
  for (const { kind, path, text } of edits) {
    const was = after.get(path);
    if (kind === 'write') after.set(path, `${text}${long}${path}\n`);
    else after.delete(path);
    if (kind === 'rename' && was !== undefined) after.set(text, was);
  }
  return after;
}

test('whatever the two sides do, what is decided here is what git decides', async () => {
  const start = new Map(paths.map((path) => [path, `${path}\n${long}${path}\n`]));
  const root = await committed(start, []);
  const side = fc.array(edit, { minLength: 1, maxLength: 3 });
  let decided = 0;
  await fc.assert(
    fc.asyncProperty(side, side, async (ours, theirs) => {
      const [left, right] = [
        await committed(edited(start, ours), [root]),
        await committed(edited(start, theirs), [root]),
      ];
      const trees = await objects.commits([root, left, right]);
      const [was, our, their] = trees.map((commit) => commit?.tree ?? assert.fail());
      const merged = await mergeTrees(objects, was as string, our as string, their as string);
      if (!merged) return;
      decided += 1;
      assert.equal(merged.tree, work.git('merge-tree', '--write-tree', left, right).split('\n')[0]);
    }),
    { numRuns: 100 },
  );
  assert.ok(decided > 20);
});
