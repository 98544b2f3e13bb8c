import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('promotion of a project label to a group label', () => {
    let server: TestServer;
    let group: { id: number };
    let projects: { id: number }[];

    before(async () => {
      server = await startTestServer(engine);
      group = await server.must('POST /groups', { json: { name: 'Top', path: 'top' } });
      projects = [];
      for (const name of ['one', 'two']) {
        projects.push(await server.must('POST /projects', { json: { name, namespace_id: group.id } }));
      }
    });

    it('keeps the label on issues and boards of all projects', async () => {
      const issues: string[] = [];
      const boards: string[] = [];
      for (const { id } of projects) {
        const label = await server.must(`POST /projects/${id}/labels`, { json: { name: 'bug', color: '#ff0000' } });
        const { iid } = await server.must(`POST /projects/${id}/issues`, { json: { title: 'x', labels: 'bug' } });
        issues.push(`/projects/${id}/issues/${iid}`);
        const board = await server.must(`POST /projects/${id}/boards`, { json: { name: 'b' } });
        await server.must(`POST /projects/${id}/boards/${board.id}/lists`, { json: { label_id: label.id } });
        boards.push(`/projects/${id}/boards/${board.id}`);
      }
      const promoted = await server.must(`PUT /projects/${projects[0]?.id}/labels/bug/promote`);
      for (const issue of issues) assert.deepEqual((await server.must(`GET ${issue}`)).labels, ['bug']);
      for (const board of boards) {
        const { lists } = await server.must(`GET ${board}`);
        assert.deepEqual(
          lists.map((list: { label: { id: number } }) => list.label.id),
          [promoted.id],
        );
      }
    });

    it('keeps the order by label priority correct', async () => {
      const [project] = projects;
      const at = `/projects/${project?.id}`;
      for (const name of ['low', 'high']) await server.must(`POST ${at}/labels`, { json: { name, color: '#fff' } });
      for (const title of ['low', 'high']) await server.must(`POST ${at}/issues`, { json: { title, labels: title } });
      const ordered = async () =>
        (await server.must(`GET ${at}/issues?order_by=label_priority&sort=asc`))
          .map(({ title }: { title: string }) => title)
          .filter((title: string) => title !== 'x');
      await server.must(`PUT ${at}/labels/low`, { json: { priority: 5 } });
      assert.deepEqual(await ordered(), ['low', 'high']);
      await server.must(`PUT ${at}/labels/high`, { json: { priority: 1 } });
      assert.deepEqual(await ordered(), ['high', 'low']);
      await server.must(`PUT ${at}/labels/high/promote`);
      assert.deepEqual(await ordered(), ['high', 'low']);
      await server.must(`PUT ${at}/labels/low`, { json: { priority: 0 } });
      assert.deepEqual(await ordered(), ['low', 'high']);
      await server.must(`DELETE ${at}/labels/low`);
      assert.deepEqual(await ordered(), ['high', 'low']);
      await server.must(`PUT ${at}/labels/high`, { json: { priority: null } });
      assert.deepEqual(await ordered(), ['high', 'low']);
    });

    it('keeps the open issue counts', async () => {
      const at = `/projects/${projects[1]?.id}`;
      const open = async () => (await server.must(`GET ${at}`)).open_issues_count;
      const before = await open();
      const { iid } = await server.must(`POST ${at}/issues`, { json: { title: 'Counted', confidential: true } });
      assert.equal(await open(), before + 1);
      await server.must(`PUT ${at}/issues/${iid}`, { json: { state_event: 'close' } });
      assert.equal(await open(), before);
    });
  });
});
