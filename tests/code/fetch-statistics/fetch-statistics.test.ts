import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { recordFetches } from '../../../src/code/fetch-statistics/service.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addPerson, addProject, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('fetch statistics', () => {
    let server: TestServer;
    let ann: Person;
    let bob: Person;
    let project: { id: number };
    before(async () => {
      server = await startTestServer(engine);
      ann = await addPerson(server, 'ann');
      bob = await addPerson(server, 'bob');
      project = await addProject(server, ann, 'fetched', 'public');
    });

    it('are counted per day', async () => {
      await recordFetches(server.db, new Map([[project.id, 1]]));
      await recordFetches(
        server.db,
        new Map([
          [project.id, 1],
          [987654321, 3],
        ]),
      );
      const { fetches } = await server.must(`GET /projects/${project.id}/statistics`, ann);
      assert.equal(fetches.total, 2);
      assert.deepEqual(fetches.days, [{ count: 2, date: new Date().toISOString().slice(0, 10) }]);
      assert.equal((await server.api(`GET /projects/${project.id}/statistics`, bob)).status, 403);
      assert.equal((await server.api(`GET /projects/${project.id}/statistics`, { token: null })).status, 401);
    });
  });
});
