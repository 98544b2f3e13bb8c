import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createGit } from '../../../../src/platform/git/git.ts';
import { parseRange, rangeTips } from '../../../../src/platform/git/history/range.ts';
import { type CommitQuery, listCommitIds, walk } from '../../../../src/platform/git/history/walk.ts';
import { WorkTree } from '../work-tree.ts';

/** A small pseudo-random generator, so that the histories are the same in every run. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 0x7fffffff) * below) % below;
  };
}

/** Generates branches, octopus merges and equal dates; `skew` makes clocks run wrong. */
function history(work: WorkTree, size: number, seed: number, skew: boolean): string[] {
  const next = random(seed);
  const commands: string[] = [];
  for (let i = 1; i <= size; i++) {
    const date = 1_600_000_000 + Math.floor(i / 3) * 100 + (skew ? next(3000) - 1500 : 0);
    const parents = new Set<number>();
    const count = i === 1 || next(60) === 0 ? 0 : [1, 1, 1, 1, 2, 2, 3, 5][next(8)];
    for (let p = 0; p < (count ?? 0); p++) parents.add(Math.max(1, i - 1 - next(6)));
    const [from, ...merges] = parents;
    commands.push(
      `reset refs/heads/c${i}\n\ncommit refs/heads/c${i}\nmark :${i}\ncommitter A <a@x> ${date} +0000\ndata 1\nx\n`,
      from ? `from :${from}\n` : '',
      ...merges.map((parent) => `merge :${parent}\n`),
      '\n',
    );
  }
  work.gitWith({ input: commands.join('') }, 'fast-import', '--quiet', '--force');
  return Array.from({ length: size }, (_, i) => work.git('rev-parse', `refs/heads/c${i + 1}`));
}

function gitLog(work: WorkTree, query: CommitQuery): string[] {
  const flags = [`--max-count=${query.limit}`, `--skip=${query.offset ?? 0}`];
  if (query.since !== undefined) flags.push(`--max-age=${query.since}`);
  if (query.until !== undefined) flags.push(`--min-age=${query.until}`);
  if (query.firstParent) flags.push('--first-parent');
  if (query.order === 'topo') flags.push('--topo-order');
  const excluded = (query.exclude ?? []).map((oid) => `^${oid}`);
  return work
    .git('log', '--format=%H', ...flags, ...excluded, ...query.tips)
    .split('\n')
    .filter(Boolean);
}

for (const skew of [false, true]) {
  describe(`commits with ${skew ? 'skewed' : 'correct'} clocks`, () => {
    const work = new WorkTree();
    const git = createGit({ root: work.folder });
    const ids = history(work, 120, skew ? 5 : 3, skew);
    const objects = git.objects(work.repo);
    const fetch = async (oid: string) => (await objects.commit(oid)) ?? assert.fail(`no commit ${oid}`);
    after(() => {
      git.close();
      work.remove();
    });

    it('are listed in the order of git log', async () => {
      const next = random(skew ? 17 : 11);
      const pick = () => ids[next(ids.length)] ?? '';
      for (let round = 0; round < 120; round++) {
        const query: CommitQuery = {
          tips: Array.from({ length: 1 + next(3) }, pick),
          exclude: next(2) ? Array.from({ length: 1 + next(2) }, pick) : [],
          ...(next(3) === 0 && { since: 1_600_000_000 + next(4000) }),
          ...(next(3) === 0 && { until: 1_600_000_000 + next(4000) }),
          firstParent: next(4) === 0,
          offset: next(3) ? 0 : next(20),
          limit: 1 + next(60),
        };
        assert.deepEqual(await walk(fetch, query), gitLog(work, query), JSON.stringify(query));
      }
    });

    it('are listed for ranges', async () => {
      const next = random(23);
      for (let round = 0; round < 30; round++) {
        const [from = '', to = ''] = [ids[next(ids.length)], ids[next(ids.length)]];
        for (const dots of ['..', '...']) {
          const range = parseRange(`${from}${dots}${to}`) ?? assert.fail();
          const query = { ...(await rangeTips(objects, range)), limit: 1000 };
          const expected = work.git('log', '--format=%H', `${from}${dots}${to}`).split('\n').filter(Boolean);
          assert.deepEqual(await walk(fetch, query), expected, `${from}${dots}${to}`);
        }
      }
    });

    it('are the same from the object reader and from a process', async () => {
      const query: CommitQuery = { tips: [ids.at(-1) ?? ''], exclude: [ids[40] ?? ''], limit: 50, offset: 5 };
      assert.deepEqual(await listCommitIds(objects, query), gitLog(work, query));
      const long = { ...query, limit: 5000 };
      assert.deepEqual(await listCommitIds(objects, long), gitLog(work, long));
      const topo: CommitQuery = { ...query, order: 'topo' };
      assert.deepEqual(await listCommitIds(objects, topo), gitLog(work, topo));
    });
  });
}

describe('a revision range', () => {
  for (const [text, expected] of [
    ['a..b', { from: 'a', to: 'b', symmetric: false }],
    ['a...b', { from: 'a', to: 'b', symmetric: true }],
    ['a.b..c.d', { from: 'a.b', to: 'c.d', symmetric: false }],
    ['..b', { from: 'HEAD', to: 'b', symmetric: false }],
    ['a...', { from: 'a', to: 'HEAD', symmetric: true }],
    ['main', null],
    ['a....b', null],
    ['a..b..c', null],
    ['', null],
  ] as const) {
    it(`is parsed from ${JSON.stringify(text)}`, () => assert.deepEqual(parseRange(text), expected));
  }
});

describe('a list of commits', () => {
  const work = new WorkTree();
  const git = createGit({ root: work.folder });
  after(() => {
    git.close();
    work.remove();
  });

  it('uses a process for a long walk', async () => {
    const commands = Array.from({ length: 1500 }, (_, i) => {
      const from = i === 1499 ? 'from :1\nmerge :1499\n' : '';
      return `commit refs/heads/main\nmark :${i + 1}\ncommitter A <a@x> ${1_600_000_000 + i} +0000\ndata 1\nx\n${from}\n`;
    });
    work.gitWith({ input: commands.join('') }, 'fast-import', '--quiet');
    const tip = work.git('rev-parse', 'main');
    const root = work.git('rev-list', '--max-parents=0', 'main');
    const far: CommitQuery = { tips: [tip], exclude: [root], limit: 20, offset: 10 };
    assert.deepEqual(
      (await git.commits(work.repo, far)).map(({ oid }) => oid),
      gitLog(work, far),
    );
    const deep: CommitQuery = { tips: [tip], limit: 20, offset: 1200 };
    assert.deepEqual(
      (await git.commits(work.repo, deep)).map(({ oid }) => oid),
      gitLog(work, deep),
    );
  });

  it('is empty without tips or with limit 0', async () => {
    assert.deepEqual(await git.commits(work.repo, { tips: [], limit: 20 }), []);
    assert.deepEqual(await git.commits(work.repo, { tips: [work.git('rev-parse', 'main')], limit: 0 }), []);
  });
});
