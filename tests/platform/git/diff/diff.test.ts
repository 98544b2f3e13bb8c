import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { diff, limitedDiff } from '../../../../src/platform/git/diff/diff.ts';
import type { DiffEntry } from '../../../../src/platform/git/diff/parse.ts';
import { decodePath, patchText } from '../../../../src/platform/git/diff/text.ts';
import { GitError } from '../../../../src/platform/git/process/command.ts';
import { WorkTree } from '../work-tree.ts';

const work = new WorkTree();
let first = '';
let second = '';

before(() => {
  const lines = Array.from({ length: 40 }, (_, i) => `line ${i}\n`).join('');
  first = work.commit({
    'keep.txt': 'a\nb\nc\n',
    'old name.txt': lines,
    'moved.txt': `${lines}x\n`,
    'gone.txt': '-- looks like a header\n@@ -1 +1 @@\n',
    'mode.sh': 'echo\n',
    link: { link: 'keep.txt' },
    'bin.dat': Buffer.from([0, 1, 2]),
    'latin1.txt': Buffer.from('caf\xe9\nplain\n', 'latin1'),
    'no-newline': 'end',
  });
  second = work.commit({
    'keep.txt': 'a\nB\nc\n',
    'old name.txt': null,
    'new\tname é.txt': `${lines}more\n`,
    'moved.txt': null,
    'sub/moved.txt': `${lines}x\n`,
    'gone.txt': null,
    'mode.sh': { executable: 'echo\n' },
    link: 'now a file\n',
    'bin.dat': Buffer.from([0, 1, 3]),
    'latin1.txt': Buffer.from('caf\xe9s\nplain \u00fc\n', 'latin1'),
    'no-newline': 'END',
    empty: '',
    'quote"\nname': 'q\n',
  });
});
after(() => work.remove());

async function collect(query: { from: string | undefined; to: string }): Promise<Map<string, DiffEntry>> {
  const entries = new Map<string, DiffEntry>();
  for await (const entry of diff(work.repo, query)) {
    entries.set(`${decodePath(entry.newPath)}${entry.deletedFile ? ' deleted' : ''}`, entry);
  }
  return entries;
}

test('every kind of change is recognised', async () => {
  const entries = await collect({ from: first, to: second });
  const kinds = Object.fromEntries(
    [...entries].map(([path, e]) => [
      path,
      [
        e.oldMode,
        e.newMode,
        e.newFile && 'new',
        e.deletedFile && 'deleted',
        e.renamedFile && 'renamed',
        e.binary && 'binary',
      ]
        .filter(Boolean)
        .join(' '),
    ]),
  );
  assert.deepEqual(kinds, {
    'bin.dat': '100644 100644 binary',
    empty: '000000 100644 new',
    'gone.txt deleted': '100644 000000 deleted',
    'keep.txt': '100644 100644',
    'latin1.txt': '100644 100644',
    'link deleted': '120000 000000 deleted',
    link: '000000 100644 new',
    'mode.sh': '100644 100755',
    'new\tname é.txt': '100644 100644 renamed',
    'no-newline': '100644 100644',
    'quote"\nname': '000000 100644 new',
    'sub/moved.txt': '100644 100644 renamed',
  });
  assert.equal(decodePath(entries.get('new\tname é.txt')?.oldPath ?? ''), 'old name.txt');
});

test("patches equal git's, starting at the first hunk", async () => {
  const entries = await collect({ from: first, to: second });
  const text = (path: string, unidiff = false) => {
    const entry = entries.get(path);
    assert.ok(entry, path);
    return patchText(entry, unidiff);
  };
  assert.equal(text('keep.txt'), '@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n');
  assert.equal(text('keep.txt', true), '--- a/keep.txt\n+++ b/keep.txt\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n');
  assert.equal(
    text('gone.txt deleted', true),
    '--- a/gone.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n--- looks like a header\n-@@ -1 +1 @@\n',
  );
  assert.equal(text('bin.dat', true), 'Binary files a/bin.dat and b/bin.dat differ\n');
  assert.equal(text('sub/moved.txt'), '');
  assert.equal(text('mode.sh', true), '');
  assert.equal(text('empty'), '');
  assert.equal(text('link'), '@@ -0,0 +1 @@\n+now a file\n');
  assert.equal(text('latin1.txt'), '@@ -1,2 +1,2 @@\n-café\n-plain\n+cafés\n+plain ü\n');
  assert.equal(
    text('no-newline'),
    '@@ -1 +1 @@\n-end\n\\ No newline at end of file\n+END\n\\ No newline at end of file\n',
  );
});

test('a root commit is compared with the empty tree', async () => {
  const entries = await collect({ from: undefined, to: first });
  assert.equal(entries.size, 9);
  assert.ok([...entries.values()].every((entry) => entry.newFile));
});

test('the entries add up to the line counts of git', async () => {
  const entries = [...(await collect({ from: first, to: second })).values()];
  const sum = (pick: (entry: DiffEntry) => number) => entries.reduce((total, entry) => total + pick(entry), 0);
  assert.match(
    work.git('diff-tree', '-r', '-M', '--shortstat', first, second),
    new RegExp(`11 files changed, ${sum((e) => e.additions)} insertions.*, ${sum((e) => e.deletions)} deletions`),
  );
});

test('git is stopped at the file limit and on cancellation', async () => {
  const files: Record<string, string> = {};
  for (let i = 0; i < 1200; i++) files[`many/${i}`] = `${i}\n`;
  const many = work.commit(files);
  const cut = await limitedDiff(work.repo, { from: second, to: many }, { expanded: true });
  assert.equal(cut.entries.length, 1000);
  assert.equal(cut.overflow, true);
  const signal = AbortSignal.abort();
  await assert.rejects(Array.fromAsync(diff(work.repo, { from: second, to: many }, { signal })));
  const late = new AbortController();
  const stream = diff(work.repo, { from: second, to: many }, { signal: late.signal });
  await stream.next();
  late.abort();
  await assert.rejects(Array.fromAsync(stream), GitError);
});

test('an unknown revision fails, an option is rejected', async () => {
  await assert.rejects(collect({ from: first, to: 'nowhere' }), GitError);
  await assert.rejects(collect({ from: first, to: '--output=/tmp/x' }), { name: 'GitArgumentError' });
});
