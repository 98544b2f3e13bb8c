import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

/** What one request may take: a statement more is paid by everyone who writes. */
const most = { issue: 13, note: 16, change: 15 };

forEachEngine((engine) => {
  let server: TestServer;
  let issues: string;

  before(async () => {
    server = await startTestServer(engine);
    const { id } = await server.must('POST /projects', { json: { name: 'Costs', visibility: 'private' } });
    issues = `/projects/${id}/issues`;
    // The first one reads what later ones know.
    await server.must(`POST ${issues}`, { json: { title: 'First' } });
    await server.must(`POST ${issues}/1/notes`, { json: { body: 'First' } });
  });

  it('opens an issue that concerns nobody else in a few statements, and leaves no work behind', async () => {
    const json = { title: 'Second', description: 'It fails where it should work.' };
    await server.undisturbed(async () => {
      const before = await server.running.services.queue.counts();
      const asked = await server.queriesOf(() => server.must(`POST ${issues}`, { json }));
      assert.ok(asked <= most.issue, `${asked} statements`);
      assert.deepEqual(await server.running.services.queue.counts(), before);
    });
  });

  it('comments on an issue and changes one in a few statements', async () => {
    const noted = await server.queriesOf(() => server.must(`POST ${issues}/1/notes`, { json: { body: 'Second' } }));
    assert.ok(noted <= most.note, `${noted} statements`);
    const changed = await server.queriesOf(() => server.must(`PUT ${issues}/1`, { json: { title: 'Renamed' } }));
    assert.ok(changed <= most.change, `${changed} statements`);
  });
});
