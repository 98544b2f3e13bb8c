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

/**
 * Steps at which a server crashes, for each operation: creating a merge request, processing a push, retargeting,
 * reopening, rebasing, auto-merge, cleanup, and retargeting chained merge requests.
 */
const deaths = {
  create: ['merge-request.created'],
  push: ['merge-request.renewed'],
  retarget: ['merge-request.changed', 'merge-request.renewed'],
  reopen: ['merge-request.changed', 'merge-request.renewed'],
  rebase: ['rebase.copied', 'push.moved', 'rebase.moved', 'rebase.recorded'],
  auto: ['push.recorded', 'push.moved'],
  after: ['merge.issues-closed', 'merge.source-removed'],
  chained: ['merge.chained', 'merge-request.renewed', 'push.moved'],
} as const;

forEachEngine((engine) => {
  // The database engines only differ in the database, which crash.test.ts covers for both.
  if (engine === 'postgres') return;
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
  const branchOf = (kind: string, step: string) => `${kind}-${step}`;
  const addressOf = (url: string) => withCredentials(url, `${owner.user.username}/p`, 'x', owner.token);

  before(async () => {
    place = await ServerPlace.make(engine);
    await withServer(async (server) => {
      owner = await addPerson(server, 'owner');
      project = await addProject(server, owner, 'p');
      await client.init();
      await client.commit({ a: '1' });
      for (const [kind, steps] of Object.entries(deaths)) {
        for (const step of steps) {
          await client.git('checkout', '-q', '-B', branchOf(kind, step), 'main');
          await client.commit({ [branchOf(kind, step)]: step });
        }
      }
      await client.git('checkout', '-q', 'main');
      await client.git('push', '-q', addressOf(server.url), '--all');
    });
  });

  /**
   * Creates a merge request and drains the queue, so that a server that is to crash later does not crash at this step.
   */
  const open = async (server: TestServer, kind: string, step: string, more: object = {}) => {
    const made = await server.must(`POST ${base()}`, {
      token: owner.token,
      json: { title: `${kind} ${step}`, source_branch: branchOf(kind, step), target_branch: 'main', ...more },
    });
    await server.running.services.queue.drain();
    return made;
  };

  /** Crashes a server at a step of a request or of its background work. */
  const dieAt = async (step: string, call: (url: string) => Promise<unknown>) => {
    const served = await place.serve(step);
    await call(served.line).catch(() => undefined);
    await served.ended;
  };
  const send = (url: string, path: string, method: string, json: object = {}) =>
    fetch(`${url}/api/v4${path}`, {
      method,
      headers: { 'private-token': owner.token, 'content-type': 'application/json' },
      body: JSON.stringify(json),
    });

  /** Starts a server after the crash with all leases expired and all jobs due. */
  const afterwards = <T>(work: (server: TestServer) => Promise<T>) =>
    withServer(async (server) => {
      const { db, queue } = server.running.services;
      await db.write(async (trx) => {
        await trx.updateTable('jobs').set({ lease_until: 1 }).where('lease_until', 'is not', null).execute();
        await trx.updateTable('jobs').set({ run_at: 1 }).where('state', '=', 'pending').execute();
      });
      await queue.drain();
      await db.write((trx) => trx.updateTable('jobs').set({ run_at: 1 }).where('state', '=', 'pending').execute());
      await queue.drain();
      return work(server);
    });
  const refOf = (server: TestServer, name: string) => {
    const { git } = server.running.services;
    return git.readRef(git.repository(project.id), name);
  };

  for (const step of deaths.create) {
    it(`makes a merge request fetchable after a server crash at ${step}`, async () => {
      const json = { title: 'New', source_branch: branchOf('create', step), target_branch: 'main' };
      await dieAt(step, (url) => send(url, base(), 'POST', json));
      await afterwards(async (server) => {
        const [made] = await server.must(`GET ${base()}?source_branch=${json.source_branch}`, { token: owner.token });
        assert.equal(made.state, 'opened');
        assert.equal(await refOf(server, `refs/merge-requests/${made.iid}/head`), made.sha);
      });
    });
  }

  for (const step of deaths.push) {
    it(`processes a push after a server crash at ${step}`, async () => {
      const { iid } = await withServer((server) => open(server, 'push', step));
      await client.git('checkout', '-q', branchOf('push', step));
      const tip = await client.commit({ more: 'more' });
      await dieAt(step, (url) => client.run('push', '-q', addressOf(url), branchOf('push', step)));
      await afterwards(async (server) => {
        const read = await server.must(`GET ${base()}/${iid}`, { token: owner.token });
        assert.deepEqual([read.sha, read.state], [tip, 'opened']);
        assert.equal(await refOf(server, `refs/merge-requests/${iid}/head`), tip);
        const versions = await server.must(`GET ${base()}/${iid}/versions`, { token: owner.token });
        assert.equal(versions.length, 2);
      });
    });
  }

  for (const step of deaths.retarget) {
    it(`creates one version for a new target branch despite a server crash at ${step}`, async () => {
      const branch = branchOf('retarget', step);
      const { iid } = await withServer(async (server) => {
        await client.git('push', '-q', addressOf(server.url), `main:refs/heads/into-${step}`);
        const file = { branch: `into-${step}`, content: step, commit_message: 'Move' };
        await server.must(`POST /projects/${project.id}/repository/files/into`, { token: owner.token, json: file });
        return open(server, 'retarget', step);
      });
      await dieAt(step, (url) => send(url, `${base()}/${iid}`, 'PUT', { target_branch: `into-${step}` }));
      await afterwards(async (server) => {
        const read = await server.must(`GET ${base()}/${iid}`, { token: owner.token });
        const target = await refOf(server, `refs/heads/into-${step}`);
        assert.deepEqual([read.target_branch, read.diff_refs.start_sha], [`into-${step}`, target]);
        assert.equal(
          await refOf(server, `refs/merge-requests/${iid}/head`),
          await refOf(server, `refs/heads/${branch}`),
        );
        const versions = await server.must(`GET ${base()}/${iid}/versions`, { token: owner.token });
        assert.equal(versions.length, 2);
      });
    });
  }

  for (const step of deaths.reopen) {
    it(`updates a reopened merge request despite a server crash at ${step}`, async () => {
      const { iid } = await withServer(async (server) => {
        const made = await open(server, 'reopen', step);
        await server.must(`PUT ${base()}/${made.iid}`, { token: owner.token, json: { state_event: 'close' } });
        return made;
      });
      await client.git('checkout', '-q', branchOf('reopen', step));
      const tip = await client.commit({ [`again-${step}`]: 'again' });
      await withServer((server) => client.git('push', '-q', addressOf(server.url), branchOf('reopen', step)));
      await dieAt(step, (url) => send(url, `${base()}/${iid}`, 'PUT', { state_event: 'reopen' }));
      await afterwards(async (server) => {
        const read = await server.must(`GET ${base()}/${iid}`, { token: owner.token });
        assert.deepEqual([read.state, read.sha, read.detailed_merge_status], ['opened', tip, 'mergeable']);
        assert.equal(await refOf(server, `refs/merge-requests/${iid}/head`), tip);
        const versions = await server.must(`GET ${base()}/${iid}/versions`, { token: owner.token });
        assert.equal(versions.length, 2);
      });
    });
  }

  for (const step of deaths.rebase) {
    it(`rebases exactly once despite a server crash at ${step}`, async () => {
      const { iid, sha } = await withServer(async (server) => {
        const made = await open(server, 'rebase', step);
        const file = { branch: 'main', content: step, commit_message: 'Move the target' };
        const path = encodeURIComponent(`moved-${step}`);
        await server.must(`POST /projects/${project.id}/repository/files/${path}`, { token: owner.token, json: file });
        await server.running.services.queue.drain();
        return made;
      });
      await dieAt(step, (url) => send(url, `${base()}/${iid}/rebase`, 'PUT'));
      await afterwards(async (server) => {
        const read = await server.must(`GET ${base()}/${iid}?include_rebase_in_progress=true`, { token: owner.token });
        const target = await refOf(server, 'refs/heads/main');
        const { git } = server.running.services;
        const tip = await git.objects(git.repository(project.id)).commit(read.sha);
        assert.deepEqual([read.rebase_in_progress, read.merge_error, tip?.parents], [false, null, [target]]);
        assert.notEqual(read.sha, sha);
        assert.equal(await refOf(server, `refs/heads/${branchOf('rebase', step)}`), read.sha);
        const versions = await server.must(`GET ${base()}/${iid}/versions`, { token: owner.token });
        assert.equal(versions.length, 2);
      });
    });
  }

  for (const step of deaths.auto) {
    it(`auto-merges exactly once despite a server crash at ${step}`, async () => {
      const soon = new Date(Date.now() + 3_600_000).toISOString();
      const { iid } = await withServer(async (server) => {
        const made = await open(server, 'auto', step, { merge_after: soon });
        const set = await server.must(`PUT ${base()}/${made.iid}/merge`, {
          token: owner.token,
          json: { auto_merge: true },
        });
        assert.equal(set.merge_when_pipeline_succeeds, true);
        return made;
      });
      await dieAt(step, (url) => send(url, `${base()}/${iid}`, 'PUT', { merge_after: '' }));
      await afterwards(async (server) => {
        const read = await server.must(`GET ${base()}/${iid}`, { token: owner.token });
        assert.deepEqual([read.state, read.merge_user.id], ['merged', owner.user.id]);
        assert.equal(read.merge_commit_sha, await refOf(server, 'refs/heads/main'));
      });
    });
  }

  for (const step of deaths.after) {
    it(`completes the follow-up of a merge despite a server crash at ${step}`, async () => {
      const { iid, issue } = await withServer(async (server) => {
        const json = { title: 'To be closed' };
        const made = await server.must(`POST /projects/${project.id}/issues`, { token: owner.token, json });
        const request = await open(server, 'after', step, { description: `Closes #${made.iid}` });
        return { iid: request.iid, issue: made.iid };
      });
      const json = { should_remove_source_branch: true };
      await dieAt(step, (url) => send(url, `${base()}/${iid}/merge`, 'PUT', json));
      await afterwards(async (server) => {
        const read = await server.must(`GET ${base()}/${iid}`, { token: owner.token });
        const closed = await server.must(`GET /projects/${project.id}/issues/${issue}`, { token: owner.token });
        assert.deepEqual([read.state, closed.state], ['merged', 'closed']);
        assert.equal(await refOf(server, `refs/heads/${branchOf('after', step)}`), null);
        const events = await server.must(`GET /projects/${project.id}/issues/${issue}/resource_state_events`, {
          token: owner.token,
        });
        assert.equal(events.length, 1);
      });
    });
  }

  for (const step of deaths.chained) {
    it(`retargets chained merge requests despite a server crash at ${step}`, async () => {
      const branch = branchOf('chained', step);
      const { iid, chained } = await withServer(async (server) => {
        const request = await open(server, 'chained', step);
        const into = [];
        for (const name of [`${branch}-1`, `${branch}-2`]) {
          await client.git('checkout', '-q', '-B', name, branch);
          await client.commit({ [name]: name });
          await client.git('push', '-q', addressOf(server.url), name);
          const json = { title: name, source_branch: name, target_branch: branch };
          into.push((await server.must(`POST ${base()}`, { token: owner.token, json })).iid);
        }
        await server.running.services.queue.drain();
        return { iid: request.iid, chained: into };
      });
      // The first ref update is that of the target, the second deletes the branch.
      const point = step === 'push.moved' ? `${step}:2` : step;
      const json = { should_remove_source_branch: true };
      await dieAt(point, (url) => send(url, `${base()}/${iid}/merge`, 'PUT', json));
      await afterwards(async (server) => {
        assert.equal((await server.must(`GET ${base()}/${iid}`, { token: owner.token })).state, 'merged');
        assert.equal(await refOf(server, `refs/heads/${branch}`), null);
        for (const each of chained) {
          const read = await server.must(`GET ${base()}/${each}`, { token: owner.token });
          assert.deepEqual([read.state, read.target_branch, read.changes_count], ['opened', 'main', '1']);
          const notes = await server.must(`GET ${base()}/${each}/notes`, { token: owner.token });
          const notified = notes.filter(({ body }: { body: string }) => body.includes(branch));
          assert.equal(notified.length, 1);
        }
      });
    });
  }
});
