import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { type ReadFile, TreeAttributes } from '../../../../src/platform/git/trees/attributes.ts';
import { attributePattern, matchesPattern } from '../../../../src/platform/git/trees/attributes-pattern.ts';

const files = (tree: Record<string, string>): ReadFile => {
  return async (path) => (tree[path] === undefined ? undefined : Buffer.from(tree[path]));
};

const PATTERNS = [
  '*.bin',
  '*',
  'a/*.bin',
  '/top.bin',
  'a/**',
  '**/x.bin',
  'a/**/x.bin',
  '**/b/**',
  'we?rd',
  '[a-c]*',
  '[!a-c]*',
  '[[:upper:]]*',
  '"quo\\ted \\303\\251"',
  '\\*star',
  'dir/',
  'a\\/b',
  '!neg',
  '[]x]',
  '[x',
  'a**b',
  '**',
  'é*',
  'sp ace',
];
const PATHS = [
  'x.bin',
  'top.bin',
  'a/x.bin',
  'a/b/x.bin',
  'a/b/c/x.bin',
  'b/top.bin',
  'weird',
  'c',
  'Zed',
  '*star',
  'dir',
  'dir/f',
  'quo\ted é',
  ']',
  'x',
  '[x',
  'ab',
  'aXXb',
  'a/b',
  'été',
  'b/b/b',
  'neg',
];

test('patterns match the same paths as in git', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'attributes-'));
  try {
    execFileSync('git', ['init', '-q', dir]);
    for (const pattern of PATTERNS) {
      const content = `${pattern} filter=lfs\n`;
      writeFileSync(join(dir, '.gitattributes'), content);
      const answer = execFileSync('git', ['-C', dir, 'check-attr', '-z', '--stdin', 'filter'], {
        input: PATHS.map((path) => `${path}\0`).join(''),
      });
      const fields = answer.toString().split('\0');
      for (const [i, path] of PATHS.entries()) {
        const expected = fields[i * 3 + 2] === 'lfs';
        const found = await new TreeAttributes(files({ '.gitattributes': content })).of(path);
        assert.equal(found.get('filter') === 'lfs', expected, `${pattern} on ${path}`);
      }
    }
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test('nearer files and later lines take precedence, and macros are expanded', async () => {
  const tree: Record<string, string> = {
    '.gitattributes': '[attr]big filter=lfs diff=lfs -text\n*.psd big\n*.txt text eol=lf\n*.png binary\n# no\n\n x\n',
    'a/.gitattributes': 'keep.psd !filter\n[attr]evil filter=lfs\n*.e evil\n',
    'a/b/.gitattributes': 'keep.psd filter=lfs\nkeep.psd -filter\n',
  };
  const dir = mkdtempSync(join(tmpdir(), 'attributes-'));
  try {
    execFileSync('git', ['init', '-q', dir]);
    for (const [path, content] of Object.entries(tree)) {
      mkdirSync(dirname(join(dir, path)), { recursive: true });
      writeFileSync(join(dir, path), content);
    }
    for (const path of ['x.psd', 'a/keep.psd', 'a/other.psd', 'a/b/keep.psd', 'n.txt', 'p.png', 'a/x.e', 'none']) {
      const answer = execFileSync('git', ['-C', dir, 'check-attr', '-z', 'filter', 'text', 'eol', 'diff', '--', path]);
      const fields = answer.toString().split('\0');
      const attributes = await new TreeAttributes(files(tree)).of(path);
      for (let i = 0; i + 2 < fields.length; i += 3) {
        const value = attributes.get(fields[i + 1] ?? '');
        const text = value === undefined ? 'unspecified' : value === true ? 'set' : value === false ? 'unset' : value;
        assert.equal(text, fields[i + 2], `${fields[i + 1]} of ${path}`);
      }
    }
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test('a malicious pattern takes no exponential time', () => {
  const name = attributePattern(`${'a*'.repeat(200)}b`);
  const folders = attributePattern(`${'**/a/'.repeat(200)}b`);
  assert.ok(name && folders);
  assert.equal(matchesPattern(name, 'a'.repeat(4000)), false);
  assert.equal(matchesPattern(folders, Array(2000).fill('a').join('/')), false);
});
