import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createGit } from '../../../../src/platform/git/git.ts';
import type { WithProcessSlot } from '../../../../src/platform/git/history/log.ts';
import { treeCounts } from '../../../../src/platform/git/trees/counts.ts';
import { FolderListing } from '../../../../src/platform/git/trees/folder-page.ts';
import { type ListedEntry, wholeListing } from '../../../../src/platform/git/trees/list.ts';
import { TreeListing } from '../../../../src/platform/git/trees/page.ts';
import { WorkTree } from '../work-tree.ts';

const work = new WorkTree();
const git = createGit({ root: work.folder });
after(() => {
  git.close();
  work.remove();
});
const objects = git.objects(work.repo);
let slow = 0;
const slowly: WithProcessSlot = (run) => {
  slow += 1;
  return run({});
};

// Names that sort before and after a slash, and names that are prefixes of others.
const parts = ['a', 'a.b', 'a-b', 'a0', 'b', 'ä', 'ab'];
const module = '1'.repeat(40);

/** Generates a different tree for each seed, with similar names of folders and files. */
function branch(seed: number, files: number): string {
  let state = seed;
  const next = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >> 8) % below;
  };
  let input = `commit refs/heads/t${seed}\ncommitter A <a@x> 1600000000 +0000\ndata 1\nx\n`;
  for (let file = 0; file < files; file++) {
    const path = Array.from({ length: 1 + next(4) }, () => parts[next(parts.length)]).join('/');
    if (next(9) === 0) input += `M 160000 ${module} ${path}\n`;
    else input += `M ${next(5) === 0 ? '100755' : '100644'} inline ${path}\ndata 1\n${next(4)}\n`;
  }
  work.gitWith({ input: `${input}\n` }, 'fast-import', '--quiet', '--force');
  return work.git('rev-parse', `refs/heads/t${seed}^{tree}`);
}

const classes = ['tree', 'blob', 'commit'];

/** Returns git's listing in the expected order. */
function expected(tree: string, ...flags: string[]): ListedEntry[] {
  const lines = work
    .git('ls-tree', '-z', '--full-tree', ...flags, tree)
    .split('\0')
    .filter(Boolean);
  const entries = lines.map((line) => {
    const [mode = '', type = '', oid = ''] = line.split(/[ \t]/);
    return { mode, type: type as ListedEntry['type'], oid, path: line.slice(line.indexOf('\t') + 1) };
  });
  return entries.sort(
    (a, b) =>
      classes.indexOf(a.type) - classes.indexOf(b.type) || Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)),
  );
}

describe('a recursive tree listing', () => {
  it("returns the pages of git's sorted listing and the indexes of entries", async () => {
    for (let seed = 1; seed <= 12; seed++) {
      const tree = branch(seed, 4 * seed);
      const all = expected(tree, '-r', '-t');
      const listing = new TreeListing(objects, tree, '', slowly);
      assert.equal(await listing.total, all.length);
      assert.deepEqual(await wholeListing(work.repo, tree, ''), all);
      for (let offset = 0; offset <= all.length + 1; offset++) {
        const limit = 1 + (offset % 5);
        assert.deepEqual(await listing.slice(offset, limit), all.slice(offset, offset + limit), `${seed} at ${offset}`);
      }
      for (const [index, { path, oid }] of all.entries()) {
        const first = all.findIndex((entry) => entry.oid === oid);
        assert.equal(await listing.indexOf(path), index, path);
        assert.equal(await listing.firstOf(oid), first);
        assert.equal(await listing.isFirst(oid, index), first === index);
      }
    }
    const listing = new TreeListing(objects, branch(1, 4), '', slowly);
    assert.deepEqual([await listing.indexOf('none/x'), await listing.firstOf('2'.repeat(40))], [-1, -1]);
  });

  it('can start at a folder', async () => {
    const tree = branch(40, 60);
    const below = work.git('rev-parse', `${tree}:a`);
    const listing = new TreeListing(objects, below, 'a/', slowly);
    const all = expected(below, '-r', '-t').map((entry) => ({ ...entry, path: `a/${entry.path}` }));
    assert.deepEqual(await listing.slice(0, 1000), all);
    assert.equal(await listing.indexOf(all.at(-1)?.path ?? ''), all.length - 1);
    assert.equal(await listing.indexOf('b'), -1);
  });

  it('reads only the folders needed for a page after counting a large tree, and only changed folders after a change', async () => {
    const folders = 600;
    let input = 'commit refs/heads/large\ncommitter A <a@x> 1600000000 +0000\ndata 1\nx\n';
    for (let i = 0; i < folders; i++) input += `M 100644 inline p${i % 20}/q${i}/f\ndata ${`${i}`.length}\n${i}\n`;
    work.gitWith({ input: `${input}\n` }, 'fast-import', '--quiet', '--force');
    const tree = work.git('rev-parse', 'large^{tree}');
    const listing = new TreeListing(objects, tree, '', slowly);
    slow = 0;
    assert.equal(await listing.total, 20 + folders + folders);
    assert.equal(slow, 1, 'too many folders to read in-process');
    const requests = () => git.counters().readers.requests;
    const before = requests();
    const page = await listing.slice(1000, 20);
    assert.deepEqual(page, expected(tree, '-r', '-t').slice(1000, 1020));
    assert.ok(requests() - before <= 40, `${requests() - before} reads`);
    work.gitWith(
      {
        input:
          'commit refs/heads/large\ncommitter A <a@x> 1600000001 +0000\ndata 1\nx\nfrom refs/heads/large^0\nM 100644 inline p3/q3/new\ndata 1\nx\n\n',
      },
      'fast-import',
      '--quiet',
    );
    const changed = work.git('rev-parse', 'large^{tree}');
    const between = requests();
    assert.deepEqual(await treeCounts(objects, changed, slowly), { tree: 20 + folders, blob: folders + 1, commit: 0 });
    assert.deepEqual([requests() - between, slow], [3, 1]);
  });
});

describe('a listing of one folder', () => {
  it('has the same order', async () => {
    const tree = branch(50, 80);
    const all = expected(tree);
    const found = await objects.tree(tree);
    assert.ok(found);
    const listing = new FolderListing(objects, found, '');
    assert.equal(listing.total, all.length);
    assert.deepEqual(await listing.slice(0, 1000), all);
    assert.deepEqual(await listing.slice(2, 3), all.slice(2, 5));
    for (const [index, { path, oid }] of all.entries()) {
      assert.equal(listing.indexOf(path), index);
      assert.equal(
        listing.firstOf(oid),
        all.findIndex((entry) => entry.oid === oid),
      );
    }
    assert.deepEqual([listing.indexOf('none'), listing.firstOf('2'.repeat(40))], [-1, -1]);
  });
});
