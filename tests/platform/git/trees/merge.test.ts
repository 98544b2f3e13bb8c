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

/** Commits the base, and one commit for each side on top of it. */
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
const mergeInProcess = ({ root, left, right }: ReturnType<typeof sides>) =>
  mergeTrees(objects, treeOf(root), treeOf(left), treeOf(right));

const independent: readonly [name: string, ours: Files, theirs: Files][] = [
  ['different files in one folder', { 'a/one': 'new' }, { 'a/two': 'new' }],
  ['different folders', { 'a/new': 'x' }, { 'b/deep/three': 'y', 'c/d/e': 'z' }],
  ['a deleted file and a deleted folder', { five: null }, { 'a/one': null, 'a/two': null }],
  ['a folder deleted half by each side', { 'a/one': null }, { 'a/two': null }],
  ['the same change on both sides', { 'a/one': 'same', x: '1' }, { 'a/one': 'same', y: '2' }],
  ['the same file in a new folder', { 'n/m': 'same', x: '1' }, { 'n/m': 'same', y: '2' }],
  ['new folders with the same name', { 'n/x': '1' }, { 'n/y': '2' }],
  ['a mode and a link', { 'a/one': { executable: `one\n${long}` } }, { link: { link: 'five' }, 'b/four': '4' }],
  ['a rename next to a change', { 'a/one': null, 'z/one': `one\n${long}` }, { 'a/two': 'changed' }],
  ['a file replacing a folder', { 'b/deep/three': null, 'b/deep': 'now a file' }, { 'b/four': '4' }],
  ['names that sort like folders', { 'a.b': '1', 'a-b/c': '2' }, { 'a/zz': '3', a0: '4' }],
  ['non-ASCII names', { 'né/ü': 'changed' }, { 'né/ö': 'added' }],
  ['no change on one side', {}, { five: 'alone' }],
];

for (const [name, ours, theirs] of independent) {
  test(`${name}: is merged in-process with git's result`, async () => {
    const commits = sides(ours, theirs);
    const merged = await mergeInProcess(commits);
    assert.ok(merged);
    assert.equal(merged.tree, work.git('merge-tree', '--write-tree', commits.left, commits.right));
  });
}

const overlapping: readonly [name: string, ours: Files, theirs: Files][] = [
  ['one file changed on both sides', { 'a/one': `ours\n${long}` }, { 'a/one': `one\n${long}theirs\n` }],
  ['a file changed on one side and deleted on the other', { five: 'x' }, { five: null }],
  [
    'a file renamed on one side and changed on the other',
    { five: null, six: `five\n${long}` },
    { five: `five\n${long}more\n` },
  ],
  [
    'a file renamed differently on both sides',
    { five: null, six: `five\n${long}` },
    { five: null, seven: `five\n${long}` },
  ],
  [
    'a file in a folder renamed differently on both sides',
    { 'a/one': null, six: `one\n${long}` },
    { 'a/one': null, seven: `one\n${long}` },
  ],
  ['two new files with the same name', { new: '1' }, { new: '2' }],
  ['a new file and a new folder with the same name', { new: '1' }, { 'new/file': '2' }],
  [
    'a folder renamed on one side and added to on the other',
    { 'a/one': null, 'a/two': null, 'z/one': `one\n${long}`, 'z/two': `two\n${long}` },
    { 'a/three': 'new' },
  ],
  [
    'a mode changed on one side and content on the other',
    { five: { executable: `five\n${long}` } },
    { five: 'changed' },
  ],
];

for (const [name, ours, theirs] of overlapping) {
  test(`${name}: is left to git`, async () => {
    const commits = sides(ours, theirs);
    assert.equal(await mergeInProcess(commits), undefined);
  });
}

test('mergeCommits adds the new objects to the writer, and none without a writer', async () => {
  const commits = sides({ 'a/one': 'ours' }, { 'a/two': 'theirs' });
  const before = work.git('count-objects');
  const dry = await mergeCommits(objects, commits.left, commits.right);
  assert.ok(dry.status === 'clean');
  assert.equal(work.git('count-objects'), before);
  const writer = git.writer(work.repo);
  assert.deepEqual(await mergeCommits(objects, commits.left, commits.right, writer), dry);
  await writer.flush();
  assert.equal(work.git('show', `${dry.tree}:a/one`), 'ours');
  assert.equal(work.git('show', `${dry.tree}:a/two`), 'theirs');
});

test("a criss-cross merge with two bases equals git's", async () => {
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

/** Files contain lines with their own path, so that moving the lines is a rename. */
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
    const previous = after.get(path);
    if (kind === 'write') after.set(path, `${text}${long}${path}\n`);
    else after.delete(path);
    if (kind === 'rename' && previous !== undefined) after.set(text, previous);
  }
  return after;
}

test('random changes merged in-process have the same result as in git', async () => {
  const start = new Map(paths.map((path) => [path, `${path}\n${long}${path}\n`]));
  const root = await committed(start, []);
  const side = fc.array(edit, { minLength: 1, maxLength: 3 });
  let merges = 0;
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
      merges += 1;
      assert.equal(merged.tree, work.git('merge-tree', '--write-tree', left, right).split('\n')[0]);
    }),
    { numRuns: 100 },
  );
  assert.ok(merges > 20);
});
