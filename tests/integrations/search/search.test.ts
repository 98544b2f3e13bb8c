import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const word = 'platypus';

forEachEngine((engine) => {
  describe('search API', () => {
    let server: TestServer;
    let group: { id: number };
    let hidden: { id: number };
    let open: { id: number };
    let insider: { id: number; username: string; token: string };
    let outsider: { id: number; token: string };

    async function fill(project: { id: number }) {
      const at = `/projects/${project.id}`;
      const actions = [
        {
          action: 'create',
          file_path: 'lib/animals.rb',
          content: `one\ntwo\nthree\nA ${word.toUpperCase()} here\nfive\nsix\nseven\n`,
        },
        { action: 'create', file_path: `docs/${word}.md`, content: 'By its name' },
        { action: 'create', file_path: 'lib/other.txt', content: `a ${word}` },
      ];
      await server.must(`POST ${at}/repository/commits`, {
        json: { branch: 'main', commit_message: `Add the ${word}`, actions },
      });
      const issue = await server.must(`POST ${at}/issues`, {
        json: { title: 'Plain', description: `About a ${word}` },
      });
      await server.must(`POST ${at}/issues`, { json: { title: `Secret ${word}`, confidential: true } });
      await server.must(`POST ${at}/issues/${issue.iid}/notes`, { json: { body: `I saw a ${word}` } });
      await server.must(`POST ${at}/issues/${issue.iid}/notes`, { json: { body: `internal ${word}`, internal: true } });
      await server.must(`POST ${at}/repository/branches`, { json: { branch: 'topic', ref: 'main' } });
      const change = [{ action: 'create', file_path: 'topic.txt', content: 'topic' }];
      await server.must(`POST ${at}/repository/commits`, {
        json: { branch: 'topic', commit_message: 'Topic', actions: change },
      });
      await server.must(`POST ${at}/merge_requests`, {
        json: { source_branch: 'topic', target_branch: 'main', title: `Merge the ${word}` },
      });
      const now = Date.now();
      await server.db.write((trx) =>
        trx
          .insertInto('milestones')
          .values({
            iid: 1,
            project_id: project.id,
            namespace_id: null,
            title: `The ${word} release`,
            description: null,
            start_date: null,
            due_date: null,
            created_at: now,
            updated_at: now,
          })
          .execute(),
      );
    }

    before(async () => {
      server = await startTestServer(engine);
      group = await server.must('POST /groups', { json: { name: 'Zoo', path: 'zoo' } });
      hidden = await server.must('POST /projects', { json: { name: `Hidden ${word}`, namespace_id: group.id } });
      open = await server.must('POST /projects', { json: { name: `Open ${word}`, visibility: 'public' } });
      insider = await addUser(server, word);
      outsider = await addUser(server, 'outsider');
      await server.must(`POST /projects/${hidden.id}/members`, { json: { user_id: insider.id, access_level: 30 } });
      await fill(hidden);
      await fill(open);
      await server.must('POST /snippets', {
        json: { title: `Private ${word}`, files: [{ file_path: 'a', content: 'b' }], visibility: 'private' },
      });
    });

    const find = (where: string, scope: string, token: string, more = '') =>
      server.api(`GET ${where}/search?scope=${scope}&search=${word}${more}`, { token });
    const idsOf = async (where: string, scope: string, token: string) =>
      (await find(where, scope, token)).body.map(
        (each: { project_id?: number; id: number }) => each.project_id ?? each.id,
      );

    it('finds only what the caller can read, in every scope of the instance', async () => {
      for (const scope of ['issues', 'merge_requests', 'milestones']) {
        assert.deepEqual(new Set(await idsOf('', scope, insider.token)), new Set([hidden.id, open.id]), scope);
        assert.deepEqual(new Set(await idsOf('', scope, outsider.token)), new Set([open.id]), scope);
      }
      const mine = (await find('', 'projects', insider.token)).body.map(({ id }: { id: number }) => id);
      assert.deepEqual(new Set(mine), new Set([hidden.id, open.id]));
      const theirs = (await find('', 'projects', outsider.token)).body.map(({ id }: { id: number }) => id);
      assert.deepEqual(theirs, [open.id]);
      assert.deepEqual((await find('', 'users', outsider.token)).body[0].username, insider.username);
      assert.deepEqual((await find('', 'snippet_titles', outsider.token)).body, []);
      const titles = (await find('', 'issues', insider.token)).body.map(({ title }: { title: string }) => title);
      assert.ok(titles.includes(`Secret ${word}`));
      const open1 = (await find('', 'issues', outsider.token)).body.map(({ title }: { title: string }) => title);
      assert.deepEqual(open1, ['Plain']);
      assert.deepEqual((await find('', 'issues', outsider.token, '&fields=title')).body, []);
    });

    it('reveals nothing of private projects and groups to outsiders', async () => {
      for (const scope of [
        'issues',
        'merge_requests',
        'milestones',
        'notes',
        'wiki_blobs',
        'commits',
        'blobs',
        'users',
      ]) {
        assert.equal((await find(`/projects/${hidden.id}`, scope, outsider.token)).status, 404, scope);
      }
      for (const scope of ['projects', 'issues', 'merge_requests', 'milestones', 'users']) {
        assert.equal((await find(`/groups/${group.id}`, scope, outsider.token)).status, 404, scope);
        assert.equal((await find(`/groups/${group.id}`, scope, insider.token)).status, 200, scope);
      }
      assert.deepEqual(await idsOf(`/groups/${group.id}`, 'issues', insider.token), [hidden.id, hidden.id]);
      assert.deepEqual(await idsOf(`/groups/${group.id}/-`, 'milestones', insider.token), [hidden.id]);
    });

    it('finds files by content and name, with filters', async () => {
      const at = `/projects/${open.id}`;
      const { body } = await find(at, 'blobs', outsider.token);
      const byPath = new Map(body.map((blob: { path: string }) => [blob.path, blob]));
      assert.deepEqual(byPath.get('lib/animals.rb'), {
        basename: 'lib/animals',
        data: 'two\nthree\nA PLATYPUS here\nfive\nsix\n',
        path: 'lib/animals.rb',
        filename: 'lib/animals.rb',
        id: null,
        ref: 'main',
        startline: 2,
        project_id: open.id,
        group_id: null,
      });
      assert.ok(byPath.has(`docs/${word}.md`));
      assert.equal(body.length, 3);
      const paths = async (more: string) =>
        (await find(at, 'blobs', outsider.token, more)).body.map(({ path }: { path: string }) => path);
      assert.deepEqual(await paths('%20extension:rb'), ['lib/animals.rb']);
      assert.deepEqual(await paths('%20path:docs'), [`docs/${word}.md`]);
      assert.deepEqual(await paths('%20-path:lib'), [`docs/${word}.md`]);
      assert.deepEqual(await paths('&ref=nonsense'), []);
      const first = await find(at, 'blobs', outsider.token, '&per_page=2');
      assert.equal(first.body.length, 2);
      assert.equal(first.headers.get('x-next-page'), '2');
      assert.equal((await find(at, 'blobs', outsider.token, '&per_page=2&page=2')).body.length, 1);
    });

    it('finds commits by message and ID, notes, milestones and users of a project', async () => {
      const at = `/projects/${open.id}`;
      const { body } = await find(at, 'commits', outsider.token);
      assert.deepEqual(
        body.map(({ title }: { title: string }) => title),
        [`Add the ${word}`],
      );
      const byId = await server.must(`GET ${at}/search?scope=commits&search=${body[0].short_id}`, {
        token: outsider.token,
      });
      assert.equal(byId[0].id, body[0].id);
      const comments = (await find(at, 'notes', outsider.token)).body;
      assert.deepEqual(
        comments.map((note: { body: string; noteable_iid: number }) => [note.body, note.noteable_iid]),
        [[`I saw a ${word}`, 1]],
      );
      assert.equal((await server.must(`GET ${at}/search?scope=notes&search=${word}`)).length, 2);
      assert.equal((await find(at, 'milestones', outsider.token)).body.length, 1);
      assert.equal((await find(`/projects/${hidden.id}`, 'users', insider.token)).body[0].username, insider.username);
      assert.deepEqual((await find(at, 'wiki_blobs', outsider.token)).body, []);
    });

    it('respects the access levels of code and issues', async () => {
      const at = `/projects/${open.id}`;
      await server.must(`PUT ${at}`, { json: { repository_access_level: 'private', issues_access_level: 'private' } });
      for (const scope of ['blobs', 'commits', 'issues', 'notes', 'merge_requests', 'milestones']) {
        assert.deepEqual((await find(at, scope, outsider.token)).body, [], scope);
      }
      assert.deepEqual((await find('', 'milestones', outsider.token)).body, []);
      assert.ok((await server.must(`GET ${at}/search?scope=blobs&search=${word}`)).length > 0);
      await server.must(`PUT ${at}`, { json: { repository_access_level: 'enabled', issues_access_level: 'enabled' } });
    });

    it('rejects unauthenticated, empty and invalid searches', async () => {
      assert.equal((await server.api(`GET /search?scope=projects&search=x`, { token: null })).status, 401);
      assert.equal(
        (await server.api(`GET /projects/${open.id}/search?scope=blobs&search=x`, { token: null })).status,
        401,
      );
      const bad = await server.api(`GET /groups/${group.id}/search?scope=snippet_titles&search=x`);
      assert.deepEqual([bad.status, bad.body], [400, { error: 'scope does not have a valid value' }]);
      assert.equal((await server.api('GET /search?scope=projects')).status, 400);
      assert.equal((await server.api(`GET /search?scope=projects&search=${'x'.repeat(4097)}`)).status, 400);
      const odd = [`-e`, '--open-files-in-pager=x', '%00', '%0A', '[', '\\'].map(encodeURIComponent);
      for (const text of odd) {
        for (const scope of ['blobs', 'commits']) {
          const { status } = await server.api(`GET /projects/${open.id}/search?scope=${scope}&search=${text}`);
          assert.equal(status, 200, `${scope} ${text}`);
        }
      }
    });

    it('excludes forks on request', async () => {
      const fork = await server.must(`POST /projects/${open.id}/fork`, {
        json: { name: `Fork of ${word}`, path: 'a-fork', visibility: 'public' },
      });
      const found = async (where: string, more = '') =>
        (await find(where, 'projects', insider.token, more)).body.map(({ id }: { id: number }) => id);
      assert.ok((await found('')).includes(fork.id));
      assert.ok((await found('', '&exclude_forks=false')).includes(fork.id));
      const without = await found('', '&exclude_forks=true');
      assert.ok(without.includes(open.id) && !without.includes(fork.id));
    });

    it('is rate limited per minute', async () => {
      await server.must('PUT /application/settings', { json: { search_rate_limit: 2 } });
      const statuses = [];
      for (let i = 0; i < 3; i++) statuses.push((await find('', 'projects', insider.token)).status);
      await server.must('PUT /application/settings', { json: { search_rate_limit: 300 } });
      assert.equal(statuses.at(-1), 429);
    });

    it('finds readable epics of a group and its subgroups', async () => {
      const place = (path: string, more = {}) =>
        server.must('POST /groups', { json: { name: path, path, visibility: 'public', ...more } });
      const top = await place('with-epics');
      const below = await place('below-epics', { parent_id: top.id });
      const add = (id: number, json: object) => server.must(`POST /groups/${id}/epics`, { json });
      await add(top.id, { title: `An epic ${word}` });
      await add(below.id, { title: 'Plain', description: `Of a ${word}` });
      await add(top.id, { title: `A secret ${word}`, confidential: true });
      await add(top.id, { title: 'Something else' });
      const found = async (token: string | undefined, more = '') => {
        const path = `GET /groups/${top.id}/search?scope=epics&search=${word}${more}`;
        const { status, body } = await server.api(path, token === undefined ? {} : { token });
        assert.equal(status, 200, JSON.stringify(body));
        return body.map(({ title }: { title: string }) => title);
      };
      assert.deepEqual(await found(undefined), [`A secret ${word}`, 'Plain', `An epic ${word}`]);
      assert.deepEqual(await found(outsider.token), ['Plain', `An epic ${word}`]);
      assert.deepEqual(await found(outsider.token, '&fields=title'), [`An epic ${word}`]);
      assert.deepEqual(await found(undefined, '&state=closed'), []);
      assert.equal((await server.api(`GET /search?scope=epics&search=${word}`)).status, 400);
    });
  });
});
