import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { rootToken, startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';

/** Content that compresses badly. */
const content = Array.from({ length: 2000 }, (_, at) => `${at} ${Math.sin(at)}`).join('\n');

forEachEngine((engine) => {
  describe('snippet sizes', () => {
    let server: TestServer;
    let project: { id: number };

    before(async () => {
      server = await startTestServer(engine);
      const group = await server.must('POST /groups', { json: { name: 'Sized', path: 'sized' } });
      project = await server.must('POST /projects', { json: { name: 'It', namespace_id: group.id } });
    });

    const statistics = async () => (await server.must(`GET /projects/${project.id}?statistics=true`)).statistics;
    const size = async (): Promise<number> => (await statistics()).snippets_size;
    const make = (json: object = {}) =>
      server.must(`POST /projects/${project.id}/snippets`, {
        json: { title: 'Note', content, file_name: 'a.txt', visibility: 'private', ...json },
      });

    it('count towards the storage statistics of the project and its groups', async () => {
      assert.equal(await size(), 0);
      const snippet = await make();
      const first = await size();
      assert.ok(first > 10_000, `${first}`);
      await make({ content: 'small' });
      const both = await size();
      assert.ok(both > first);
      const [shown] = await server.must('GET /groups?statistics=true');
      assert.equal(shown.statistics.snippets_size, both);
      assert.ok(shown.statistics.storage_size >= both);
      assert.equal(shown.root_storage_statistics.snippets_size, both);
      await server.must(`DELETE /projects/${project.id}/snippets/${snippet.id}`);
      assert.equal(await size(), both - first);
    });

    it('follow changes through the API and git', async () => {
      const snippet = await make({ content: 'small' });
      const small = await size();
      const json = { files: [{ action: 'create', file_path: 'b.txt', content }] };
      await server.must(`PUT /projects/${project.id}/snippets/${snippet.id}`, { json });
      await until(async () => (await size()) > small + 10_000);
      const larger = await size();
      const client = new GitClient();
      const url = snippet.http_url_to_repo.replace('://', `://root:${rootToken}@`);
      await client.git('clone', '-q', url, '.');
      await client.commit({ 'c.txt': content.split('').reverse().join('') });
      await client.git('push', '-q', 'origin', 'main');
      await until(async () => (await size()) > larger + 10_000);
    });
  });
});
