import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, describe, it } from 'node:test';
import { GitError, run } from '../../../../src/platform/git/process/command.ts';
import { limitGitMemory } from '../../../../src/platform/git/process/process.ts';
import { WorkTree } from '../work-tree.ts';

const work = new WorkTree();
work.commit({ 'a.txt': 'one\n' });
const { repo } = work;
after(() => {
  limitGitMemory(0);
  work.remove();
});

/** Builds eleven trees of ten entries each that represent ten billion files. */
function bomb(): string {
  const git = (args: string[], input: string) =>
    execFileSync('git', ['-C', repo.path, ...args], { input, encoding: 'utf8' }).trim();
  let kind = '100644 blob';
  let oid = git(['hash-object', '-w', '--stdin'], 'boom\n');
  for (let level = 0; level < 10; level += 1) {
    const entries = Array.from({ length: 10 }, (_, n) => `${kind} ${oid}\tf${n}\n`);
    oid = git(['mktree'], entries.join(''));
    kind = '040000 tree';
  }
  return oid;
}

describe('memory of a git process', () => {
  it('is limited, so that a tree bomb ends only the git process', async () => {
    limitGitMemory(64 * 1024 * 1024);
    const empty = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
    const compare = run(repo, { name: 'diff-tree', flags: ['-r', '--raw', '-M'], args: [empty, bomb()] });
    await assert.rejects(compare, (error) => error instanceof GitError && error.outOfMemory && !error.timedOut);
    const { stdout } = await run(repo, { name: 'ls-tree', flags: ['-r'], args: ['HEAD'] });
    assert.match(stdout.toString(), /a\.txt/);
  });

  it('does not change the error when git is missing', async () => {
    const { PATH } = process.env;
    process.env.PATH = '/nowhere';
    try {
      const missing = run(repo, { name: 'ls-tree', args: ['HEAD'] });
      await assert.rejects(missing, (error) => error instanceof GitError && error.unavailable);
    } finally {
      process.env.PATH = PATH;
    }
  });
});
