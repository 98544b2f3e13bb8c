import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { addGroup } from '../../namespaces/projects/people.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('initialize_with_readme', () => {
    let server: TestServer;
    before(async () => {
      server = await startTestServer(engine);
    });

    it('answers 400 and creates no project if a push rule rejects the first commit', async () => {
      const group = await addGroup(server);
      const rule = { commit_message_regex: '^TICKET-[0-9]+' };
      await server.must(`POST /groups/${group.id}/push_rule`, { json: rule });
      const json = { name: 'ruled', namespace_id: group.id };
      const refused = await server.api('POST /projects', { json: { ...json, initialize_with_readme: true } });
      assert.equal(refused.status, 400, refused.text);
      assert.match(refused.body.message, /TICKET/);
      const address = `GET /projects/${encodeURIComponent(`${group.full_path}/ruled`)}`;
      assert.equal((await server.api(address)).status, 404);
      assert.deepEqual(await server.must(`GET /groups/${group.id}/projects`), []);
      // Creating the project without a README still succeeds.
      assert.equal((await server.api('POST /projects', { json })).status, 201);
    });

    it('commits to a disabled repository', async () => {
      const json = { name: 'hidden', initialize_with_readme: true, repository_access_level: 'disabled' };
      const created = await server.api('POST /projects', { json });
      assert.equal(created.status, 201, created.text);
      const { id, empty_repo, repository_access_level } = created.body;
      assert.deepEqual([empty_repo, repository_access_level], [false, 'disabled']);
      assert.equal((await server.api(`GET /projects/${id}/repository/tree`)).status, 403);
      await server.must(`PUT /projects/${id}`, { json: { repository_access_level: 'enabled' } });
      const tree = await server.must(`GET /projects/${id}/repository/tree`);
      assert.deepEqual(
        tree.map((entry: { path: string }) => entry.path),
        ['README.md'],
      );
    });
  });
});
