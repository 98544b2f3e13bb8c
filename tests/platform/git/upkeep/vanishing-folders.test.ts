import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { ObjectWriter } from '../../../../src/platform/git/objects/writer.ts';
import { installHooks } from '../../../../src/platform/git/transport/hooks.ts';
import { GitServer } from '../git-server.ts';
import { WorkTree } from '../work-tree.ts';

const execute = promisify(execFile);

// Removes empty folders as a repack does, continuously.
const REMOVE_EMPTY = `
const { rmdirSync } = require('node:fs');
const names = Array.from({ length: 256 }, (_, i) => process.argv[1] + '/' + i.toString(16).padStart(2, '0'));
console.log('on');
for (;;) for (const name of names) try { rmdirSync(name); } catch {}
`;

describe('folders of loose objects that are removed whenever they are empty', () => {
  const work = new WorkTree();
  const objects = join(work.repo.path, 'objects');
  let server: GitServer;
  let clone: string;
  let url: string;
  let remover: ChildProcess;

  before(async () => {
    server = new GitServer(work.repo, await installHooks(join(work.folder, 'run')));
    work.commit({ a: 'a\n' });
    url = await server.listen();
    clone = join(work.folder, 'clone');
    await execute('git', ['clone', '-q', url, clone]);
    remover = spawn(process.execPath, ['-e', REMOVE_EMPTY, objects], { stdio: ['ignore', 'pipe', 'inherit'] });
    if (remover.stdout) await once(remover.stdout, 'data');
  });
  after(async () => {
    remover.kill('SIGKILL');
    await once(remover, 'close');
    server.close();
    work.remove();
  });

  it('do not break pushes, and no temporary files remain', async () => {
    const git = (...args: string[]) => {
      return execute('git', ['-c', 'user.name=A', '-c', 'user.email=a@e', ...args], { cwd: clone });
    };
    for (let i = 0; i < 15; i++) {
      for (let n = 0; n < 5; n++) writeFileSync(join(clone, `f${n}`), `${i} ${n}\n`);
      await git('add', '.');
      await git('commit', '-q', '-m', `${i}`);
      await git('push', '-q', 'origin', `HEAD:refs/heads/b${i}`);
    }
    work.git('fsck', '--strict', '--full');
    const left = readdirSync(objects, { recursive: true }).filter((name) => String(name).includes('tmp_'));
    assert.deepEqual(left, []);
  });

  it('do not break writes of the server', async () => {
    for (let i = 0; i < 40; i++) {
      const writer = new ObjectWriter(work.repo);
      const ids = await Promise.all([1, 2, 3, 4].map((n) => writer.add('blob', Buffer.from(`${i} ${n}`))));
      await writer.flush();
      for (const id of ids) work.git('cat-file', '-e', id);
    }
  });
});
