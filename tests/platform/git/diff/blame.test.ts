import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { BlameRanges, blame, blameKey } from '../../../../src/platform/git/diff/blame.ts';
import { GitError } from '../../../../src/platform/git/process/command.ts';
import { WorkTree } from '../work-tree.ts';

const work = new WorkTree();
let one = '';
let two = '';
let three = '';

before(() => {
  one = work.commit(
    { 'f[1].txt': 'a\nb\n\nd\r\n', empty: '', bin: Buffer.from([0, 10, 0xff, 10]) },
    `${'a'.repeat(40)} 1 1 1`,
  );
  two = work.commit({ 'f[1].txt': 'a\nB\n\nd\r\n' });
  three = work.commit({ 'f[1].txt': `a\nB\n\nd\r\n\t${one} 1 1\nend` });
});
after(() => work.remove());

test('consecutive lines of the same commit form one range', async () => {
  assert.deepEqual(await blame(work.repo, { commit: three, path: 'f[1].txt' }), [
    { commit: one, lines: ['a'] },
    { commit: two, lines: ['B'] },
    { commit: one, lines: ['', 'd\r'] },
    { commit: three, lines: [`\t${one} 1 1`, 'end'] },
  ]);
});

test('ranges limit the lines, and are empty beyond the end of the file', async () => {
  const at = (start: number, end: number) =>
    blame(work.repo, { commit: three, path: 'f[1].txt', range: { start, end } });
  assert.deepEqual(await at(2, 3), [
    { commit: two, lines: ['B'] },
    { commit: one, lines: [''] },
  ]);
  assert.deepEqual((await at(6, 1_000_000)).length, 1);
  assert.deepEqual(await at(7, 9), []);
  assert.deepEqual(await at(700, 900), []);
  assert.deepEqual(await blame(work.repo, { commit: one, path: 'empty', range: { start: 1, end: 2 } }), []);
  assert.deepEqual(await blame(work.repo, { commit: one, path: 'empty' }), []);
});

test('lines that are not UTF-8 are decoded as Latin-1', async () => {
  assert.deepEqual(await blame(work.repo, { commit: one, path: 'bin' }), [{ commit: one, lines: ['\0', 'ÿ'] }]);
});

test('a missing path, an unknown commit and an option are rejected', async () => {
  await assert.rejects(blame(work.repo, { commit: one, path: 'none' }), GitError);
  await assert.rejects(blame(work.repo, { commit: 'f'.repeat(40), path: 'empty' }), GitError);
  await assert.rejects(blame(work.repo, { commit: '--contents=/etc/passwd', path: 'empty' }), {
    name: 'GitArgumentError',
  });
  await assert.rejects(blame(work.repo, { commit: one, path: '../../etc/passwd' }), GitError);
  await assert.rejects(blame(work.repo, { commit: one, path: 'bin' }, { maxOutputBytes: 10 }), { truncated: true });
});

test('keys differ for different queries', () => {
  const keys = [
    { commit: one, path: 'a' },
    { commit: one, path: 'a', range: { start: 1, end: 2 } },
    { commit: one, path: 'b' },
    { commit: two, path: 'a' },
  ].map(blameKey);
  assert.equal(new Set(keys).size, keys.length);
});

test('lines of the same commit in separate groups are joined', () => {
  const ranges = new BlameRanges();
  for (const line of [`${one} 1 1 2`, 'author x', '\ta', `${one} 2 2`, '\tb']) ranges.push(Buffer.from(line));
  assert.deepEqual(ranges.result, [{ commit: one, lines: ['a', 'b'] }]);
});
