import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Browser, tokenIn } from '../support/browser.ts';
import { addUser } from '../support/cast.ts';
import { forEachEngine } from '../support/engines.ts';
import { rootToken, startTestServer, type TestServer } from '../support/server.ts';

const query = '{ currentUser { username } }';

forEachEngine((engine) => {
  describe('GraphQL authentication', () => {
    let server: TestServer;
    let user: { id: number; username: string; token: string };

    before(async () => {
      server = await startTestServer(engine);
      user = await addUser(server);
    });

    const nameOf = async (headers: Record<string, string>, search = '') => {
      const answer = await server.api(`POST /api/graphql${search}`, { token: null, json: { query }, headers });
      return answer.status === 200 ? (answer.body.data.currentUser?.username ?? null) : answer.status;
    };

    it('accepts the same tokens as the REST API', async () => {
      assert.equal(await nameOf({ 'private-token': user.token }), user.username);
      assert.equal(await nameOf({ authorization: `Bearer ${user.token}` }), user.username);
      assert.equal(await nameOf({}, `?private_token=${user.token}`), user.username);
      assert.equal(await nameOf({}, `?access_token=${user.token}`), user.username);
      assert.equal(await nameOf({}), null);
      assert.equal(await nameOf({ authorization: 'Bearer wrong' }), 401);
      assert.equal(await nameOf({ 'job-token': 'glcbt-wrong' }), 401);
      const request = `GET /api/graphql?query=${encodeURIComponent(query)}`;
      assert.equal((await server.api(request, { token: user.token })).body.data.currentUser.username, user.username);
      const form = `query=${encodeURIComponent(query)}`;
      const sent = await server.api('POST /api/graphql', { token: user.token, form });
      assert.equal(sent.body.data.currentUser.username, user.username);
    });

    it('supports sudo for administrators', async () => {
      assert.equal(await nameOf({ 'private-token': rootToken, sudo: user.username }), user.username);
      assert.equal(await nameOf({ 'private-token': user.token, sudo: 'root' }), 403);
    });

    it('requires a token scope and an active account', async () => {
      const { token } = await server.must(`POST /users/${user.id}/personal_access_tokens`, {
        json: { name: 'narrow', scopes: ['read_repository'] },
      });
      assert.equal(await nameOf({ 'private-token': token }), 403);
      const reads = await addUser(server, 'reads', ['read_api']);
      assert.equal(await nameOf({ 'private-token': reads.token }), reads.username);
      await server.must(`POST /users/${reads.id}/block`);
      assert.equal(await nameOf({ 'private-token': reads.token }), 403);
    });

    it('accepts a session cookie only with a CSRF token', async () => {
      const browser = new Browser(server);
      await browser.signIn(user.username, 'long enough 4 you');
      const csrf = tokenIn((await browser.open('/')).text);
      const { cookie = '' } = browser;
      assert.equal(await nameOf({ cookie, 'x-csrf-token': csrf }), user.username);
      assert.equal(await nameOf({ cookie }), null);
      assert.equal(await nameOf({ cookie, 'x-csrf-token': 'wrong' }), null);
      const hidden = await server.must('POST /projects', { token: user.token, json: { name: 'Own' } });
      const body = { query: `{ project(fullPath: "${hidden.path_with_namespace}") { id } }` };
      const forged = await server.api('POST /api/graphql', { token: null, json: body, headers: { cookie } });
      assert.deepEqual(forged.body.data, { project: null });
    });
  });
});
