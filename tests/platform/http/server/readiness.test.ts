import assert from 'node:assert/strict';
import { rename } from 'node:fs/promises';
import { before, describe, it } from 'node:test';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { until } from '../../../support/until.ts';

const good = [{ status: 'ok' }];

describe('/-/readiness', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer('sqlite');
  });

  /** Results are cached for a second: polls until the status changes. */
  const waitFor = async (status: number) => {
    let body: Record<string, unknown> = {};
    await until(async () => {
      const answer = await fetch(`${server.url}/-/readiness`);
      body = (await answer.json()) as Record<string, unknown>;
      return answer.status === status;
    });
    return body;
  };

  it('returns 200 if the database responds, git runs and the disk is writable', async () => {
    const parts = { master_check: good, db_check: good, git_check: good, disk_check: good };
    assert.deepEqual(await waitFor(200), { status: 'ok', ...parts });
  });

  it('returns 503 with the reason while git is missing, and then recovers', async () => {
    const { PATH } = process.env;
    process.env.PATH = '/nonexistent';
    try {
      const body = await waitFor(503);
      assert.equal(body.status, 'failed');
      assert.deepEqual(body.git_check, [{ status: 'failed', message: 'git could not be found' }]);
      assert.deepEqual(body.db_check, good);
    } finally {
      process.env.PATH = PATH;
    }
    await waitFor(200);
  });

  it('returns 503 without revealing paths while the data directory is missing', async () => {
    const { data } = server.running.services.config;
    await rename(data, `${data}-away`);
    try {
      const message = 'the data directory cannot be written to (ENOENT)';
      assert.deepEqual((await waitFor(503)).disk_check, [{ status: 'failed', message }]);
    } finally {
      await rename(`${data}-away`, data);
    }
    await waitFor(200);
  });
});
