import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('dead background jobs', () => {
    let server: TestServer;

    before(async () => {
      server = await startTestServer(engine);
      const job = { kind: 'no.such.kind', lane: 'none', payload: '{"a":1}', state: 'dead' as const, dedupe_key: null };
      const rest = { waiting_key: null, run_at: 1, attempts: 5, max_attempts: 5, lease_token: null, lease_until: null };
      const fate = { error: 'it broke', created_at: 1000, failed_at: 2000 };
      await server.db.write((trx) =>
        trx
          .insertInto('jobs')
          .values([1, 2, 3].map(() => ({ ...job, ...rest, ...fate })))
          .execute(),
      );
    });

    it('are listed, retried and deleted', async () => {
      const page = await server.api('GET /admin/dead_jobs?per_page=2');
      assert.equal(page.body.length, 2);
      const [newest, second] = page.body;
      assert.deepEqual(newest, {
        id: newest.id,
        kind: 'no.such.kind',
        payload: { a: 1 },
        attempts: 5,
        error: 'it broke',
        created_at: '1970-01-01T00:00:01.000Z',
        failed_at: '1970-01-01T00:00:02.000Z',
      });
      assert.match(page.headers.get('link') ?? '', new RegExp(`before=${second.id}&per_page=2>; rel="next"`));
      assert.equal((await server.must(`GET /admin/dead_jobs?before=${second.id}`)).length, 1);
      assert.equal((await server.api(`POST /admin/dead_jobs/${newest.id}/retry`)).status, 201);
      assert.equal((await server.api(`POST /admin/dead_jobs/${newest.id}/retry`)).status, 404);
      assert.equal((await server.api(`DELETE /admin/dead_jobs/${second.id}`)).status, 204);
      assert.equal((await server.must('GET /admin/dead_jobs')).length, 1);
    });
  });
});
