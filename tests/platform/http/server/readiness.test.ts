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

  /** What was found last is told for a second: asks until it changes. */
  const turns = async (status: number) => {
    let body: Record<string, unknown> = {};
    await until(async () => {
      const answer = await fetch(`${server.url}/-/readiness`);
      body = (await answer.json()) as Record<string, unknown>;
      return answer.status === status;
    });
    return body;
  };

  it('is green while the database answers, git runs and the disk can be written to', async () => {
    const parts = { master_check: good, db_check: good, git_check: good, disk_check: good };
    assert.deepEqual(await turns(200), { status: 'ok', ...parts });
  });

  it('turns red and says why while there is no git, and green again', async () => {
    const { PATH } = process.env;
    process.env.PATH = '/nonexistent';
    try {
      const body = await turns(503);
      assert.equal(body.status, 'failed');
      assert.deepEqual(body.git_check, [{ status: 'failed', message: 'git could not be found' }]);
      assert.deepEqual(body.db_check, good);
    } finally {
      process.env.PATH = PATH;
    }
    await turns(200);
  });

  it('turns red and names no folder while the data directory is gone', async () => {
    const { data } = server.running.services.config;
    await rename(data, `${data}-away`);
    try {
      const message = 'the data directory cannot be written to (ENOENT)';
      assert.deepEqual((await turns(503)).disk_check, [{ status: 'failed', message }]);
    } finally {
      await rename(`${data}-away`, data);
    }
    await turns(200);
  });
});
