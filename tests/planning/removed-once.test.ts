import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { atOnce, inRounds, statuses } from '../support/at-once.ts';
import { forEachEngine } from '../support/engines.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

forEachEngine((engine) => {
  describe('what several remove at once', () => {
    let server: TestServer;
    let project: string;
    let group: string;

    before(async () => {
      server = await startTestServer(engine);
      const { id } = await server.must('POST /projects', { json: { name: 'tidy', initialize_with_readme: true } });
      project = `/projects/${id}`;
      group = `/groups/${(await server.must('POST /groups', { json: { name: 'tidy-group', path: 'tidy-group' } })).id}`;
      for (const branch of ['one', 'two', 'three', 'four', 'five']) {
        const actions = [{ action: 'create', file_path: branch, content: branch }];
        const json = { branch, start_branch: 'main', commit_message: branch, actions };
        await server.must(`POST ${project}/repository/commits`, { json });
      }
    });

    /** Three remove it while somebody writes on it: one of them does, and what was written is gone with it. */
    const removedOnce = async (path: string, notes = `${path}/notes`) => {
      const [gone] = await Promise.all([
        atOnce(3, () => server.api(`DELETE ${path}`)),
        server.api(`POST ${notes}`, { json: { body: 'wait' } }),
      ]);
      assert.deepEqual(statuses(gone), { 204: 1, 404: 2 });
      const left = server.db.read.selectFrom('notes').select('id').where('body', '=', 'wait');
      assert.deepEqual(await left.execute(), []);
    };

    it('is removed by one of them: an issue', () =>
      inRounds(async () => {
        const { iid } = await server.must(`POST ${project}/issues`, { json: { title: 'Old' } });
        await removedOnce(`${project}/issues/${iid}`);
      }));

    it('is removed by one of them: an epic', () =>
      inRounds(async () => {
        const { id, iid } = await server.must(`POST ${group}/epics`, { json: { title: 'Old' } });
        await removedOnce(`${group}/epics/${iid}`, `${group}/epics/${id}/notes`);
      }));

    it('is removed by one of them: a merge request', () =>
      inRounds(async (round) => {
        const source_branch = ['one', 'two', 'three', 'four', 'five'][round];
        const json = { source_branch, target_branch: 'main', title: 'Old' };
        const { iid } = await server.must(`POST ${project}/merge_requests`, { json });
        await removedOnce(`${project}/merge_requests/${iid}`);
      }));
  });
});
