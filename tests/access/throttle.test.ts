import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { addUser } from '../support/cast.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('the general throttle', () => {
  let server: TestServer;
  let token: string;

  before(async () => {
    server = await startTestServer('sqlite', ['--user-rate', '20/10m', '--anonymous-rate', '2/1m']);
    token = (await addUser(server)).token;
  });

  it('tells a user where they stand, and stops them when it is used up', async () => {
    const first = await server.api('GET /user', { token });
    assert.equal(first.headers.get('ratelimit-name'), 'throttle_authenticated_api');
    assert.equal(first.headers.get('ratelimit-limit'), '2', 'scaled to a minute');
    assert.equal(first.headers.get('ratelimit-observed'), '1');
    assert.equal(first.headers.get('ratelimit-remaining'), '19');
    assert.equal(first.headers.get('retry-after'), null);
    for (let count = 1; count < 20; count += 1) await server.must('GET /user', { token });
    const stopped = await server.api('GET /user', { token });
    assert.deepEqual([stopped.status, stopped.text], [429, 'Retry later\n']);
    assert.match(stopped.headers.get('content-type') ?? '', /^text\/plain/);
    assert.ok(Number(stopped.headers.get('retry-after')) > 0);
    assert.ok(Date.parse(stopped.headers.get('ratelimit-resettime') ?? '') > Date.now());
    assert.equal((await server.api('GET /user')).status, 200, 'others go on');
  });

  it('counts those who do not sign in by their address', async () => {
    const statuses: number[] = [];
    for (let count = 0; count < 3; count += 1)
      statuses.push((await server.api('GET /projects', { token: null })).status);
    assert.deepEqual(statuses, [200, 200, 429]);
  });
});
