import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DiffEntry, DiffParser, parseRawLine } from '../../../../src/platform/git/diff/parse.ts';

const A = 'a'.repeat(40);
const B = 'b'.repeat(40);
const Z = '0'.repeat(40);

function parse(text: string | Buffer, chunk: number, maxPatchBytes = 1 << 20, maxChanges = 100): DiffEntry[] {
  const bytes = Buffer.from(text as string);
  const parser = new DiffParser({ maxPatchBytes, maxChanges });
  const entries: DiffEntry[] = [];
  for (let i = 0; i < bytes.length; i += chunk) entries.push(...parser.push(bytes.subarray(i, i + chunk)));
  return [...entries, ...parser.end()];
}

const SAMPLE = [
  `:100644 100644 ${A} ${B} M\tone`,
  `:100644 100644 ${A} ${B} R090\told\t"new\\tname"`,
  `:120000 100644 ${A} ${B} T\ttype`,
  '',
  'diff --git a/one b/one',
  `index ${A}..${B} 100644`,
  '--- a/one',
  '+++ b/one',
  '@@ -1,2 +1,2 @@',
  '-diff --git a/x b/x',
  '+@@ not a hunk',
  ' same',
  '\\ No newline at end of file',
  'diff --git a/old "b/new\\tname"',
  'similarity index 90%',
  'rename from old',
  'rename to "new\\tname"',
  'diff --git a/type b/type',
  'deleted file mode 120000',
  '@@ -1 +0,0 @@',
  '-x',
  'diff --git a/type b/type',
  'new file mode 100644',
  'Binary files /dev/null and b/type differ',
  '',
].join('\n');

test('entries do not depend on how the output is split into chunks', () => {
  const whole = parse(SAMPLE, SAMPLE.length);
  assert.deepEqual(
    whole.map((e) => [e.oldPath, e.newPath, e.patch.toString(), e.additions, e.deletions, e.binary]),
    [
      [
        'one',
        'one',
        '@@ -1,2 +1,2 @@\n-diff --git a/x b/x\n+@@ not a hunk\n same\n\\ No newline at end of file\n',
        1,
        1,
        false,
      ],
      ['old', 'new\tname', '', 0, 0, false],
      ['type', 'type', '@@ -1 +0,0 @@\n-x\n', 0, 1, false],
      ['type', 'type', 'Binary files /dev/null and b/type differ\n', 0, 0, true],
    ],
  );
  for (const chunk of [1, 2, 3, 7, 16, 17, 64]) assert.deepEqual(parse(SAMPLE, chunk), whole, `chunks of ${chunk}`);
});

test('a patch over the limit is counted but not kept', () => {
  const line = `+${'x'.repeat(5000)}\n`;
  const head = `:000000 100644 ${Z} ${B} A\tf\n\ndiff --git a/f b/f\nnew file mode 100644\n@@ -0,0 +1,100 @@\n`;
  const [entry] = parse(head + line.repeat(100), 999, 10_000);
  assert.ok(entry);
  assert.equal(entry.patch.length, 0);
  assert.equal(entry.patchLines, 101);
  assert.equal(entry.patchBytes, 100 * line.length + '@@ -0,0 +1,100 @@\n'.length);
  assert.equal(entry.additions, 100);
});

test('changes beyond the limit are not returned', () => {
  let text = '';
  for (let i = 0; i < 10; i++) text += `:000000 100644 ${Z} ${B} A\t${i}\n`;
  text += '\n';
  for (let i = 0; i < 10; i++) text += `diff --git a/${i} b/${i}\n@@ -0,0 +1 @@\n+${i}\n`;
  const parser = new DiffParser({ maxPatchBytes: 100, maxChanges: 4 });
  const entries = parser.push(Buffer.from(text));
  assert.deepEqual(
    entries.map((e) => e.patch.toString().slice(-2)),
    ['0\n', '1\n', '2\n', '3\n'],
  );
  assert.equal(parser.overrun, true);
});

test('a malformed raw line yields nothing', () => {
  for (const line of ['', ':', ':100644 x', `:100644 100644 ${A} ${B} M`, 'garbage\n']) {
    assert.deepEqual(parseRawLine(line), [], line);
  }
  assert.equal(parseRawLine(`:100644 100644 ${A} ${B} M\t"broken`)[0]?.newPath, '"broken');
});
