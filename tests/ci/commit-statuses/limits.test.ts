import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Project } from '../../../src/access/tables.ts';
import { withCommitLock } from '../../../src/ci/commit-statuses/commit-lock.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { addFilledProject } from '../../support/git-project.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('commit status limits', () => {
    let server: TestServer;
    let owner: Person;
    let project: Project;
    let sha: string;

    const report = (json: object) =>
      server.api(`POST /projects/${project.id}/statuses/${sha}`, { json, token: owner.token });

    before(async () => {
      server = await startTestServer(engine, ['--pipeline-jobs', '2']);
      owner = await addPerson(server, 'owner');
      const source = new GitClient();
      await source.init();
      sha = await source.commit({ a: 'a' });
      project = await addFilledProject(server, owner, 'judged', source);
    });

    it('open a new pipeline when one is full, unless it is given explicitly', async () => {
      const first = await report({ state: 'running', name: 'build' });
      const { pipeline_id } = first.body;
      assert.equal((await report({ state: 'running', name: 'lint' })).body.pipeline_id, pipeline_id);
      const refused = await report({ state: 'running', name: 'test', pipeline_id });
      assert.deepEqual([refused.status, refused.body], [422, { message: 'The number of jobs has exceeded the limit' }]);
      const open = await report({ state: 'success', name: 'build', pipeline_id });
      assert.deepEqual([open.status, open.body.id], [201, first.body.id]);
      const next = await report({ state: 'running', name: 'test' });
      assert.equal(next.status, 201);
      assert.notEqual(next.body.pipeline_id, pipeline_id);
      assert.equal((await report({ state: 'success', name: 'test' })).body.pipeline_id, next.body.pipeline_id);
    });

    it('serialize reports on a commit and time out with a conflict', async () => {
      const { db } = server.running.services;
      const hold = Promise.withResolvers<void>();
      const order: number[] = [];
      const first = withCommitLock(db, 'x', async () => {
        await hold.promise;
        order.push(1);
      });
      const impatient = withCommitLock(db, 'x', async () => order.push(2), 1);
      const patient = withCommitLock(db, 'x', async () => order.push(3));
      await withCommitLock(db, 'y', async () => order.push(0), 1);
      await assert.rejects(impatient, {
        status: 409,
        body: { message: 'Another update to this commit status is in progress' },
      });
      hold.resolve();
      await Promise.all([first, patient]);
      assert.deepEqual(order, [0, 1, 3]);
      await withCommitLock(db, 'x', async () => order.push(4), 0);
      await assert.rejects(
        withCommitLock(db, 'x', async () => {
          throw new Error('broken');
        }),
        /broken/,
      );
      assert.equal(await withCommitLock(db, 'x', async () => 'on', 0), 'on');
    });
  });
});
