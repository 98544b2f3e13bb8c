import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { armFault } from '../../../src/platform/faults.ts';
import { forEachEngine } from '../../support/engines.ts';
import { type HostReply, linkedPage, startJsonHost } from '../../support/json-host.ts';
import { addPerson } from '../../support/scene.ts';
import { type Answer, startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';

const secret = 'gist-secret-token';

forEachEngine((engine) => {
  let server: TestServer;
  let refusal: HostReply | undefined;

  before(async () => {
    const host = await startJsonHost(({ path, headers, query }, url) => {
      if (path.startsWith('/raw/')) {
        assert.equal(headers.authorization, undefined, 'files are asked for without the token');
        return (response) => response.end(`content of ${path}`);
      }
      if (refusal) return refusal;
      if (headers.authorization !== `Bearer ${secret}`) return { status: 401, json: { message: 'Bad credentials' } };
      if (path === '/user') return { json: { id: 1, login: 'x' } };
      const file = (name: string) => ({ filename: name, size: 10, raw_url: `${url}/raw/${name}` });
      const gist = (id: string, names: string[], rest: object) => ({
        id,
        files: Object.fromEntries(names.map((name) => [name, file(name)])),
        ...rest,
      });
      const many = Array.from({ length: 11 }, (_, at) => `f${at}.txt`);
      const gists = [
        gist('a', ['a.txt', 'b.txt'], { description: 'Two files', public: true }),
        gist('b', many, { description: 'Too many', public: true }),
        gist('c', ['c.txt'], { description: '', public: false }),
        { id: 'd', description: {}, files: null },
      ];
      const asked = new URLSearchParams(query);
      asked.set('per_page', '2');
      return path === '/gists'
        ? linkedPage(gists, { method: 'GET', path, headers, query: asked, body: '' }, url)
        : undefined;
    });
    server = await startTestServer(engine, ['--allow-local-egress', '--hosta-url', host.url]);
  });

  const post = (token: string | null, secretSent = secret, path = 'hosta') =>
    server.api(`POST /import/${path}/gists`, { token, json: { personal_access_token: secretSent } });
  const rowOf = (userId: number) =>
    server.db.read.selectFrom('gist_imports').selectAll().where('user_id', '=', userId).executeTakeFirst();

  it('become snippets, each once though the server died in between; those with too many files are passed over', async () => {
    const person = await addPerson(server, 'person');
    const disarm = armFault('gists.imported', () => {
      disarm();
      throw new Error('gone');
    });
    const started = await post(person.token);
    assert.equal(started.status, 202, started.text);
    assert.equal((await post(person.token, secret, 'github')).status, 422);
    assert.deepEqual((await post(person.token)).body, { errors: 'Import already in progress' });
    await until(async () => (await rowOf(person.user.id))?.encrypted_data === null);
    const { body } = await server.api('GET /snippets', { token: person.token });
    assert.deepEqual(
      body.map((snippet: Answer['body']) => [snippet.title, snippet.visibility, snippet.files.length]).sort(),
      [
        ['Two files', 'public', 2],
        ['c.txt', 'private', 1],
      ],
    );
    const row = await rowOf(person.user.id);
    assert.deepEqual(JSON.parse(row?.failed ?? ''), [
      { id: 'b', reason: 'Snippet maximum file count exceeded' },
      { id: 'unknown', reason: 'description must be string' },
    ]);
    assert.equal((await post(person.token)).status, 202, 'and again once it has ended');
  });

  it('are refused without a good token', async () => {
    const person = await addPerson(server, 'other');
    assert.equal((await post(null)).status, 401);
    const bad = await post(person.token, 'wrong');
    assert.deepEqual([bad.status, bad.body], [401, { errors: 'Access denied to the GitHub account' }]);
    const empty = await server.api('POST /import/hosta/gists', { token: person.token, json: {} });
    assert.deepEqual([empty.status, empty.body], [400, { error: 'personal_access_token is missing' }]);
    refusal = { status: 403, headers: { 'retry-after': '9' }, json: {} };
    const limited = await post(person.token);
    refusal = undefined;
    assert.deepEqual([limited.status, limited.body], [429, { errors: 'GitHub API rate limit exceeded' }]);
    const external = await addPerson(server, 'external', { columns: { external: 1 } });
    assert.equal((await post(external.token)).status, 403);
  });
});
