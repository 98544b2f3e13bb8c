import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { followedIds } from '../../../../src/platform/git/history/follow.ts';
import { WorkTree } from '../work-tree.ts';

const work = new WorkTree();
after(() => work.remove());

const names = ['a', 'b', 'd/a', 'd/b', 'e'];

/** Generates files that are changed, renamed, copied, deleted and created again, on branches that are merged. */
function history(seed: number, size: number): string {
  let state = seed;
  const next = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >> 8) % below;
  };
  const name = () => names[next(names.length)] as string;
  const text = (mark: number) =>
    Array.from({ length: 12 }, (_, i) => `line ${i} of ${i === 5 ? mark : seed}\n`).join('');
  let input = '';
  for (let i = 1; i <= size; i++) {
    const parents = new Set<number>();
    for (let p = 0; p < (i === 1 ? 0 : ([1, 1, 1, 2][next(4)] ?? 1)); p++) parents.add(Math.max(1, i - 1 - next(4)));
    const [from, ...merges] = parents;
    const author = next(3) === 0 ? 'bob' : 'ann';
    input += `commit refs/heads/s${seed}\nmark :${i}\nauthor ${author} <${author}@x> ${1_600_000_000 + i} +0000\n`;
    input += `committer C <c@x> ${1_600_000_000 + i + next(3)} +0000\ndata 1\nx\n`;
    if (from) input += `from :${from}\n`;
    for (const parent of merges) input += `merge :${parent}\n`;
    const kind = next(8);
    const content = text(next(1000));
    const [one, two] = [name(), name()];
    if (i > 1 && kind === 0) input += `D ${one}\n`;
    // Only existing files can be moved, so it is created first.
    else if (i > 1 && kind === 1 && one !== two)
      input += `M 100644 inline ${one}\ndata ${content.length}\n${content}\nR ${one} ${two}\n`;
    else if (i > 1 && kind === 2 && one !== two)
      input += `M 100644 inline ${one}\ndata ${content.length}\n${content}\nC ${one} ${two}\n`;
    else input += `M 100644 inline ${one}\ndata ${content.length}\n${content}\n`;
    input += '\n';
  }
  work.gitWith({ input }, 'fast-import', '--quiet', '--force');
  return `s${seed}`;
}

const expected = (...args: string[]) =>
  work
    .git('log', '--follow', '--format=%H', ...args)
    .split('\n')
    .filter(Boolean);

describe('the history of a file under all its names', () => {
  it('equals git log --follow in tangled histories, with and without a commit-graph', async () => {
    let renames = 0;
    for (let seed = 1; seed <= 6; seed++) {
      const tip = history(seed, 40);
      if (seed % 2 === 0) work.git('commit-graph', 'write', '--reachable', '--changed-paths');
      for (const path of names) {
        const all = expected(tip, '--', path);
        const simple = work
          .git('rev-list', '--full-history', '--no-merges', tip, '--', path)
          .split('\n')
          .filter(Boolean);
        if (all.length > simple.length) renames++;
        assert.deepEqual(await followedIds(work.repo, { revisions: [tip], path }, 1000), all, `${path} at ${tip}`);
        assert.deepEqual(await followedIds(work.repo, { revisions: [tip], path }, 3), all.slice(0, 3));
      }
    }
    assert.ok(renames > 3, `${renames}`);
  });

  for (const [filter, query, args] of [
    ['of an author', { author: 'bob' }, ['--author=bob']],
    ['in topological order', { order: 'topo' }, ['--topo-order']],
    ['since a date', { since: 1_600_000_012_000 }, ['--since=1600000012']],
    ['until a date', { until: 1_600_000_025_000 }, ['--until=1600000025']],
    ['along first parents', { firstParent: true }, ['--first-parent']],
  ] as const) {
    it(`equals git log --follow when listed ${filter}`, async () => {
      for (let seed = 30; seed <= 31; seed++) {
        const tip = history(seed, 40);
        for (const path of names) {
          const found = await followedIds(work.repo, { revisions: [tip], path, ...query }, 1000);
          assert.deepEqual(found, expected(...args, tip, '--', path), `${path} at ${tip}`);
        }
      }
    });
  }

  it('excludes commits reachable from another commit', async () => {
    const tip = history(50, 40);
    const from = work.git('rev-parse', `${tip}~6`);
    for (const path of names) {
      const found = await followedIds(work.repo, { revisions: [tip, `^${from}`], path }, 1000);
      assert.deepEqual(found, expected(tip, `^${from}`, '--', path));
    }
  });
});
