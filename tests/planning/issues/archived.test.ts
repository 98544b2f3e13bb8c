import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('lists across projects without archived ones', () => {
    let server: TestServer;

    const titles = async (query: string): Promise<string[]> => {
      const { status, body } = await server.api(`GET ${query}`);
      assert.equal(status, 200, JSON.stringify(body));
      return body.map(({ title }: { title: string }) => title).toSorted();
    };

    before(async () => {
      server = await startTestServer(engine);
      const group = async (path: string, parent_id?: number) =>
        (await server.must('POST /groups', { json: { name: path, path, parent_id } })).id as number;
      const top = await group('top');
      const inner = await group('inner', await group('attic', top));
      for (const [path, namespace_id] of [
        ['plain', top],
        ['archived', top],
        ['inherited', inner],
        ['doomed', top],
      ] as const) {
        const json = { name: path, namespace_id, initialize_with_readme: true };
        const { id } = await server.must('POST /projects', { json });
        await server.must(`POST /projects/${id}/issues`, { json: { title: `in ${path}` } });
        await server.must(`POST /projects/${id}/milestones`, { json: { title: `in ${path}` } });
        const branches = { source_branch: 'topic', target_branch: 'main' };
        await server.must(`POST /projects/${id}/merge_requests`, { json: { ...branches, title: `in ${path}` } });
      }
      await server.must('POST /projects/top%2Farchived/archive');
      await server.must('POST /groups/top%2Fattic/archive');
      await server.must('DELETE /projects/top%2Fdoomed');
    });

    const all = ['in archived', 'in doomed', 'in inherited', 'in plain'];

    for (const kind of ['issues', 'merge_requests']) {
      it(`omit ${kind} of projects that are archived, in an archived group or marked for deletion`, async () => {
        for (const list of [`/groups/top/${kind}?`, `/${kind}?scope=all&`]) {
          assert.deepEqual(await titles(list), ['in plain'], list);
          assert.deepEqual(await titles(`${list}non_archived=false`), all, list);
        }
        assert.deepEqual(await titles(`/projects/top%2Fattic%2Finner%2Finherited/${kind}`), ['in inherited']);
      });
    }

    it('are counted in the same way', async () => {
      const counts = async (query: string) =>
        (await server.must(`GET /groups/top/issues_statistics${query}`)).statistics;
      assert.equal((await counts('')).counts.opened, 1);
      assert.equal((await counts('?non_archived=false')).counts.opened, 4);
    });

    it('are searched in the same way', async () => {
      for (const scope of ['issues', 'merge_requests', 'milestones']) {
        assert.deepEqual(await titles(`/search?scope=${scope}&search=in`), ['in plain'], scope);
        assert.deepEqual(await titles(`/search?scope=${scope}&search=in&include_archived=true`), all, scope);
      }
    });
  });
});
