import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generatedFiles, hasGeneratedName } from '../../../../src/platform/git/diff/generated.ts';

test('well-known file names count as generated', () => {
  for (const path of ['package-lock.json', 'a/b/yarn.lock', 'x.min.js', 'api/v1.pb.go', 'node_modules/a/index.js']) {
    assert.equal(hasGeneratedName(path), true, path);
  }
  for (const path of ['package.json', 'lock', 'min.js', 'node_modules', 'src/a.ts']) {
    assert.equal(hasGeneratedName(path), false, path);
  }
});

test('attributes take precedence over names', async () => {
  const attributes = '*.out linguist-generated\nyarn.lock -linguist-generated\n*.x linguist-generated=false\n';
  let reads = 0;
  const generated = generatedFiles(async (path) => {
    reads++;
    return path === '.gitattributes' ? Buffer.from(attributes) : undefined;
  });
  const verdicts = await Promise.all(
    ['a.out', 'yarn.lock', 'go.sum', 'b.x', 'plain', 'sub/c.out'].map((newPath) => generated({ newPath })),
  );
  assert.deepEqual(verdicts, [true, false, true, false, false, true]);
  assert.equal(reads, 2, 'each attributes file is read once');
});
