import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { commitIds } from '../../../../src/platform/git/history/log.ts';
import { run } from '../../../../src/platform/git/process/command.ts';
import { installHooks } from '../../../../src/platform/git/transport/hooks.ts';
import { housekeep } from '../../../../src/platform/git/upkeep/housekeeping.ts';
import { GitServer } from '../git-server.ts';
import { WorkTree } from '../work-tree.ts';

const execute = promisify(execFile);
const PUSHES = 15;

test('pushes and reads continue during a full repack', async () => {
  const work = new WorkTree();
  const server = new GitServer(work.repo, await installHooks(join(work.folder, 'run')));
  try {
    for (let i = 0; i < 5; i++) work.commit({ [`f${i}`]: `${i}\n` });
    const url = await server.listen();
    const clone = join(work.folder, 'clone');
    await execute('git', ['clone', '-q', url, clone]);
    const pushed: string[] = [];
    let pushing = true;
    const push = async () => {
      const git = (...args: string[]) => {
        return execute('git', ['-c', 'user.name=A', '-c', 'user.email=a@e', ...args], { cwd: clone });
      };
      for (let i = 0; i < PUSHES; i++) {
        writeFileSync(join(clone, 'pushed'), `${i}\n`);
        await git('add', 'pushed');
        await git('commit', '-q', '-m', `${i}`);
        await git('push', '-q', 'origin', `HEAD:refs/heads/b${i}`);
        // Deletes every other branch again, so that there are unreachable objects.
        if (i % 2) await git('push', '-q', 'origin', `:refs/heads/b${i - 1}`);
        pushed.push((await git('rev-parse', 'HEAD')).stdout.trim());
      }
      pushing = false;
    };
    const runHousekeeping = async () => {
      while (pushing) {
        await housekeep(work.repo, { actions: ['pack-refs', 'full-repack', 'commit-graph'] });
        await housekeep(work.repo, { actions: ['geometric-repack'] });
      }
    };
    const read = async () => {
      while (pushing) {
        const [id = ''] = await commitIds(work.repo, { revisions: ['main'], limit: 1 });
        await run(work.repo, { name: 'cat-file', args: ['commit', id] });
      }
    };
    await Promise.all([push(), runHousekeeping(), read()]);
    work.git('fsck', '--strict', '--full');
    for (const id of pushed) work.git('cat-file', '-e', id);
    assert.equal(work.git('rev-parse', `b${PUSHES - 1}`), pushed.at(-1));
  } finally {
    server.close();
    work.remove();
  }
});
