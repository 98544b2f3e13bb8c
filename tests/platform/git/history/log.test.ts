import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  commitIds,
  countCommits,
  type LogQuery,
  lastCommit,
  logIds,
} from '../../../../src/platform/git/history/log.ts';
import { commitStats, contributors } from '../../../../src/platform/git/history/log-stats.ts';
import { GitArgumentError, GitError } from '../../../../src/platform/git/process/command.ts';
import { WorkTree } from '../work-tree.ts';

const work = new WorkTree();
const ids: Record<string, string> = {};

before(() => {
  const bob = { GIT_AUTHOR_NAME: 'Bob', GIT_AUTHOR_EMAIL: 'bob@example.com' };
  const lines = 'one\ntwo\nthree\nfour\nfive\n';
  ids.root = work.commit({ 'a.txt': lines, 'star*': '1\n', starry: '1\n' }, 'root');
  ids.bob = work.commit({ 'b.txt': 'b\n' }, 'by bob', bob);
  ids.rename = work.commit({ 'a.txt': null, 'dir/a.txt': lines }, 'rename');
  work.git('checkout', '-q', '-b', 'side', ids.bob);
  ids.side = work.commit({ 'side.txt': 's\ns\n' }, 'side', { ...bob, GIT_AUTHOR_NAME: 'Bobby' });
  work.git('checkout', '-q', 'main');
  ids.star = work.commit({ starry: '2\n' }, 'starry');
  work.git('merge', '-q', '--no-ff', '-m', 'merge', 'side');
  ids.merge = work.git('rev-parse', 'HEAD');
  ids.last = work.commit({ 'dir/a.txt': `${lines}six\n` }, 'last');
  work.git('update-ref', 'refs/keep-around/x', work.git('commit-tree', '-m', 'hidden', 'HEAD^{tree}'));
});
after(() => work.remove());

const names = (list: Iterable<string>) => {
  return [...list].map((id) => Object.entries(ids).find(([, value]) => value === id)?.[0] ?? id);
};

test('queries select the same commits as git log', async () => {
  const cases: [LogQuery, string[]][] = [
    [{ revisions: ['main'] }, ['last', 'merge', 'star', 'side', 'rename', 'bob', 'root']],
    [{ revisions: ['main'], firstParent: true }, ['last', 'merge', 'star', 'rename', 'bob', 'root']],
    [{ revisions: ['main'], order: 'topo' }, ['last', 'merge', 'side', 'star', 'rename', 'bob', 'root']],
    [{ revisions: ['main'], skip: 1, limit: 2 }, ['merge', 'star']],
    [{ revisions: ['main'], limit: 0 }, []],
    [{ revisions: ['main'], path: 'dir/a.txt' }, ['last', 'rename']],
    [{ revisions: ['main'], path: 'dir/a.txt', follow: true }, ['last', 'rename', 'root']],
    [{ revisions: ['main'], path: 'dir/a.txt', follow: true, skip: 1, limit: 1 }, ['rename']],
    [{ revisions: ['main'], path: 'dir' }, ['last', 'rename']],
    [{ revisions: ['main'], path: 'star*' }, ['root']],
    [{ revisions: ['main'], path: 'nowhere' }, []],
    [{ revisions: ['main'], author: 'bob@' }, ['side', 'bob']],
    [{ revisions: ['main'], author: '^Bobb' }, ['side']],
    [{ revisions: ['side..main'] }, ['last', 'merge', 'star', 'rename']],
    [{ revisions: ['main', `^${ids.merge}`] }, ['last']],
    [{ revisions: [`${ids.side}...${ids.star}`] }, ['star', 'side', 'rename']],
    [{ all: true, limit: 1 }, ['last']],
  ];
  for (const [query, expected] of cases) {
    assert.deepEqual(names(await commitIds(work.repo, query)), expected, JSON.stringify(query));
    if (!query.follow) assert.equal(await countCommits(work.repo, query), expected.length, JSON.stringify(query));
  }
  assert.equal(await countCommits(work.repo, { all: true }), 7, 'hidden refs do not count');
});

test('dates are inclusive', async () => {
  const at = Number(work.git('log', '-1', '--format=%ct', ids.rename ?? '')) * 1000;
  const query = { revisions: ['main'], since: at, until: at };
  assert.deepEqual(names(await commitIds(work.repo, query)), ['rename']);
  assert.deepEqual(names(await commitIds(work.repo, { ...query, since: at + 1000 })), []);
  assert.equal(await countCommits(work.repo, { revisions: ['main'], since: -1e15, until: 8.64e15 }), 7);
});

test('lastCommit returns the last commit that changed a literal path', async () => {
  assert.equal(await lastCommit(work.repo, 'main', 'starry'), ids.star);
  assert.equal(await lastCommit(work.repo, ids.bob ?? '', 'dir/a.txt'), undefined);
  assert.equal(await lastCommit(work.repo, 'main', 'star*'), ids.root);
});

test('commitStats compares merges with their first parent', async () => {
  const stats = await commitStats(work.repo, Object.values(ids));
  const short = Object.fromEntries([...stats].map(([id, s]) => [names([id])[0], [s.files, s.additions, s.deletions]]));
  assert.deepEqual(short, {
    root: [3, 7, 0],
    bob: [1, 1, 0],
    rename: [1, 0, 0],
    side: [1, 2, 0],
    star: [1, 1, 1],
    merge: [1, 2, 0],
    last: [1, 1, 0],
  });
  const empty = work.commit({}, 'empty');
  assert.deepEqual((await commitStats(work.repo, [empty])).get(empty), { files: 0, additions: 0, deletions: 0 });
  assert.equal((await commitStats(work.repo, [])).size, 0);
  work.git('reset', '-q', '--hard', ids.last ?? '');
});

test('contributors are grouped by address in order of appearance', async () => {
  assert.deepEqual(await contributors(work.repo, 'main'), [
    { name: 'Ann Author', email: 'ann@example.com', commits: 4 },
    { name: 'Bobby', email: 'bob@example.com', commits: 2 },
  ]);
});

test('invalid input is rejected or fails cleanly', async () => {
  await assert.rejects(commitIds(work.repo, { revisions: ['nowhere'] }), GitError);
  await assert.rejects(commitIds(work.repo, { revisions: ['--output=/tmp/x'] }), GitArgumentError);
  await assert.rejects(commitIds(work.repo, { revisions: ['main'], author: '\\(' }), GitError);
  await assert.rejects(commitIds(work.repo, { revisions: ['main'], author: 'a\0b' }), GitArgumentError);
  await assert.rejects(commitIds(work.repo, { revisions: ['main'], path: 'a\0b' }), GitArgumentError);
  await assert.rejects(commitStats(work.repo, ['--all']), GitArgumentError);
  assert.deepEqual(await commitIds(work.repo, { revisions: ['main'], path: '--all' }), []);
  assert.deepEqual(await commitIds(work.repo, { revisions: ['main'], path: ':(glob)**' }), []);
});

test('an empty repository lists nothing', async () => {
  const empty = new WorkTree();
  try {
    assert.deepEqual(await commitIds(empty.repo, { all: true }), []);
    assert.equal(await countCommits(empty.repo, { all: true }), 0);
  } finally {
    empty.remove();
  }
});

test('leaving the loop ends the process', async () => {
  for await (const id of logIds(work.repo, { revisions: ['main'] })) {
    assert.equal(id, ids.last);
    break;
  }
});
