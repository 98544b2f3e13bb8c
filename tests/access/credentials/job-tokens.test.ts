import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { createIdentify, findUser } from '../../../src/access/credentials/identify.ts';
import { LastUse } from '../../../src/access/credentials/last-use.ts';
import type { Route } from '../../../src/access/route.ts';
import type { User } from '../../../src/access/tables.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

describe('job tokens', () => {
  let server: TestServer;
  let lastUse: LastUse;
  let identify: ReturnType<typeof createIdentify>;
  const running = 'glcbt-64_running-job-s-token';

  before(async () => {
    server = await startTestServer('sqlite');
    const user = (await findUser(server.db.read, 1)) as User;
    lastUse = new LastUse(server.db, (error) => assert.fail(String(error)));
    identify = createIdentify({
      db: server.db,
      externalUrl: server.url,
      settings: server.running.services.settings,
      lastUse,
      jobToken: async (token) => (token === running ? { user, job: { id: 5, projectId: 7 } } : undefined),
    });
  });
  after(() => lastUse.close());

  const route = (jobToken: boolean) => ({ method: 'GET', path: '/x', jobToken }) as Route;
  const authenticate = (headers: Record<string, string>, sent: Record<string, unknown>, takesJobs = true) =>
    identify({ method: 'GET', ip: '::1', headers } as unknown as FastifyRequest, sent, route(takesJobs));
  const forms: [string, Record<string, string>, Record<string, unknown>][] = [
    ['Bearer', { authorization: `Bearer ${running}` }, {}],
    ['JOB-TOKEN', { 'job-token': running }, {}],
    ['job_token', {}, { job_token: running }],
    ['token', {}, { token: running }],
    ['PRIVATE-TOKEN', { 'private-token': running }, {}],
  ];
  for (const [name, headers, sent] of forms) {
    it(`are accepted as ${name} by endpoints with job tokens and ignored by others`, async () => {
      const actor = await authenticate(headers, sent);
      assert.deepEqual([actor.carrier, actor.user?.id, actor.job], ['job', 1, { id: 5, projectId: 7 }]);
      assert.equal((await authenticate(headers, sent, false)).carrier, 'none');
    });
  }

  it('are rejected if the job is not running', async () => {
    await assert.rejects(async () => authenticate({ 'job-token': 'glcbt-64_over' }, {}), { status: 401 });
  });

  it('cannot use sudo', async () => {
    await assert.rejects(async () => authenticate({ 'job-token': running }, { sudo: 'root' }), { status: 403 });
  });
});
