import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, it } from 'node:test';
import { forgetAbandoned } from '../../../src/imports/gists/jobs.ts';
import { beginGistImport } from '../../../src/imports/gists/store.ts';
import { armFault } from '../../../src/platform/faults.ts';
import { forEachEngine } from '../../support/engines.ts';
import { type HostReply, linkedPage, sendReply, startJsonHost } from '../../support/json-host.ts';
import { addPerson } from '../../support/scene.ts';
import { type Answer, startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';

const secret = 'gist-secret-token';

forEachEngine((engine) => {
  let server: TestServer;
  let refusal: HostReply | undefined;
  /** Blocks the source host until this is resolved. */
  const listed = Promise.withResolvers<void>();

  before(async () => {
    const host = await startJsonHost(({ path, headers, query }, url) => {
      if (path.startsWith('/raw/')) {
        assert.equal(headers.authorization, undefined, 'files are requested without the token');
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
        gist('a', ['a.txt', 'b.txt'], {
          description: 'Two files',
          public: true,
          created_at: '2020-01-02T03:04:05Z',
          updated_at: '2021-01-02T03:04:05Z',
        }),
        gist('b', many, { description: 'Too many', public: true }),
        gist('c', ['c.txt'], { description: '', public: false }),
        { id: 'd', description: {}, files: null },
      ];
      const asked = new URLSearchParams(query);
      asked.set('per_page', '2');
      if (path !== '/gists') return undefined;
      const page = linkedPage(gists, { method: 'GET', path, headers, query: asked, body: '' }, url);
      return (response) => void listed.promise.then(() => sendReply(response, page));
    });
    server = await startTestServer(engine, ['--allow-local-egress', '--hosta-url', host.url]);
  });

  const post = (token: string | null, secretSent = secret, path = 'hosta') =>
    server.api(`POST /import/${path}/gists`, { token, json: { personal_access_token: secretSent } });
  const rowOf = (userId: number) =>
    server.db.read.selectFrom('gist_imports').selectAll().where('user_id', '=', userId).executeTakeFirst();

  it('become snippets exactly once despite a crash; gists with too many files are skipped', async () => {
    const person = await addPerson(server, 'person');
    const disarm = armFault('gists.imported', () => {
      disarm();
      throw new Error('gone');
    });
    const started = await post(person.token);
    assert.equal(started.status, 202, started.text);
    assert.equal((await post(person.token, secret, 'github')).status, 422);
    assert.deepEqual((await post(person.token)).body, { errors: 'Import already in progress' });
    listed.resolve();
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
    // Emails are jobs before they are sent and files afterwards.
    const outbox = join(server.running.services.config.data, 'mail');
    const messages = async () => {
      const names = (await readdir(outbox).catch((): string[] => [])).filter((name) => name.endsWith('.eml'));
      const texts = await Promise.all(names.map((name) => readFile(join(outbox, name), 'utf8')));
      return texts.filter((text) => text.includes('Gists could not be imported') && text.includes(person.user.email));
    };
    await until(async () => (await messages()).length === 1);
    const [message = ''] = await messages();
    assert.match(message, /b: Snippet maximum file count exceeded/);
    assert.doesNotMatch(message, new RegExp(secret));
    assert.equal((await post(person.token)).status, 202, 'a new import can start after the end');
  });

  it('keep their timestamps, and abandoned imports end', async () => {
    const person = await addPerson(server, 'late');
    const { encryption } = server.running.services;
    const day = 24 * 60 * 60_000;
    await server.db.write((trx) =>
      beginGistImport(
        trx,
        {
          user_id: person.user.id,
          encrypted_data: encryption.encrypt(secret, 'gist_imports.encrypted_data'),
          started_at: 1,
        },
        0,
      ),
    );
    await forgetAbandoned(server.running.services, 1 + day);
    assert.notEqual((await rowOf(person.user.id))?.encrypted_data, null, 'not abandoned before a day has passed');
    await forgetAbandoned(server.running.services, 2 + day);
    assert.equal((await rowOf(person.user.id))?.encrypted_data, null);
    assert.equal((await post(person.token)).status, 202);
    await until(async () => (await rowOf(person.user.id))?.encrypted_data === null);
    const { body } = await server.api('GET /snippets', { token: person.token });
    const two = body.find((snippet: Answer['body']) => snippet.title === 'Two files');
    assert.deepEqual([two.created_at, two.updated_at], ['2020-01-02T03:04:05.000Z', '2021-01-02T03:04:05.000Z']);
  });

  it('require a valid token', async () => {
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
