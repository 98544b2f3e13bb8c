import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { it } from 'node:test';
import { repositoryPath } from '../../../src/platform/git/repository.ts';
import { atOnce, statuses } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { ApiClient } from '../../support/server.ts';
import { ServerPlace } from '../../support/server-process.ts';

const count = 60;

forEachEngine((engine) => {
  it('serializes concurrent commits of two server processes to one branch', async () => {
    const place = await ServerPlace.make(engine);
    // Started one after the other, as the first one creates the database.
    const processes = [await place.serve(), await place.serve()];
    const servers = processes.map(({ line }) => new ApiClient(line));
    const [first] = servers as [ApiClient, ...ApiClient[]];
    const { id } = await first.must('POST /projects', { json: { name: 'busy', initialize_with_readme: true } });

    const answers = await atOnce(count, (n) =>
      (servers[n % servers.length] ?? first).api(`POST /projects/${id}/repository/commits`, {
        json: {
          branch: 'main',
          commit_message: `commit ${n}`,
          actions: [{ action: 'create', file_path: `at-once/${n}`, content: `${n}` }],
        },
      }),
    );
    assert.deepEqual(statuses(answers), { 201: count });

    const cwd = repositoryPath(join(place.config().data, 'repositories'), id);
    const git = (...args: string[]) => execFileSync('git', args, { cwd, encoding: 'utf8' }).trim().split('\n');
    const history = git('rev-list', 'main');
    assert.equal(history.length, count + 1);
    // The history is linear, and every commit reported as created is part of it.
    const parents = git('log', '--format=%P', 'main').filter(Boolean);
    assert.deepEqual(parents, history.slice(1));
    const told = answers.map(({ body }) => body.id as string);
    assert.deepEqual(told.toSorted(), history.slice(0, count).toSorted());
    const files = git('ls-tree', '--name-only', 'main', 'at-once/');
    assert.equal(files.length, count);
    git('fsck', '--strict', '--no-dangling');

    for (const server of servers) {
      const [newest] = await server.must(`GET /projects/${id}/repository/commits?per_page=1&ref_name=main`);
      assert.equal(newest.id, history[0], `what ${server.url} reads`);
    }
    for (const { child, ended } of processes) {
      child.kill('SIGKILL');
      await ended;
    }
  });
});
