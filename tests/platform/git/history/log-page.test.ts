import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createGit } from '../../../../src/platform/git/git.ts';
import type { WithProcessSlot } from '../../../../src/platform/git/history/log.ts';
import { logPage } from '../../../../src/platform/git/history/log-page.ts';
import { WorkTree } from '../work-tree.ts';

const work = new WorkTree();
const git = createGit({ root: work.folder });
after(() => {
  git.close();
  work.remove();
});

let turns = 0;
const slowly: WithProcessSlot = (read) => {
  turns += 1;
  return read({});
};
const processes = () => git.counters().processes.work.started;

describe('a page of a log', () => {
  const root = work.commit({ a: 'some text\n'.repeat(9), b: 'b' });
  const changes = Array.from({ length: 5 }, (_, i) => work.commit({ a: 'some text\n'.repeat(9) + i }));
  const objects = git.objects(work.repo);
  const page = (tip: string, offset: number, limit: number, follow = true) =>
    logPage(objects, { revisions: [tip], path: 'a', follow }, { offset, limit }, slowly);

  it('is read by one process and cached', async () => {
    const all = [...changes.toReversed(), root];
    const tip = changes.at(-1) ?? '';
    const before = [processes(), turns] as const;
    for (let round = 0; round < 3; round++) {
      assert.deepEqual(await page(tip, 0, 20), all);
      assert.deepEqual(await page(tip, 2, 2), all.slice(2, 4));
      assert.deepEqual(await page(tip, 2, 2, false), all.slice(2, 4));
    }
    assert.deepEqual([processes() - before[0], turns - before[1]], [3, 3]);
  });

  it('changes when the branch moves', async () => {
    const next = work.commit({ a: null, 'new name': 'some text\n'.repeat(9) });
    const renamed = logPage(
      objects,
      { revisions: [next], path: 'new name', follow: true },
      { offset: 0, limit: 3 },
      slowly,
    );
    assert.deepEqual(await renamed, [next, changes[4], changes[3]]);
    assert.deepEqual(await page(next, 0, 2), [next, changes[4]]);
  });

  it('is not cached for all refs', async () => {
    const newest = () => logPage(objects, { all: true, path: 'b' }, { offset: 0, limit: 1 }, slowly);
    assert.deepEqual(await newest(), [root]);
    const next = work.commit({ b: 'other' });
    assert.deepEqual(await newest(), [next]);
  });

  it('is not read again by requests that waited for the same page', async () => {
    let last = Promise.resolve();
    const inTurn: WithProcessSlot = (read) => {
      const turn = last.then(() => read({}));
      last = turn.then(() => {});
      return turn;
    };
    const query = { revisions: [root], path: 'b' };
    const before = processes();
    const found = await Promise.all([1, 2, 3].map(() => logPage(objects, query, { offset: 0, limit: 9 }, inTurn)));
    assert.deepEqual([found, processes() - before], [[[root], [root], [root]], 1]);
  });
});
