import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { Project } from '../../../src/access/tables.ts';
import { createLogger } from '../../../src/platform/log.ts';
import { recordCommit } from '../../../src/review/merge-requests/suggestions/store.ts';
import { startServer } from '../../../src/server.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient, withCredentials } from '../../support/git-client.ts';
import { addPerson, addProject, type Person } from '../../support/scene.ts';
import { TestServer } from '../../support/server.ts';
import { ServerPlace } from '../../support/server-process.ts';

const deaths = ['push.recorded', 'push.moved', 'push.finalised'];

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
  const base = () => `/projects/${project.id}/merge_requests`;
  const open = async (server: TestServer, branch: string) => {
    const json = { title: branch, source_branch: branch, target_branch: 'main' };
    const made = await server.must(`POST ${base()}`, { token: owner.token, json });
    await server.running.services.queue.drain();
    return made;
  };
  const dieAt = async (step: string, path: string) => {
    const served = await place.serve(step);
    await fetch(`${served.line}/api/v4${path}`, { method: 'PUT', headers: { 'private-token': owner.token } }).catch(
      () => undefined,
    );
    await served.ended;
  };

  before(async () => {
    place = await ServerPlace.make(engine);
    await withServer(async (server) => {
      owner = await addPerson(server, 'owner');
      project = await addProject(server, owner, 'p');
      await client.init();
      await client.commit({ a: '1\n2\n3\n' });
      for (const branch of [...deaths, 'rebased']) {
        await client.git('checkout', '-q', '-B', branch, 'main');
        await client.commit({ a: `1\n${branch}\n3\n` });
      }
      await client.git('checkout', '-q', 'main');
      await client.commit({ news: 'news' });
      const url = withCredentials(server.url, `${owner.user.username}/p`, 'x', owner.token);
      await client.git('push', '-q', url, '--all');
    });
  });

  for (const step of deaths) {
    it(`applies and resolves a suggestion completely or not at all if the server dies at ${step}`, async () => {
      const { iid, thread, id } = await withServer(async (server) => {
        const { iid, diff_refs } = await open(server, step);
        const at = { old_path: 'a', new_path: 'a', position_type: 'text', new_line: 2, ...diff_refs };
        const made = await server.must(`POST ${base()}/${iid}/discussions`, {
          token: owner.token,
          json: { body: '```suggestion:-0+0\nbetter\n```', position: at },
        });
        return { iid, thread: made.id, id: made.notes[0].suggestions[0].id };
      });
      await dieAt(step, `/suggestions/${id}/apply`);
      await withServer(async (server) => {
        const { text } = await server.api(`GET /projects/${project.id}/repository/files/a/raw?ref=${step}`, {
          token: owner.token,
        });
        const has = text === '1\nbetter\n3\n';
        assert.equal(has, step !== 'push.recorded');
        const read = await server.must(`GET ${base()}/${iid}/discussions/${thread}`, { token: owner.token });
        assert.deepEqual([read.notes[0].suggestions[0].applied, read.notes[0].resolved], [has, has]);
        const { db } = server.running.services;
        // A retry within the same second creates exactly the recorded commit.
        const begun = await db.read.selectFrom('suggestion_commits').selectAll().execute();
        assert.equal(begun.length, has ? 0 : 1);
        for (const { sha } of begun) await db.write((trx) => recordCommit(trx, sha, [id]));
        const again = await server.api(`PUT /suggestions/${id}/apply`, { token: owner.token });
        assert.equal(again.status, has ? 400 : 200, again.text);
        const left = await db.read.selectFrom('suggestion_commits').selectAll().execute();
        assert.deepEqual(left, []);
      });
    });
  }

  it('allows another rebase after every attempt of the previous one crashed', async () => {
    const { iid } = await withServer((server) => open(server, 'rebased'));
    await dieAt('rebase.copied', `${base()}/${iid}/rebase`);
    await withServer(async (server) => {
      const { db, queue } = server.running.services;
      const one = `${base()}/${iid}?include_rebase_in_progress=true`;
      const inProgress = async () => (await server.must(`GET ${one}`, { token: owner.token })).rebase_in_progress;
      assert.equal(await inProgress(), true);
      const busy = await server.api(`PUT ${base()}/${iid}/rebase`, { token: owner.token });
      assert.equal(busy.status, 409);
      await db.write((trx) =>
        trx
          .updateTable('jobs')
          .set((eb) => ({ lease_until: 1, attempts: eb.ref('max_attempts') }))
          .where('kind', '=', 'merge-requests.rebase')
          .execute(),
      );
      await queue.drain();
      assert.equal(await inProgress(), false);
      await server.must(`PUT ${base()}/${iid}/rebase`, { token: owner.token });
      await queue.drain();
      const compared = await server.must(`GET /projects/${project.id}/repository/compare?from=rebased&to=main`, {
        token: owner.token,
      });
      assert.deepEqual(compared.commits, []);
    });
  });
});
