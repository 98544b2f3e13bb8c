import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { findUser } from '../../../src/access/credentials/identify.ts';
import { makeSnippet } from '../../../src/planning/snippets/add.ts';
import { repositoryExists } from '../../../src/platform/git/repository.ts';
import { atOnce, inRounds, statuses } from '../../support/at-once.ts';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';

interface Person {
  id: number;
  username: string;
  token: string;
}

forEachEngine((engine) => {
  describe('snippets', () => {
    let server: TestServer;
    let project: { id: number; path_with_namespace: string };
    let author: Person;
    let other: Person;
    let guest: Person;
    let reporter: Person;

    before(async () => {
      server = await startTestServer(engine);
      const group = await server.must('POST /groups', { json: { name: 'Team', path: 'team', visibility: 'public' } });
      project = await server.must('POST /projects', {
        json: { name: 'It', path: 'it', namespace_id: group.id, visibility: 'public' },
      });
      [author, other, guest, reporter] = (await Promise.all([
        addUser(server, 'author'),
        addUser(server, 'other'),
        addUser(server, 'guest'),
        addUser(server, 'reporter'),
      ])) as [Person, Person, Person, Person];
      const join = (user_id: number, access_level: number) =>
        server.must(`POST /projects/${project.id}/members`, { json: { user_id, access_level } });
      await join(author.id, 30);
      await join(guest.id, 10);
      await join(reporter.id, 20);
    });

    const make = (json: object = {}, token = author.token) =>
      server.must('POST /snippets', {
        token,
        json: { title: 'Note', content: 'hello\n', file_name: 'a.txt', ...json },
      });
    const makeHere = (json: object = {}, token = author.token) =>
      server.must(`POST /projects/${project.id}/snippets`, {
        token,
        json: { title: 'Here', files: [{ file_path: 'b.rb', content: 'puts 1\n' }], visibility: 'public', ...json },
      });

    it('leave no repository behind if their creation is interrupted', async () => {
      const { services } = server.running;
      const user = await findUser(server.db.read, author.id);
      assert.ok(user);
      const files = [{ file_path: 'a', content: 'a' }];
      const { repository } = await makeSnippet(services, user, { title: 'lost', visibility: 0, files });
      const { id } = await make();
      const stored = await server.db.read
        .selectFrom('snippets')
        .select('repository')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      const waiting = () => services.queue.underWay('snippets.clear', [repository, stored.repository]);
      assert.deepEqual([...(await waiting())], [repository]);
      // Even a cleanup that was not canceled keeps the repository of an existing snippet.
      const both = { repositories: [repository, stored.repository] };
      await server.db.write((trx) => services.queue.enqueue(trx, 'snippets.clear', both, { dedupeKey: repository }));
      await until(async () => !(await repositoryExists(services.git.repository(repository))));
      assert.ok(await repositoryExists(services.git.repository(stored.repository)));
      await server.must(`DELETE /snippets/${id}`, { token: author.token });
      await until(async () => !(await repositoryExists(services.git.repository(stored.repository))));
    });

    it('show user agent details to administrators', async () => {
      const json = { title: 'Mine', visibility: 'public', files: [{ file_path: 'a', content: 'b' }] };
      for (const at of ['/snippets', `/projects/${project.id}/snippets`]) {
        const { id } = await server.must(`POST ${at}`, { token: author.token, json });
        const { user_agent, akismet_submitted } = await server.must(`GET ${at}/${id}/user_agent_detail`);
        assert.deepEqual([typeof user_agent, akismet_submitted], ['string', false]);
        assert.equal((await server.api(`GET ${at}/${id}/user_agent_detail`, { token: author.token })).status, 403);
        assert.equal((await server.api(`GET ${at}/987654/user_agent_detail`)).status, 404);
        await server.must(`DELETE ${at}/${id}`, { token: author.token });
      }
    });

    it('can be created, read, updated and deleted', async () => {
      const made = await server.api('POST /snippets', {
        token: author.token,
        json: { title: 'One', description: 'text', content: 'hello\n', file_name: 'a.txt' },
      });
      assert.equal(made.status, 201);
      const { id } = made.body;
      const web = `${server.url}/-/snippets/${id}`;
      assert.deepEqual(made.body, {
        id,
        title: 'One',
        description: 'text',
        visibility: 'internal',
        author: made.body.author,
        created_at: made.body.created_at,
        updated_at: made.body.created_at,
        project_id: null,
        web_url: web,
        raw_url: `${web}/raw`,
        ssh_url_to_repo: made.body.ssh_url_to_repo,
        http_url_to_repo: `${server.url}/snippets/${id}.git`,
        file_name: 'a.txt',
        files: [{ path: 'a.txt', raw_url: `${web}/raw/main/a.txt` }],
        imported: false,
        imported_from: 'none',
      });
      const raw = await server.api(`GET /snippets/${id}/raw`, { token: author.token });
      assert.deepEqual([raw.text, raw.headers.get('content-type')], ['hello\n', 'text/plain; charset=utf-8']);
      const renamed = await server.must(`PUT /snippets/${id}`, {
        token: author.token,
        json: { file_name: 'b.txt', title: 'Two', visibility: 'private' },
      });
      assert.deepEqual([renamed.title, renamed.file_name, renamed.visibility], ['Two', 'b.txt', 'private']);
      assert.equal((await server.api(`GET /snippets/${id}/raw`, { token: author.token })).text, 'hello\n');
      const changed = await server.must(`PUT /snippets/${id}`, {
        token: author.token,
        json: {
          files: [
            { action: 'create', file_path: 'dir/c.txt', content: 'c' },
            { action: 'update', file_path: 'b.txt', content: 'b' },
          ],
        },
      });
      assert.deepEqual(
        changed.files.map((file: { path: string }) => file.path),
        ['b.txt', 'dir/c.txt'],
      );
      const file = `GET /snippets/${id}/files/main/${encodeURIComponent('dir/c.txt')}/raw`;
      assert.equal((await server.api(file, { token: author.token })).text, 'c');
      const page = async (url: string) => (await fetch(url, { headers: { 'private-token': author.token } })).text();
      assert.equal(await page(changed.raw_url), 'b');
      assert.equal(await page(changed.files[1].raw_url), 'c');
      assert.equal((await fetch(changed.raw_url)).status, 404);
      const [{ repository }] = (await server.db.read
        .selectFrom('snippets')
        .select('repository')
        .where('id', '=', id)
        .execute()) as [{ repository: string }];
      const repo = server.running.services.git.repository(repository);
      assert.ok(await repositoryExists(repo));
      assert.equal((await server.api(`DELETE /snippets/${id}`, { token: author.token })).status, 204);
      const deleted = await server.api(`GET /snippets/${id}`, { token: author.token });
      assert.deepEqual([deleted.status, deleted.body], [404, { message: '404 Snippet Not Found' }]);
      await until(async () => !(await repositoryExists(repo)));
    });

    it('reject invalid input with the documented errors, without changes', async () => {
      const { id } = await make();
      const two = await make({
        content: undefined,
        file_name: undefined,
        files: [
          { file_path: 'x', content: '1' },
          { file_path: 'y', content: '2' },
        ],
      });
      const many = Array.from({ length: 11 }, (_, n) => ({ file_path: `f${n}`, content: 'x' }));
      const table: [string, object, number, unknown][] = [
        ['POST /snippets', { content: 'x', file_name: 'a' }, 400, { error: 'title is missing, title is empty' }],
        ['POST /snippets', { title: '', content: 'x', file_name: 'a' }, 400, { error: 'title is empty' }],
        ['POST /snippets', { title: 'x', content: 'x' }, 400, { error: 'file_name is missing' }],
        [
          'POST /snippets',
          { title: 'x' },
          400,
          { error: 'files, content are missing, exactly one parameter must be provided' },
        ],
        [
          'POST /snippets',
          { title: 'x', content: 'x', file_name: 'a', visibility: 'secret' },
          400,
          { error: 'visibility does not have a valid value' },
        ],
        ['POST /snippets', { title: 'x', content: 'x', file_name: '../a' }, 400, undefined],
        [
          'POST /snippets',
          { title: 'x'.repeat(256), content: 'x', file_name: 'a' },
          422,
          { message: { error: 'Title is too long (maximum is 255 characters)' } },
        ],
        [
          'POST /snippets',
          { title: 'x', files: many },
          400,
          { message: { error: 'The repository can contain at most 10 file(s).' } },
        ],
        [
          `PUT /snippets/${id}`,
          {},
          400,
          {
            error:
              'content, description, files, file_name, title, visibility are missing, at least one parameter must be provided',
          },
        ],
        [
          `PUT /snippets/${id}`,
          { files: [{ action: 'delete', file_path: 'a.txt' }] },
          400,
          { message: { error: 'The repository must contain at least 1 file.' } },
        ],
        [`PUT /snippets/${id}`, { files: [{ action: 'update', file_path: 'nope', content: 'x' }] }, 400, undefined],
        [
          `PUT /snippets/${id}`,
          { files: [{ action: 'update' }] },
          422,
          { message: { error: 'Snippet actions have invalid data' } },
        ],
        [
          `PUT /snippets/${two.id}`,
          { content: 'x' },
          400,
          { message: { error: 'To update Snippets with multiple files, you must use the `files` parameter' } },
        ],
        [
          `POST /projects/${project.id}/snippets`,
          { title: 'x', content: 'x', file_name: 'a' },
          400,
          { error: 'visibility is missing' },
        ],
      ];
      for (const [call, json, status, body] of table) {
        const answer = await server.api(call, { token: author.token, json });
        assert.equal(answer.status, status, `${call} ${JSON.stringify(json).slice(0, 60)}: ${answer.text}`);
        if (body) assert.deepEqual(answer.body, body);
      }
      const stored = await server.must(`GET /snippets/${id}`, { token: author.token });
      assert.deepEqual([stored.files.length, stored.title], [1, 'Note']);
    });

    it('are visible according to their visibility', async () => {
      const ids = {
        private: (await make({ visibility: 'private' })).id,
        internal: (await make({ visibility: 'internal' })).id,
        public: (await make({ visibility: 'public' })).id,
      };
      const seen = async (token: string | null) => {
        const found: string[] = [];
        for (const [level, id] of Object.entries(ids)) {
          for (const path of ['', '/raw', '/files/main/a.txt/raw']) {
            if ((await server.api(`GET /snippets/${id}${path}`, { token })).status === 200) found.push(level + path);
          }
        }
        return found;
      };
      const all = (...levels: string[]) =>
        levels.flatMap((level) => [level, `${level}/raw`, `${level}/files/main/a.txt/raw`]);
      assert.deepEqual(await seen(null), all('public'));
      assert.deepEqual(await seen(other.token), all('internal', 'public'));
      assert.deepEqual(await seen(author.token), all('private', 'internal', 'public'));
      for (const token of [other.token, undefined]) {
        const sending = token === undefined ? {} : { token };
        const call = `/snippets/${ids.public}`;
        assert.equal((await server.api(`PUT ${call}`, { ...sending, json: { title: 'taken' } })).status, 404);
        assert.equal((await server.api(`DELETE ${call}`, sending)).status, 404);
      }
      const listed = async (call: string, token: string) =>
        new Set((await server.must(call, { token })).map((snippet: { id: number }) => snippet.id));
      const own = await listed('GET /snippets?per_page=100', author.token);
      assert.deepEqual(
        Object.values(ids).map((id) => own.has(id)),
        [true, true, true],
      );
      const open = await listed('GET /snippets/public?per_page=100', other.token);
      assert.deepEqual(
        Object.values(ids).map((id) => open.has(id)),
        [false, false, true],
      );
      const every = await listed('GET /snippets/all?per_page=100', other.token);
      assert.deepEqual(
        Object.values(ids).map((id) => every.has(id)),
        [false, true, true],
      );
      for (const path of ['', '/public', '/all']) {
        assert.equal((await server.api(`GET /snippets${path}`, { token: null })).status, 401);
      }
    });

    it('of projects follow the permissions of the project', async () => {
      const secret = await makeHere({ visibility: 'private' });
      const open = await makeHere();
      assert.equal(open.web_url, `${server.url}/team/it/-/snippets/${open.id}`);
      assert.equal(open.http_url_to_repo, `${server.url}/team/it/snippets/${open.id}.git`);
      const path = `/projects/${project.id}/snippets`;
      const status = async (call: string, token: string | null, json?: object) =>
        (await server.api(call, { token, ...(json && { json }) })).status;
      const wanted = { title: 'x', content: 'x', file_name: 'x', visibility: 'public' };
      assert.equal(await status(`POST ${path}`, guest.token, wanted), 403);
      assert.equal(await status(`POST ${path}`, null, wanted), 401);
      assert.equal(await status(`POST ${path}`, reporter.token, wanted), 201);
      assert.equal(await status(`GET ${path}`, null), 401);
      const ids = async (token: string) =>
        (await server.must(`GET ${path}?per_page=100`, { token })).map((snippet: { id: number }) => snippet.id);
      assert.ok((await ids(guest.token)).includes(secret.id));
      assert.ok(!(await ids(other.token)).includes(secret.id));
      assert.ok((await ids(other.token)).includes(open.id));
      const missing = await server.api(`GET ${path}/${secret.id}`, { token: other.token });
      assert.deepEqual([missing.status, missing.body], [404, { message: '404 Not found' }]);
      assert.equal(await status(`GET ${path}/${open.id}/raw`, null), 200);
      assert.equal(await (await fetch(open.files[0].raw_url)).text(), 'puts 1\n');
      assert.equal((await fetch(secret.files[0].raw_url)).status, 404);
      assert.equal(await status(`PUT ${path}/${open.id}`, reporter.token, { title: 'taken' }), 403);
      assert.equal(await status(`DELETE ${path}/${open.id}`, other.token), 403);
      assert.equal(await status(`PUT ${path}/${open.id}`, author.token, { content: 'puts 2\n' }), 200);
      assert.equal((await server.api(`GET ${path}/${open.id}/raw`)).text, 'puts 2\n');
      assert.equal(await status(`GET ${path}/${open.id}/files/nope/b.rb/raw`, author.token), 404);
      assert.equal(await status(`GET /snippets/${open.id}`, author.token), 200);
      assert.equal(await status(`GET /snippets/${secret.id}`, other.token), 404);
      assert.equal(await status(`GET /snippets/${secret.id}/raw`, other.token), 404);
      assert.equal(await status(`PUT /snippets/${open.id}`, reporter.token, { title: 'taken' }), 404);
      assert.equal(await status(`PUT /snippets/${open.id}`, author.token, { title: 'mine' }), 200);
      const all = (await server.must('GET /snippets/all?per_page=100', { token: other.token })).map(
        (snippet: { id: number }) => snippet.id,
      );
      assert.deepEqual([all.includes(open.id), all.includes(secret.id)], [true, false]);
      await server.must(`PUT /projects/${project.id}`, { json: { snippets_access_level: 'disabled' } });
      assert.equal(await status(`GET ${path}`, author.token), 403);
      const hidden = await server.must('GET /snippets/all?per_page=100', { token: other.token });
      assert.ok(!hidden.some((snippet: { id: number }) => snippet.id === open.id));
      await server.must(`PUT /projects/${project.id}`, { json: { snippets_access_level: 'enabled' } });
    });

    it('have notes', async () => {
      const snippet = await makeHere();
      const path = `/projects/${project.id}/snippets/${snippet.id}/notes`;
      const made = await server.api(`POST ${path}`, { token: other.token, json: { body: 'good' } });
      assert.equal(made.status, 201);
      const { noteable_type, noteable_id, noteable_iid, project_id } = made.body;
      assert.deepEqual(
        [noteable_type, noteable_id, noteable_iid, project_id],
        ['Snippet', snippet.id, null, project.id],
      );
      assert.equal((await server.must(`GET ${path}`)).length, 1);
      const one = `${path}/${made.body.id}`;
      assert.equal((await server.must(`GET ${one}`)).body, 'good');
      const unsaid = await server.api(`PUT ${one}`, { token: other.token, json: {} });
      assert.equal(unsaid.status, 400);
      assert.equal((await server.must(`PUT ${one}`, { token: other.token, json: { body: 'better' } })).body, 'better');
      assert.equal((await server.api(`PUT ${one}`, { token: guest.token, json: { body: 'no' } })).status, 403);
      const internal = await server.api(`POST ${path}`, { json: { body: 'x', internal: true } });
      assert.deepEqual(
        [internal.status, internal.body.message],
        [400, '400 Bad request - Note {:confidential=>["can not be set for this resource"]}'],
      );
      const secret = await makeHere({ visibility: 'private' });
      const hidden = await server.api(`GET /projects/${project.id}/snippets/${secret.id}/notes`, {
        token: other.token,
      });
      assert.deepEqual([hidden.status, hidden.body], [404, { message: '404 Snippet Not Found' }]);
      assert.equal((await server.api(`GET ${path}`, { token: null })).status, 401);
      assert.equal((await server.api(`DELETE ${one}`, { token: other.token })).status, 204);
    });

    it('are deleted by exactly one of several concurrent requests, with one job', async () => {
      await inRounds(async () => {
        const { id } = await make();
        const answers = await atOnce(5, () => server.api(`DELETE /snippets/${id}`, { token: author.token }));
        assert.deepEqual(statuses(answers), { 204: 1, 404: 4 });
      });
      const jobs = await server.db.read
        .selectFrom('jobs')
        .select('payload')
        .where('kind', '=', 'snippets.clear')
        .execute();
      for (const { payload } of jobs) assert.notEqual(payload, '{"repositories":[]}');
    });

    it('lose no concurrent changes', async () => {
      const { id } = await make();
      const answers = await atOnce(6, (n) =>
        server.api(`PUT /snippets/${id}`, {
          token: author.token,
          json: { files: [{ action: 'create', file_path: `n${n}`, content: 'x' }] },
        }),
      );
      assert.deepEqual(statuses(answers), { 200: 6 });
      const { files } = await server.must(`GET /snippets/${id}`, { token: author.token });
      assert.equal(files.length, 7);
    });

    it('are deleted with their author, and project snippets transferred to the ghost user', async () => {
      const leaver = await addUser(server, 'leaver');
      await server.must(`POST /projects/${project.id}/members`, { json: { user_id: leaver.id, access_level: 30 } });
      const own = await make({ visibility: 'public' }, leaver.token);
      const here = await makeHere({}, leaver.token);
      await server.must(`DELETE /users/${leaver.id}`);
      await until(async () => (await server.api(`GET /users/${leaver.id}`)).status === 404);
      assert.equal((await server.api(`GET /snippets/${own.id}`)).status, 404);
      const stored = await server.must(`GET /projects/${project.id}/snippets/${here.id}`);
      assert.equal(stored.author.username, 'ghost');
    });

    it('are rejected for accounts whose group disables personal snippets', async () => {
      const group = await server.must('POST /groups', { json: { name: 'Firm', path: 'firm' } });
      const account = (await addUser(server, 'account')) as Person;
      await server.db.write((trx) =>
        trx.updateTable('users').set({ provisioned_by_group_id: group.id }).where('id', '=', account.id).execute(),
      );
      const json = { title: 'Mine', visibility: 'private', file_name: 'a', content: 'b' };
      const add = async (person: Person) => (await server.api('POST /snippets', { token: person.token, json })).status;
      assert.equal(await add(account), 201);
      await server.must(`PUT /groups/${group.id}`, { json: { allow_personal_snippets: false } });
      assert.equal(await add(account), 403);
      assert.equal(await add(other), 201);
    });
  });
});
