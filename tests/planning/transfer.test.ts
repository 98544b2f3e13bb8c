import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../support/engines.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

interface Shown {
  labels: string[];
  milestone: { id: number; title: string; due_date: string; project_id?: number; group_id?: number } | null;
}

forEachEngine((engine) => {
  describe('transfer of a project to another group', () => {
    let server: TestServer;
    let project: { id: number };
    let milestone: { id: number };
    const things = ['issues/1', 'merge_requests/1'];

    const labelsOf = async () => {
      const found = await server.must(`GET /projects/${project.id}/labels?include_ancestor_groups=true`);
      return found.map(({ name, is_project_label, priority }: Record<string, unknown>) => [
        name,
        is_project_label,
        priority,
      ]);
    };
    const shown = (thing: string): Promise<Shown> => server.must(`GET /projects/${project.id}/${thing}`);

    before(async () => {
      server = await startTestServer(engine);
      const [from, to] = await Promise.all(
        ['from', 'to'].map((path) => server.must('POST /groups', { json: { name: path, path } })),
      );
      for (const name of ['both', 'left', 'unused']) {
        await server.must(`POST /groups/${from.id}/labels`, { json: { name, color: '#112233', description: name } });
      }
      await server.must(`POST /groups/${to.id}/labels`, { json: { name: 'both', color: '#445566' } });
      const sprint = { title: 'sprint', due_date: '2030-01-02' };
      milestone = await server.must(`POST /groups/${from.id}/milestones`, { json: sprint });
      const json = { name: 'moving', namespace_id: from.id, initialize_with_readme: true };
      project = await server.must('POST /projects', { json });
      const at = `/projects/${project.id}`;
      await server.must(`PUT ${at}/labels/left`, { json: { priority: 3 } });
      await server.must(`POST ${at}/labels`, { json: { name: 'own', color: '#778899' } });
      const marks = { labels: 'both,left,own', milestone_id: milestone.id };
      await server.must(`POST ${at}/issues`, { json: { title: 'moved along', ...marks } });
      const actions = [{ action: 'create', file_path: 'new', content: 'new' }];
      const commit = { branch: 'topic', start_branch: 'main', commit_message: 'new', actions };
      await server.must(`POST ${at}/repository/commits`, { json: commit });
      const branches = { source_branch: 'topic', target_branch: 'main' };
      await server.must(`POST ${at}/merge_requests`, { json: { title: 'moved along', ...branches, ...marks } });
      await server.must(`PUT ${at}/transfer`, { json: { namespace: to.id } });
    });

    for (const thing of things) {
      it(`keeps the labels and milestones of ${thing} by title`, async () => {
        const { labels, milestone: stored } = await shown(thing);
        assert.deepEqual(labels, ['both', 'left', 'own']);
        assert.deepEqual([stored?.title, stored?.due_date, stored?.project_id], ['sprint', '2030-01-02', project.id]);
        assert.notEqual(stored?.id, milestone.id);
      });
    }

    it('shares copies between issues and merge requests', async () => {
      const [issue, request] = await Promise.all(things.map(shown));
      assert.equal(issue?.milestone?.id, request?.milestone?.id);
      const made = await server.must(`GET /projects/${project.id}/milestones`);
      assert.deepEqual(
        made.map(({ title }: { title: string }) => title),
        ['sprint'],
      );
    });

    it('creates project labels that the new group does not have, with their priorities', async () => {
      const expected = [
        ['both', false, null],
        ['left', true, 3],
        ['own', true, null],
      ];
      assert.deepEqual((await labelsOf()).sort(), expected);
      const { body } = await server.api(`GET /projects/${project.id}/issues?labels=left,both&order_by=label_priority`);
      assert.equal(body.length, 1);
    });

    it('keeps the former group unchanged', async () => {
      const left = await server.must('GET /groups/from/labels');
      assert.equal(left.length, 3);
      assert.equal((await server.must(`GET /groups/from/milestones/${milestone.id}/issues`)).length, 0);
    });

    it('keeps labels and milestones when transferred to a user', async () => {
      const { username } = await server.must('GET /user');
      await server.must(`PUT /projects/${project.id}/transfer`, { json: { namespace: username } });
      const { labels, milestone: stored } = await shown('issues/1');
      assert.deepEqual([labels, stored?.title], [['both', 'left', 'own'], 'sprint']);
      assert.deepEqual(
        (await labelsOf()).map(([, own]: unknown[]) => own),
        [true, true, true],
      );
    });
  });

  describe('transfer of a group below another one', () => {
    let server: TestServer;
    let project: { id: number };
    const things = ['issues/1', 'merge_requests/1'];

    before(async () => {
      server = await startTestServer(engine);
      const group = (path: string, parent_id?: number) =>
        server.must('POST /groups', { json: { name: path, path, ...(parent_id && { parent_id }) } });
      const [from, to] = [await group('old'), await group('new')];
      const moving = await group('moving', from.id);
      const deep = await group('deep', moving.id);
      const label = (at: { id: number }, name: string) =>
        server.must(`POST /groups/${at.id}/labels`, { json: { name, color: '#112233' } });
      for (const name of ['both', 'left']) await label(from, name);
      await label(to, 'both');
      await label(moving, 'along');
      const milestone = await server.must(`POST /groups/${from.id}/milestones`, { json: { title: 'sprint' } });
      project = await server.must('POST /projects', {
        json: { name: 'p', namespace_id: deep.id, initialize_with_readme: true },
      });
      const at = `/projects/${project.id}`;
      const marks = { labels: 'both,left,along', milestone_id: milestone.id };
      await server.must(`POST ${at}/issues`, { json: { title: 'moved along', ...marks } });
      const actions = [{ action: 'create', file_path: 'new', content: 'new' }];
      const commit = { branch: 'topic', start_branch: 'main', commit_message: 'new', actions };
      await server.must(`POST ${at}/repository/commits`, { json: commit });
      const branches = { source_branch: 'topic', target_branch: 'main' };
      await server.must(`POST ${at}/merge_requests`, { json: { title: 'moved along', ...branches, ...marks } });
      await server.must(`POST /groups/${moving.id}/transfer`, { json: { group_id: to.id } });
      const isOwn = async (thing: string) =>
        (await server.must(`GET ${at}/${thing}`)).milestone.project_id !== undefined;
      for (const thing of things) await until(() => isOwn(thing));
    });

    for (const thing of things) {
      it(`keeps labels and milestones of former ancestors on ${thing}`, async () => {
        const shown: Shown = await server.must(`GET /projects/${project.id}/${thing}`);
        assert.deepEqual(shown.labels, ['along', 'both', 'left']);
        assert.deepEqual([shown.milestone?.title, shown.milestone?.project_id], ['sprint', project.id]);
      });
    }

    it('copies only what does not exist at the new location', async () => {
      const labels = await server.must(`GET /projects/${project.id}/labels?include_ancestor_groups=true`);
      const own = labels.map(({ name, is_project_label }: Record<string, unknown>) => [name, is_project_label]);
      assert.deepEqual(own, [
        ['along', false],
        ['both', false],
        ['left', true],
      ]);
      for (const title of ['both', 'left', 'along']) {
        assert.equal((await server.must(`GET /projects/${project.id}/issues?labels=${title}`)).length, 1);
      }
    });
  });
});
