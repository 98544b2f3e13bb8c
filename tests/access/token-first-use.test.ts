import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addUser } from '../support/cast.ts';
import { startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

describe('the first use of a token', () => {
  it('is shown promptly on the token and its user', async () => {
    const server = await startTestServer('sqlite');
    const { id, token, username } = await addUser(server, 'active');
    assert.equal((await server.must(`GET /users/${id}`)).last_activity_on, null);
    await server.must('GET /user', { token });
    await until(async () => (await server.must(`GET /users/${id}`)).last_activity_on !== null);
    const active: { username: string }[] = await server.must('GET /user/activities');
    assert.ok(active.some((one) => one.username === username));
    const [used] = await server.must(`GET /personal_access_tokens?user_id=${id}`);
    assert.notEqual(used.last_used_at, null);
  });
});
