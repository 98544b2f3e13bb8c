import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { Project } from '../../../../src/access/tables.ts';
import { createLogger } from '../../../../src/platform/log.ts';
import { startServer } from '../../../../src/server.ts';
import { forEachEngine } from '../../../support/engines.ts';
import { GitClient, withCredentials } from '../../../support/git-client.ts';
import { addPerson, addProject, type Person } from '../../../support/scene.ts';
import { TestServer } from '../../../support/server.ts';
import { ServerPlace } from '../../../support/server-process.ts';

/** The durable steps of a merge, and whether the merge has taken effect after each. */
const steps: [string, boolean][] = [
  ['merge.prepared', false],
  ['push.checked', false],
  ['push.recorded', false],
  ['push.moved', true],
  ['push.finalised', true],
  ['merge.moved', true],
];

forEachEngine((engine) => {
  let place: ServerPlace;
  let owner: Person;
  let project: Project;
  const client = new GitClient();

  const withServer = async <T>(work: (server: TestServer) => Promise<T>): Promise<T> => {
    const server = new TestServer(await startServer(place.config(), createLogger({ logLevel: 'error' })));
    try {
      return await work(server);
    } finally {
      await server.running.close();
    }
  };

  before(async () => {
    place = await ServerPlace.make(engine);
    await withServer(async (server) => {
      owner = await addPerson(server, 'owner');
      project = await addProject(server, owner, 'p');
      await client.init();
      await client.commit({ a: '1' });
      const url = withCredentials(server.url, `${owner.user.username}/p`, 'x', owner.token);
      await client.git('push', '-q', url, 'main');
      for (const [step] of steps) {
        await client.git('checkout', '-q', '-B', step, 'main');
        await client.commit({ [step]: step });
      }
      await client.git('push', '-q', url, ...steps.map(([step]) => step));
    });
  });

  for (const [index, [step, merged]] of steps.entries()) {
    // The database engines only differ in the database, which is tested on both sides of the ref update.
    if (engine === 'postgres' && step !== 'push.recorded' && step !== 'push.moved') continue;
    it(`leaves a merge interrupted by a server crash at ${step} ${merged ? 'completed' : 'not started'}`, async () => {
      const base = `/projects/${project.id}/merge_requests`;
      const { iid, tip } = await withServer(async (server) => {
        const json = { title: step, source_branch: step, target_branch: 'main', squash: index % 2 === 1 };
        const made = await server.must(`POST ${base}`, { token: owner.token, json });
        const repo = server.running.services.git.repository(project.id);
        return { iid: made.iid, tip: await server.running.services.git.readRef(repo, 'refs/heads/main') };
      });
      const served = await place.serve(step);
      const answer = fetch(`${served.line}/api/v4${base}/${iid}/merge`, {
        method: 'PUT',
        headers: { 'private-token': owner.token },
      });
      await assert.rejects(answer, 'the client must not receive a success response');
      await served.ended;
      await withServer(async (server) => {
        const { git, queue } = server.running.services;
        await queue.drain();
        const now = await git.readRef(git.repository(project.id), 'refs/heads/main');
        const read = await server.must(`GET ${base}/${iid}`, { token: owner.token });
        assert.deepEqual([read.state, now !== tip], merged ? ['merged', true] : ['opened', false]);
        if (merged) {
          assert.equal(read.merge_commit_sha, now);
          assert.equal(read.merge_user.id, owner.user.id);
          return;
        }
        const again = await server.must(`PUT ${base}/${iid}/merge`, { token: owner.token });
        assert.equal(again.state, 'merged');
      });
    });
  }
});
