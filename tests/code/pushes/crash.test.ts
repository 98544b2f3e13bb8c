import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, it } from 'node:test';
import type { Project } from '../../../src/access/tables.ts';
import { repositoryPath } from '../../../src/platform/git/repository.ts';
import { createLogger } from '../../../src/platform/log.ts';
import { startServer } from '../../../src/server.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient, withCredentials } from '../../support/git-client.ts';
import { addPerson, addProject, type Person } from '../../support/scene.ts';
import { TestServer } from '../../support/server.ts';
import { ServerPlace } from '../../support/server-process.ts';

/** The fault points of a push, and whether the ref has been updated by then. */
const steps: readonly (readonly [string, boolean])[] = [
  ['push.checked', false],
  ['push.recorded', false],
  ['push.moved', true],
  ['push.finalised', true],
];

forEachEngine((engine) => {
  let place: ServerPlace;
  let owner: Person;
  let project: Project;

  /** Starts a server, which repairs interrupted pushes, runs the work and stops the server. */
  const withServer = async <T>(work: (server: TestServer) => Promise<T>): Promise<T> => {
    const server = new TestServer(await startServer(place.config(), createLogger({ logLevel: 'error' })));
    try {
      return await work(server);
    } finally {
      await server.running.close();
    }
  };
  const path = () => `${owner.user.username}/${project.path}`;

  /**
   * Returns the state of a branch after checking that repository and records agree and that git fsck finds no errors.
   */
  const audit = (branch: string) =>
    withServer(async (server) => {
      const { git } = server.running.services;
      const repo = git.repository(project.id);
      execFileSync('git', ['fsck', '--full', '--strict', '--no-dangling'], {
        env: { ...process.env, GIT_DIR: repo.path },
      });
      const tip = await git.readRef(repo, `refs/heads/${branch}`);
      const events = await server.db.read
        .selectFrom('events')
        .select(['commit_from', 'commit_to'])
        .where('ref', '=', branch)
        .orderBy('id')
        .execute();
      return { tip, events };
    });

  before(async () => {
    place = await ServerPlace.make(engine);
    await withServer(async (server) => {
      owner = await addPerson(server, 'owner');
      project = await addProject(server, owner, 'p');
      const client = new GitClient();
      await client.init();
      await client.commit({ a: '1' });
      await client.git('push', '-q', withCredentials(server.url, path(), 'x', owner.token), 'main');
    });
  });

  for (const [step, moved] of steps) {
    // The engines only differ in the database, so for PostgreSQL only the steps next to the ref update are tested.
    const isBeside = step === 'push.recorded' || step === 'push.moved';
    if (engine === 'postgres' && !isBeside) continue;
    it(`recovers a git push when the server dies at ${step}`, async () => {
      const branch = `git-${step}`;
      const served = await place.serve(step);
      const client = new GitClient();
      await client.init();
      const commit = await client.commit({ b: step });
      const url = withCredentials(served.line, path(), 'x', owner.token);
      const { code } = await client.run('push', url, `HEAD:${branch}`);
      await served.ended;
      assert.notEqual(code, 0, 'the client must not see a success');
      const { tip, events } = await audit(branch);
      assert.equal(tip, moved ? commit : null);
      assert.deepEqual(events, moved ? [{ commit_from: null, commit_to: commit }] : []);
      if (moved) assert.deepEqual(await audit(branch), { tip, events }, 'a second start changes nothing');
    });

    if (!isBeside) continue;
    it(`recovers an API commit when the server dies at ${step}`, async () => {
      const branch = `api-${step}`;
      const env = { MOVE_PROJECT: String(project.id), MOVE_USER: String(owner.user.id), MOVE_BRANCH: branch };
      const script = join(import.meta.dirname, 'moving-process.ts');
      const { line, ended } = await place.run(script, [], { ...env, HEARTH_FAULT: step });
      await ended;
      assert.equal(line, undefined);
      const { tip, events } = await audit(branch);
      assert.equal(tip !== null, moved);
      assert.deepEqual(events, moved ? [{ commit_from: null, commit_to: tip }] : []);
      if (!moved) return;
      const again = await place.run(script, [], env);
      await again.ended;
      const after = await audit(branch);
      assert.equal(after.tip, again.line);
      assert.equal(after.events.length, events.length + 1);
    });
  }

  it('removes a stale HEAD lock of a killed git process at startup', async () => {
    const served = await place.serve('push.recorded');
    const client = new GitClient();
    await client.git('clone', '-q', withCredentials(served.line, path(), 'x', owner.token), '.');
    await client.commit({ locked: 'x' });
    await client.run('push', 'origin', 'main');
    await served.ended;
    const repo = repositoryPath(join(place.config().data, 'repositories'), project.id);
    for (const name of ['HEAD.lock', 'refs/heads/main.lock']) {
      writeFileSync(join(repo, name), '');
      // With servers on several machines, only the age shows that a lock is stale.
      if (engine === 'postgres') utimesSync(join(repo, name), 1, 1);
    }
    await withServer(async (server) => {
      await client.git('push', '-q', withCredentials(server.url, path(), 'x', owner.token), 'main', 'HEAD:next');
      const sent = { json: { default_branch: 'next' }, token: owner.token };
      assert.equal((await server.api(`PUT /projects/${project.id}`, sent)).body.default_branch, 'next');
      await server.api(`PUT /projects/${project.id}`, { ...sent, json: { default_branch: 'main' } });
    });
  });

  it('loses and duplicates nothing when the server is killed during concurrent pushes', async () => {
    const acknowledged = new Map<string, string>();
    const branches = ['r1', 'r2', 'r3'];
    const clients = await Promise.all(
      branches.map(async (branch) => {
        const client = new GitClient();
        await client.init(branch);
        return { branch, client };
      }),
    );
    for (let round = 0; round < (engine === 'sqlite' ? 2 : 1); round++) {
      const served = await place.serve();
      const pushing = clients.map(async ({ branch, client }) => {
        for (let n = 0; n < 4; n++) {
          const commit = await client.commit({ [branch]: `${round}.${n}` }, `${round}.${n}`);
          const { code } = await client.run('push', withCredentials(served.line, path(), 'x', owner.token), branch);
          if (code !== 0) break;
          acknowledged.set(branch, commit);
          // Kill the server while the other pushes are in progress.
          if (branch === 'r2' && n === 1) served.child.kill('SIGKILL');
        }
        served.child.kill('SIGKILL');
      });
      await Promise.all([...pushing, served.ended]);
    }
    for (const { branch, client } of clients) {
      const { tip, events } = await audit(branch);
      const said = acknowledged.get(branch);
      if (said !== undefined) await client.git('merge-base', '--is-ancestor', said, tip as string);
      // The events form a chain that ends at the branch tip: none is missing or duplicated.
      let at: string | null = null;
      for (const event of events) {
        assert.equal(event.commit_from, at);
        at = event.commit_to;
      }
      assert.equal(at, tip);
    }
  });
});
