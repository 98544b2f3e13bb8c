import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { withAddress } from '../../../src/access/credentials/last-use.ts';
import { gitScopes, scopesCover } from '../../../src/access/credentials/scopes.ts';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

describe('token scopes', () => {
  const table: [string[], string, string[], boolean][] = [
    [['api'], 'DELETE', [], true],
    [['read_api'], 'GET', [], true],
    [['read_api'], 'HEAD', [], true],
    [['read_api'], 'POST', [], false],
    [['read_user'], 'GET', [], false],
    [['read_user'], 'GET', ['read_user'], true],
    [['write_repository'], 'GET', [], false],
    [['read_repository'], 'GET', ['read_repository'], true],
    [['self_rotate'], 'POST', ['self_rotate'], true],
    [['read_registry'], 'GET', ['any'], true],
    [[], 'GET', [], false],
  ];
  for (const [held, method, extra, opens] of table) {
    it(`[${held}] ${opens ? 'allows' : 'does not allow'} ${method} on an operation with [${extra}]`, () =>
      assert.equal(scopesCover(new Set(held), method, extra), opens));
  }

  const git: [string, boolean, boolean][] = [
    ['api', true, true],
    ['read_api', true, false],
    ['read_repository', true, false],
    ['write_repository', true, true],
    ['read_user', false, false],
    ['read_registry', false, false],
  ];
  for (const [scope, pull, push] of git) {
    it(`${scope} with git`, () => assert.deepEqual(gitScopes(new Set([scope])), { pull, push }));
  }
});

it('keeps the latest five addresses of a token, newest first', () => {
  let stored = '[]';
  for (const ip of ['1', '2', '3', '2', '4', '5', '6']) stored = withAddress(stored, ip);
  assert.deepEqual(JSON.parse(stored), ['6', '5', '4', '2', '3']);
});

forEachEngine((engine) => {
  describe('authentication', () => {
    let server: TestServer;
    before(async () => {
      server = await startTestServer(engine);
    });

    const newToken = (user: number, scopes: string[]) =>
      server.must(`POST /users/${user}/personal_access_tokens`, { json: { name: 't', scopes } });

    it('rejects an unknown token even where sign-in is not required', async () => {
      const ways: Record<string, string>[] = [{ 'private-token': 'x' }, { authorization: 'Bearer x' }];
      for (const headers of ways) {
        const answer = await server.api('GET /projects', { token: null, headers });
        assert.deepEqual([answer.status, answer.body], [401, { message: '401 Unauthorized' }]);
        assert.equal(answer.headers.get('www-authenticate'), null);
      }
    });

    it('reports that a token is expired or revoked', async () => {
      const { id, token } = await addUser(server);
      const row = await newToken(id, ['api']);
      await server.db.write((trx) =>
        trx
          .updateTable('access_tokens')
          .set({ expires_at: Date.now() - 1 })
          .where('id', '=', row.id)
          .execute(),
      );
      const expired = await server.api('GET /user', { token: row.token });
      assert.equal(expired.status, 401);
      assert.deepEqual(expired.body, {
        error: 'invalid_token',
        error_description: 'Token is expired. You can either do re-authorization or token refresh.',
      });
      assert.match(
        expired.headers.get('www-authenticate') ?? '',
        /^Bearer realm="Protected by OAuth 2.0", error="invalid_token"/,
      );
      await server.must('DELETE /personal_access_tokens/self', { token });
      const revoked = await server.api('GET /user', { token });
      assert.equal(revoked.body.error_description, 'Token was revoked. You have to re-authorize from the user.');
    });

    it('treats a job token as anonymous where it is not accepted', async () => {
      const answer = await server.api('GET /projects', { token: 'glcbt-64_abcdefghijklmnopqrst' });
      assert.equal(answer.status, 200);
      const needed = await server.api('GET /user', { token: 'glcbt-64_abcdefghijklmnopqrst' });
      assert.deepEqual([needed.status, needed.body], [401, { message: '401 Unauthorized' }]);
    });

    it('lists the required scopes if the token lacks them', async () => {
      const { id } = await addUser(server);
      const reader = await newToken(id, ['read_user']);
      assert.equal((await server.api('GET /user', { token: reader.token })).status, 200);
      assert.equal((await server.api('GET /version', { token: reader.token })).status, 200);
      const refused = await server.api('GET /projects', { token: reader.token });
      assert.equal(refused.status, 403);
      assert.deepEqual(refused.body, {
        error: 'insufficient_scope',
        error_description: 'The request requires higher privileges than provided by the access token.',
        scope: 'api read_api',
      });
      const writer = await newToken(id, ['write_repository']);
      assert.equal((await server.api('GET /user', { token: writer.token })).body.scope, 'read_user api read_api');
    });

    const states: [string, string, RegExp][] = [
      ['block', 'blocked', /^403 Forbidden - Your account has been blocked\.$/],
      ['deactivate', 'deactivated', /^403 Forbidden - Your account has been deactivated by your administrator\./],
      ['ban', 'banned', /^403 Forbidden - Your account has been blocked\.$/],
    ];
    for (const [action, state, text] of states) {
      it(`rejects tokens of users who are ${state} immediately`, async () => {
        const { id, token } = await addUser(server);
        await server.must(`POST /users/${id}/${action}`);
        assert.equal((await server.must(`GET /users/${id}`)).state, state);
        const answer = await server.api('GET /user', { token });
        assert.equal(answer.status, 403);
        assert.match(answer.body.message, text);
      });
    }

    it('allows sudo to administrators with the scope', async () => {
      const other = await addUser(server, 'other');
      for (const sudo of [other.username, other.username.toUpperCase(), String(other.id)]) {
        const byParameter = await server.must(`GET /user?sudo=${sudo}`);
        const byHeader = await server.must('GET /user', { headers: { sudo } });
        assert.deepEqual([byParameter.id, byHeader.id], [other.id, other.id]);
      }
      const unknown = await server.api('GET /user?sudo=no-such');
      assert.deepEqual(
        [unknown.status, unknown.body],
        [404, { message: "404 User with ID or username 'no-such' Not Found" }],
      );
      for (const sudo of ['sudo[a]=root', 'sudo[]=root', 'sudo[a][b]=1']) {
        assert.equal((await server.api(`GET /user?${sudo}`)).status, 404, sudo);
        assert.equal((await server.api(`GET /projects?${sudo}`, { token: null })).status, 401, sudo);
      }
      const notAdmin = await server.api('GET /user?sudo=root', { token: other.token });
      assert.deepEqual(notAdmin.body, { message: '403 Forbidden - Must be admin to use sudo' });
      const nobody = await server.api('GET /user?sudo=root', { token: null });
      assert.deepEqual([nobody.status, nobody.body], [401, { message: '401 Unauthorized' }]);
      const { id } = await server.must('GET /user');
      const plain = await newToken(id, ['api']);
      const lacking = await server.api('GET /user?sudo=root', { token: plain.token });
      assert.deepEqual([lacking.status, lacking.body.scope], [403, 'sudo']);
    });

    it('records the use of a token without a write for each request', async () => {
      const { id } = await addUser(server);
      const made = await newToken(id, ['api']);
      for (let count = 0; count < 5; count += 1) await server.must('GET /user', { token: made.token });
      let seen: { last_used_at: string | null; last_used_ips: string[] } | undefined;
      while (!seen?.last_used_at) seen = await server.must(`GET /personal_access_tokens/${made.id}`);
      assert.deepEqual(seen.last_used_ips, ['127.0.0.1']);
      let writes = 0;
      const stop = server.db.onQuery((sql) => {
        if (/^(update|insert|delete)/i.test(sql)) writes += 1;
      });
      for (let count = 0; count < 5; count += 1) await server.must('GET /user', { token: made.token });
      stop();
      assert.equal(writes, 0);
    });
  });
});
