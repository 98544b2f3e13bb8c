import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  applyDiffLimits,
  type DiffLimitOptions,
  type LimitedDiffEntry,
} from '../../../../src/platform/git/diff/limits.ts';
import type { DiffEntry } from '../../../../src/platform/git/diff/parse.ts';

const KIB = 1024;

function file(bytes: number, lines = 1, extra: Partial<DiffEntry> = {}): DiffEntry {
  return {
    oldPath: 'f',
    newPath: 'f',
    oldMode: '100644',
    newMode: '100644',
    oldId: '',
    newId: '',
    newFile: false,
    deletedFile: false,
    renamedFile: false,
    patch: Buffer.from('x'),
    patchBytes: bytes,
    patchLines: lines,
    additions: 0,
    deletions: 0,
    binary: false,
    ...extra,
  };
}

async function verdicts(entries: DiffEntry[], options: DiffLimitOptions): Promise<[string[], boolean]> {
  const limited = applyDiffLimits(entries, options);
  const words: string[] = [];
  const word = (e: LimitedDiffEntry) => (e.tooLarge ? 'too_large' : e.collapsed ? 'collapsed' : 'shown');
  for (;;) {
    const step = await limited.next();
    if (step.done) return [words, step.value.overflow];
    const entry = step.value;
    assert.equal(entry.patch.length === 0, word(entry) !== 'shown');
    words.push(word(entry));
  }
}

const count = (words: string[], word: string) => words.filter((w) => w === word).length;

test('a single patch is shown, collapsed or too large depending on its size', async () => {
  const pair = (bytes: number) => [file(bytes), file(1)];
  const cases: [DiffEntry[], boolean, string][] = [
    [pair(20 * KIB - 1), false, 'shown'],
    [pair(20 * KIB), false, 'collapsed'],
    [pair(20 * KIB), true, 'shown'],
    [pair(200 * KIB - 1), true, 'shown'],
    [pair(200 * KIB), true, 'too_large'],
    [pair(200 * KIB), false, 'too_large'],
    [[file(20 * KIB)], false, 'shown'],
    [[file(20 * KIB, 1, { binary: true })], false, 'collapsed'],
    [[file(200 * KIB)], false, 'too_large'],
    [[file(0, 0), file(0, 0)], false, 'shown'],
  ];
  for (const [entries, expanded, expected] of cases) {
    assert.equal((await verdicts(entries, { expanded }))[0][0], expected, `${entries[0]?.patchBytes} ${expanded}`);
  }
});

test('running totals collapse later files with text', async () => {
  const [byFiles] = await verdicts(
    Array.from({ length: 105 }, () => file(10)),
    { expanded: false },
  );
  assert.equal(count(byFiles, 'shown'), 100);
  assert.equal(count(byFiles, 'collapsed'), 5);
  const [byLines] = await verdicts([file(10, 5000), file(10, 1), file(10, 1), file(0, 0)], { expanded: false });
  assert.deepEqual(byLines, ['shown', 'shown', 'collapsed', 'shown']);
  const [byBytes] = await verdicts([...Array.from({ length: 28 }, () => file(19 * KIB))], { expanded: false });
  assert.equal(byBytes.indexOf('collapsed'), Math.ceil((500 * KIB) / (19 * KIB)));
});

test('the list ends at the limits', async () => {
  const options = { expanded: true };
  const [many, cut] = await verdicts(
    Array.from({ length: 1001 }, () => file(1)),
    options,
  );
  assert.deepEqual([many.length, cut], [1000, true]);
  assert.deepEqual(
    (
      await verdicts(
        Array.from({ length: 1000 }, () => file(1)),
        options,
      )
    )[1],
    false,
  );
  assert.deepEqual(await verdicts([file(1, 49_999), file(1, 1), file(1)], options), [['shown'], true]);
  const [big, over] = await verdicts(
    Array.from({ length: 60 }, () => file(100 * KIB)),
    options,
  );
  assert.deepEqual([big.length, over], [49, true]);
});

test('generated files are collapsed unless expanded', async () => {
  const isGenerated = () => true;
  assert.deepEqual((await verdicts([file(1), file(1)], { expanded: false, isGenerated }))[0], [
    'collapsed',
    'collapsed',
  ]);
  assert.deepEqual((await verdicts([file(1), file(1)], { expanded: true, isGenerated }))[0], ['shown', 'shown']);
});
