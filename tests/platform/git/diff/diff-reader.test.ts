import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { limitedDiff } from '../../../../src/platform/git/diff/diff.ts';
import { DIFF_LIMITS } from '../../../../src/platform/git/diff/limits.ts';
import { createGit } from '../../../../src/platform/git/git.ts';
import { MarkedOutput } from '../../../../src/platform/git/process/marked-output.ts';
import { EMPTY_TREE } from '../../../../src/platform/git/trees/tree.ts';
import { WorkTree } from '../work-tree.ts';

describe('marked output', () => {
  const text = 'a b\nfirst\n+mark\nmark \nlast\nmark\n';
  const cut = (pieces: readonly string[], first = 'a b') => {
    const output = new MarkedOutput(first, 'mark');
    let found = '';
    let done = false;
    for (const piece of pieces) {
      assert.equal(done, false);
      const step = output.push(Buffer.from(piece));
      found += step.bytes.toString();
      done = step.done;
    }
    return done ? found : undefined;
  };

  it('does not depend on how it is split into chunks', () => {
    for (let one = 0; one <= text.length; one++) {
      for (let two = one; two <= text.length; two++) {
        const pieces = [text.slice(0, one), text.slice(one, two), text.slice(two)].filter(Boolean);
        assert.equal(cut(pieces), 'first\n+mark\nmark \nlast\n');
      }
    }
    assert.equal(cut([...text]), 'first\n+mark\nmark \nlast\n');
  });

  it('may be empty, and rejects an unexpected first line', () => {
    assert.equal(cut(['a b\nmark\n']), '');
    assert.equal(cut([...'a b\nmark\n']), '');
    assert.equal(cut(['a b\nmark']), undefined);
    assert.throws(() => cut(['mark\n']));
    assert.throws(() => cut(['a b\nmark\n'], 'a c'));
  });
});

describe('comparisons by a long-lived process', () => {
  const work = new WorkTree();
  const git = createGit({ root: work.folder });
  after(() => {
    git.close();
    work.remove();
  });
  const lines = (mark: number) => Array.from({ length: 30 }, (_, i) => `line ${i === 7 ? mark : i}\n`).join('');
  const commits = Array.from({ length: 8 }, (_, i) =>
    work.commit({ [`f${i}`]: lines(i), 'always.txt': lines(i), [`f${i - 3}`]: null, bin: Buffer.from([0, i]) }),
  );
  const limits = { expanded: true };
  const started = () => git.counters().diffReaders.started;
  const spawned = () => git.counters().processes.work.started;

  it('have the same results as one process per comparison', async () => {
    const before = spawned();
    for (const [i, to] of commits.entries()) {
      for (const from of [undefined, ...commits.slice(0, i + 1)]) {
        assert.deepEqual(
          await git.diff(work.repo, { from, to }, limits),
          await limitedDiff(work.repo, { from, to }, limits),
          `${from} ${to}`,
        );
      }
    }
    assert.deepEqual(
      [started(), spawned() - before],
      [1, 44],
      'one long-lived process; the others come from limitedDiff here',
    );
    const tree = work.git('rev-parse', `${commits[3]}^{tree}`);
    const { entries } = await git.diff(work.repo, { from: tree, to: EMPTY_TREE }, limits);
    assert.ok(entries.length > 0 && entries.every((entry) => entry.deletedFile));
  });

  it('use extra processes when the long-lived ones are busy', async () => {
    const [from, to] = [commits[0] ?? '', commits[5] ?? ''];
    const expected = await limitedDiff(work.repo, { from, to }, limits);
    const found = await Promise.all(Array.from({ length: 6 }, () => git.diff(work.repo, { from, to }, limits)));
    for (const one of found) assert.deepEqual(one, expected);
    assert.ok(started() <= 2);
  });

  it('leave nothing behind for the next one when aborted', async () => {
    const [from, to] = [commits[0] ?? '', commits[7] ?? ''];
    const few = await git.diff(work.repo, { from, to }, { ...limits, limits: { ...DIFF_LIMITS, files: 1 } });
    assert.equal(few.overflow, true);
    const aborted = git.diff(work.repo, { from, to }, limits, { signal: AbortSignal.abort() });
    await assert.rejects(aborted, { name: 'GitError', aborted: true });
    const leaving = new AbortController();
    const left = git.diff(work.repo, { from, to }, limits, { signal: leaving.signal });
    leaving.abort();
    await assert.rejects(left, { name: 'GitError', aborted: true });
    await assert.rejects(git.diff(work.repo, { from: commits[0], to: '1'.repeat(40) }, limits), { name: 'GitError' });
    assert.deepEqual(
      await git.diff(work.repo, { from, to }, limits),
      await limitedDiff(work.repo, { from, to }, limits),
    );
  });

  it('see objects written and repacked meanwhile, and end with the repository', async () => {
    const next = work.commit({ 'late.txt': 'late\n' });
    work.git('repack', '-a', '-d', '-q');
    const { entries } = await git.diff(work.repo, { from: commits[7], to: next }, limits);
    assert.deepEqual(
      entries.map((entry) => entry.newPath.toString()),
      ['late.txt'],
    );
    git.release(work.repo);
    assert.equal(git.counters().diffReaders.processes, 0);
    const again = await git.diff(work.repo, { from: commits[7], to: next }, limits);
    assert.deepEqual(again.entries, entries);
  });

  it('continue when the process is replaced after many comparisons', async () => {
    const [from, to] = [commits[1] ?? '', commits[2] ?? ''];
    const expected = await limitedDiff(work.repo, { from, to }, limits);
    for (let i = 0; i < 205; i++) assert.deepEqual(await git.diff(work.repo, { from, to }, limits), expected);
  });
});
