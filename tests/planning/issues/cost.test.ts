import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

/** Maximum number of statements per request: every additional one slows down all writers. */
const maxStatements = { issue: 13, note: 16, change: 15 };

forEachEngine((engine) => {
  let server: TestServer;
  let issues: string;

  before(async () => {
    server = await startTestServer(engine);
    const { id } = await server.must('POST /projects', { json: { name: 'Costs', visibility: 'private' } });
    issues = `/projects/${id}/issues`;
    // The first request fills caches.
    await server.must(`POST ${issues}`, { json: { title: 'First' } });
    await server.must(`POST ${issues}/1/notes`, { json: { body: 'First' } });
  });

  it('creates an issue without participants in few statements and without background jobs', async () => {
    const json = { title: 'Second', description: 'It fails where it should work.' };
    await server.undisturbed(async () => {
      const before = await server.running.services.queue.counts();
      const asked = await server.queriesOf(() => server.must(`POST ${issues}`, { json }));
      assert.ok(asked <= maxStatements.issue, `${asked} statements`);
      assert.deepEqual(await server.running.services.queue.counts(), before);
    });
  });

  it('creates a note and updates an issue in few statements', async () => {
    const noted = await server.queriesOf(() => server.must(`POST ${issues}/1/notes`, { json: { body: 'Second' } }));
    assert.ok(noted <= maxStatements.note, `${noted} statements`);
    const changed = await server.queriesOf(() => server.must(`PUT ${issues}/1`, { json: { title: 'Renamed' } }));
    assert.ok(changed <= maxStatements.change, `${changed} statements`);
  });
});
