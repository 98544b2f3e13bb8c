import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { until } from '../../../support/until.ts';
import { WorkTree } from '../work-tree.ts';

const execute = promisify(execFile);

const SERVER = `
import { installHooks } from '${new URL('../../../../src/platform/git/transport/hooks.ts', import.meta.url).href}';
import { GitServer } from '${new URL('../git-server.ts', import.meta.url).href}';
const [path, root] = process.argv.slice(-2);
const server = new GitServer({ path }, await installHooks(root));
server.hooks.onPreReceive = async () => process.kill(process.pid, 'SIGKILL');
console.log(await server.listen());
`;

/** Whether a git process is still serving a push to the repository. */
function isServed(path: string): boolean {
  return readdirSync('/proc').some((pid) => {
    try {
      const command = /^\d+$/.test(pid) ? readFileSync(join('/proc', pid, 'cmdline'), 'utf8') : '';
      return command.includes(path) && command.includes('receive-pack');
    } catch {
      return false;
    }
  });
}

test('when the server dies during the check, git rejects the push', {
  skip: process.platform !== 'linux',
}, async () => {
  const work = new WorkTree();
  const args = ['--input-type=module', '--eval', SERVER, '--', work.repo.path, join(work.folder, 'run')];
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const id = work.commit({ f: 'x' });
    const [url] = (await once(createInterface(server.stdout), 'line')) as [string];
    const push = execute('git', ['-C', work.repo.path, 'push', url, `${id}:refs/heads/never`]);
    await assert.rejects(push);
    await until(() => server.signalCode === 'SIGKILL' && !isServed(work.repo.path));
    assert.equal(work.git('for-each-ref', '--format=%(refname)'), 'refs/heads/main');
  } finally {
    server.kill('SIGKILL');
    work.remove();
  }
});
