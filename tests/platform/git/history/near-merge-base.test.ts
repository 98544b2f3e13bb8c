import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { createGit, type Git } from '../../../../src/platform/git/git.ts';
import { nearMergeBase } from '../../../../src/platform/git/history/near-merge-base.ts';
import { createCommit } from '../../../../src/platform/git/objects/commit-write.ts';
import { run } from '../../../../src/platform/git/process/command.ts';
import type { Repository } from '../../../../src/platform/git/repository.ts';
import { EMPTY_TREE } from '../../../../src/platform/git/trees/tree.ts';
import fc from '../../../support/properties.ts';

const root = mkdtempSync(join(tmpdir(), 'hearth-merge-base-'));
let git: Git;
let repo: Repository;

before(async () => {
  git = createGit({ root });
  repo = await git.create(1, { defaultBranch: 'main' });
});
after(() => {
  git.close();
  rmSync(root, { recursive: true, force: true });
});

let count = 0;

/** Writes commits with their parents given as indexes into the list; dates may run backwards. */
async function history(shape: readonly (readonly number[])[], dates: readonly number[]): Promise<string[]> {
  const writer = git.writer(repo);
  await writer.add('tree', Buffer.alloc(0));
  const ids: string[] = [];
  for (const [i, parents] of shape.entries()) {
    const identity = { name: 'a', email: 'a@b.c', seconds: 1_000_000 + (dates[i] ?? i), zone: 0 };
    ids.push(
      await createCommit(writer, {
        tree: EMPTY_TREE,
        parents: parents.flatMap((at) => ids[at] ?? []),
        author: identity,
        committer: identity,
        message: `commit ${count++}`,
      }),
    );
  }
  await writer.flush();
  return ids;
}

async function allBases(one: string, two: string): Promise<string[]> {
  const command = { name: 'merge-base', flags: ['--all'], args: [one, two] } as const;
  const { stdout } = await run(repo, command, { okCodes: [0, 1] });
  return stdout.toString().split('\n').filter(Boolean);
}

it('nearMergeBase returns the same as git for random histories', async () => {
  const shape = fc.array(fc.array(fc.nat(20), { maxLength: 3 }), { minLength: 2, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(shape, async (drawn) => {
      const parents = drawn.map((each, i) =>
        [...new Set(each.map((at) => at % Math.max(i, 1)))].filter((at) => at < i),
      );
      const ids = await history(
        parents,
        parents.map((_, i) => i * 10),
      );
      const [one, two] = [ids.at(-1) as string, ids.at(-2) as string];
      const expected = await allBases(one, two);
      const found = await nearMergeBase(git.objects(repo), one, two);
      assert.equal(found, expected.length > 1 ? undefined : (expected[0] ?? null));
    }),
    { numRuns: 40 },
  );
});

it('nearMergeBase leaves distant merge bases to git', async () => {
  const long = Array.from({ length: 1100 }, (_, i) => (i === 0 ? [] : [i - 1]));
  const ids = await history([...long, [0]], []);
  assert.equal(await nearMergeBase(git.objects(repo), ids[1099] as string, ids[1100] as string), undefined);
  assert.equal(await nearMergeBase(git.objects(repo), ids[1099] as string, ids[1098] as string), ids[1098]);
});

it('nearMergeBase returns a commit itself when both are equal', async () => {
  const [id = ''] = await history([[]], []);
  assert.equal(await nearMergeBase(git.objects(repo), id, id), id);
});
