import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDotGit, type PathProblem, pathProblem } from '../../../../src/platform/git/trees/path.ts';

describe('pathProblem', () => {
  const paths: [string, PathProblem | null][] = [
    ['a', null],
    ['a/b c/d.txt', null],
    ['-a', null],
    ['*', null],
    ['a\\b', null],
    ['...', null],
    ['a/..b', null],
    ['.gitignore', null],
    ['.github/x', null],
    ['.gitmodules', null],
    ['git~2', null],
    ['.git2', null],
    ['日本/ü', null],
    ['', 'empty'],
    ['/', 'absolute'],
    ['/etc/passwd', 'absolute'],
    ['a//b', 'empty-segment'],
    ['a/', 'empty-segment'],
    ['..', 'traversal'],
    ['.', 'traversal'],
    ['a/../b', 'traversal'],
    ['a/./b', 'traversal'],
    ['a\\..\\b', 'traversal'],
    ['a\0b', 'control-character'],
    ['a\nb', 'control-character'],
    ['.git', 'dot-git'],
    ['.git/config', 'dot-git'],
    ['a/.GIT/config', 'dot-git'],
    ['a/.Git', 'dot-git'],
    ['.g\u200cit/x', 'dot-git'],
    ['.git\u200d', 'dot-git'],
    ['\ufeff.git', 'dot-git'],
    ['git~1', 'dot-git'],
    ['GIT~1/x', 'dot-git'],
    ['.git.', 'dot-git'],
    ['.git ', 'dot-git'],
    ['.git. .', 'dot-git'],
    ['.git::$INDEX_ALLOCATION', 'dot-git'],
    ['.git:x', 'dot-git'],
    ['.git\\x', 'dot-git'],
    ['x\\.git', 'dot-git'],
    ['a'.repeat(256), 'too-long'],
    [`${'a/'.repeat(255)}a`, null],
    [`${'a/'.repeat(256)}a`, 'too-deep'],
    [`${'abcdefg/'.repeat(600)}a`, 'too-long'],
  ];
  for (const [path, problem] of paths) {
    it(`${JSON.stringify(path.slice(0, 40))}: ${problem ?? 'valid'}`, () => assert.equal(pathProblem(path), problem));
  }

  it('isDotGit recognises aliases of .git only', () => {
    assert.equal(isDotGit('.git'), true);
    assert.equal(isDotGit('xgit~1'), false);
  });
});
