import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

type Person = Awaited<ReturnType<typeof addUser>>;

forEachEngine((engine) => {
  describe('snippet repositories', () => {
    let server: TestServer;
    let author: Person;
    let other: Person;
    let reader: Person;

    before(async () => {
      server = await startTestServer(engine);
      author = await addUser(server, 'author');
      other = await addUser(server, 'other');
      reader = await addUser(server, 'reader', ['read_repository']);
    });

    const make = (json: object, token = author.token) =>
      server.must('POST /snippets', {
        token,
        json: { title: 'Note', content: 'hello\n', file_name: 'a.txt', ...json },
      });
    const as = ({ token }: { token: string }, url: string) => url.replace('://', `://git:${token}@`);

    it('can be cloned and pushed to by their author', async () => {
      const snippet = await make({ visibility: 'private' });
      const client = new GitClient();
      await client.git('clone', '-q', as(author, snippet.http_url_to_repo), '.');
      assert.equal(await readFile(join(client.folder, 'a.txt'), 'utf8'), 'hello\n');
      await client.commit({ 'b.txt': 'more\n' });
      await client.git('push', '-q', 'origin', 'main');
      const { files } = await server.must(`GET /snippets/${snippet.id}`, { token: author.token });
      assert.deepEqual(
        files.map((file: { path: string }) => file.path),
        ['a.txt', 'b.txt'],
      );
      const branch = await client.run('push', 'origin', 'main:other');
      assert.notEqual(branch.code, 0);
      assert.match(branch.stderr, /You can not create or delete branches/);
      await client.commit(Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`f${n}`, 'x'])));
      const many = await client.run('push', 'origin', 'main');
      assert.notEqual(many.code, 0);
      assert.match(many.stderr, /at most 10 file/);
      assert.equal((await server.must(`GET /snippets/${snippet.id}`, { token: author.token })).files.length, 2);
    });

    it('accept files up to the size limit of the instance', async () => {
      await server.must('PUT /application/settings', { json: { snippet_size_limit: 10 } });
      const json = { title: 'Note', file_name: 'a.txt', visibility: 'private' };
      const refused = await server.api('POST /snippets', {
        token: author.token,
        json: { ...json, content: 'eleven byte' },
      });
      assert.deepEqual(
        [refused.status, refused.body],
        [422, { message: { error: 'Content is too long. The maximum size is 10 Bytes.' } }],
      );
      const snippet = await make({ content: '10 byte\u00e9\n' });
      const client = new GitClient();
      await client.git('clone', '-q', as(author, snippet.http_url_to_repo), '.');
      await client.commit({ 'a.txt': 'eleven byte' });
      const pushed = await client.run('push', 'origin', 'main');
      assert.notEqual(pushed.code, 0);
      assert.match(pushed.stderr, /The maximum size is 10 Bytes/);
      await server.must('PUT /application/settings', { json: { snippet_size_limit: 52_428_800 } });
    });

    it('cannot be cloned without read access', async () => {
      const secret = await make({ visibility: 'private' });
      const open = await make({ visibility: 'public' });
      const fetches = async (url: string) => (await new GitClient().run('clone', '-q', url, '.')).code === 0;
      assert.equal(await fetches(as(other, secret.http_url_to_repo)), false);
      assert.equal(await fetches(secret.http_url_to_repo), false);
      assert.equal(await fetches(as(other, open.http_url_to_repo)), true);
      assert.equal(await fetches(as(reader, open.http_url_to_repo)), true);
      assert.equal(await fetches(open.http_url_to_repo), true);
      assert.equal(await fetches(as(author, open.http_url_to_repo.replace(`${open.id}.git`, '99999.git'))), false);
      const client = new GitClient();
      await client.git('clone', '-q', as(other, open.http_url_to_repo), '.');
      await client.commit({ 'b.txt': 'mine\n' });
      assert.match((await client.run('push', 'origin', 'main')).stderr, /not allowed|403/);
      assert.equal((await server.must(`GET /snippets/${open.id}`)).files.length, 1);
    });

    it('of projects are below the project path', async () => {
      const project = await server.must('POST /projects', { json: { name: 'Holder', visibility: 'private' } });
      await server.must(`POST /projects/${project.id}/members`, { json: { user_id: author.id, access_level: 30 } });
      const snippet = await server.must(`POST /projects/${project.id}/snippets`, {
        token: author.token,
        json: { title: 'In', content: 'in\n', file_name: 'in.txt', visibility: 'public' },
      });
      const url = snippet.http_url_to_repo;
      assert.equal(url, `${server.url}/${project.path_with_namespace}/snippets/${snippet.id}.git`);
      const client = new GitClient();
      await client.git('clone', '-q', as(author, url), '.');
      assert.equal(await readFile(join(client.folder, 'in.txt'), 'utf8'), 'in\n');
      assert.notEqual((await new GitClient().run('clone', '-q', as(other, url), '.')).code, 0);
      const elsewhere = `${server.url}/snippets/${snippet.id}.git`;
      assert.notEqual((await new GitClient().run('clone', '-q', as(author, elsewhere), '.')).code, 0);
    });
  });
});
