import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const word = 'wombat';
const scopes = ['blobs', 'commits', 'wiki_blobs', 'notes'];

forEachEngine((engine) => {
  describe('search across projects', () => {
    let server: TestServer;
    let group: { id: number };
    let below: { id: number };
    let open: { id: number };
    let inside: { id: number };
    let elsewhere: { id: number };
    let guest: { id: number; token: string };
    let reporter: { id: number; token: string };
    let outsider: { id: number; token: string };

    async function fill(json: Record<string, unknown>): Promise<{ id: number }> {
      const project = await server.must('POST /projects', { json: { ...json, initialize_with_readme: true } });
      const at = `/projects/${project.id}`;
      const actions = ['a.txt', 'b.txt'].map((file_path) => ({ action: 'create', file_path, content: `a ${word}\n` }));
      await server.must(`POST ${at}/repository/commits`, {
        json: { branch: 'main', commit_message: `Feed the ${word}`, actions },
      });
      await server.must(`POST ${at}/wikis`, { json: { title: 'Food', content: `What a ${word} eats` } });
      const { iid } = await server.must(`POST ${at}/issues`, { json: { title: 'Hungry' } });
      await server.must(`POST ${at}/issues/${iid}/notes`, { json: { body: `The ${word} is fed` } });
      await server.must(`POST ${at}/issues/${iid}/notes`, {
        json: { body: `Only we know the ${word}`, internal: true },
      });
      return project;
    }

    before(async () => {
      server = await startTestServer(engine);
      group = await server.must('POST /groups', { json: { name: 'Zoo', path: 'zoo', visibility: 'public' } });
      below = await server.must('POST /groups', { json: { name: 'Cages', path: 'cages', parent_id: group.id } });
      open = await fill({ name: 'Open', namespace_id: group.id, visibility: 'public' });
      inside = await fill({ name: 'Inside', namespace_id: below.id });
      elsewhere = await fill({ name: 'Elsewhere', visibility: 'public' });
      await server.must('POST /projects', { json: { name: 'Empty', namespace_id: group.id, visibility: 'public' } });
      [guest, reporter, outsider] = [
        await addUser(server, 'guest'),
        await addUser(server, 'reporter'),
        await addUser(server, 'outsider'),
      ];
      await server.must(`POST /projects/${inside.id}/members`, { json: { user_id: guest.id, access_level: 10 } });
      await server.must(`POST /projects/${inside.id}/members`, { json: { user_id: reporter.id, access_level: 20 } });
    });

    const find = (where: string, scope: string, { token }: { token: string }, more = '') =>
      server.api(`GET ${where}/search?scope=${scope}&search=${word}${more}`, { token });
    const projectsOf = async (where: string, scope: string, person: { token: string }, more = '') => {
      const { body } = await find(where, scope, person, more);
      return [...new Set(body.map(({ project_id }: { project_id: number }) => project_id))];
    };

    it('finds what the caller can read in each, newest project first', async () => {
      for (const scope of scopes) {
        assert.deepEqual(await projectsOf('', scope, reporter), [elsewhere.id, inside.id, open.id], scope);
        assert.deepEqual(await projectsOf('', scope, outsider), [elsewhere.id, open.id], scope);
        assert.deepEqual(await projectsOf(`/groups/${group.id}`, scope, reporter), [inside.id, open.id], scope);
        assert.deepEqual(await projectsOf(`/groups/${group.id}`, scope, outsider), [open.id], scope);
        assert.deepEqual(await projectsOf(`/groups/${below.id}/-`, scope, reporter), [inside.id], scope);
        assert.equal((await find(`/groups/${below.id}`, scope, outsider)).status, 404, scope);
      }
    });

    it('hides code and commits from guests, and shows internal notes to planners', async () => {
      const at = `/groups/${below.id}`;
      assert.deepEqual(await projectsOf(at, 'blobs', guest), []);
      assert.deepEqual(await projectsOf(at, 'commits', guest), []);
      assert.deepEqual(await projectsOf(at, 'wiki_blobs', guest), [inside.id]);
      const bodies = async (person: { token: string }) =>
        (await find(at, 'notes', person)).body.map(({ body }: { body: string }) => body);
      assert.deepEqual(await bodies(guest), [`The ${word} is fed`]);
      assert.deepEqual(await bodies(reporter), [`Only we know the ${word}`, `The ${word} is fed`]);
    });

    it('paginates across projects', async () => {
      const found: [number, string][] = [];
      let page = 1;
      for (let next = '1'; next !== ''; page++) {
        const { body, headers } = await find('', 'blobs', reporter, `&per_page=1&page=${page}`);
        for (const { project_id, path } of body) found.push([project_id, path]);
        next = headers.get('x-next-page') ?? '';
        assert.equal(headers.get('x-total'), next === '' ? '6' : null);
      }
      const each = (id: number) => [[id, 'a.txt'] as const, [id, 'b.txt'] as const];
      assert.deepEqual(found, [...each(elsewhere.id), ...each(inside.id), ...each(open.id)]);
      const behind = await find('', 'blobs', reporter, '&per_page=5&page=9');
      assert.deepEqual([behind.body, behind.headers.get('x-total')], [[], '6']);
      assert.deepEqual((await find('', 'blobs', reporter, '&per_page=100&page=21')).body, []);
      const one = await find(`/projects/${open.id}`, 'blobs', reporter, '&per_page=5&page=9');
      assert.deepEqual([one.body, one.headers.get('x-total')], [[], '2']);
      const commits = await find(`/projects/${open.id}`, 'commits', reporter, '&per_page=5&page=9');
      assert.deepEqual([commits.body, commits.headers.get('x-total')], [[], null]);
    });

    it('excludes archived projects and, on request, forks', async () => {
      const fork = await server.must(`POST /projects/${open.id}/fork`, { json: { path: 'fork', name: 'Fork' } });
      await server.running.services.queue.drain();
      assert.ok((await projectsOf('', 'blobs', outsider)).includes(fork.id));
      assert.ok(!(await projectsOf('', 'blobs', outsider, '&exclude_forks=true')).includes(fork.id));
      await server.must(`POST /projects/${elsewhere.id}/archive`);
      assert.ok(!(await projectsOf('', 'blobs', outsider)).includes(elsewhere.id));
      assert.ok((await projectsOf('', 'blobs', outsider, '&include_archived=true')).includes(elsewhere.id));
    });

    it('returns the requested number of context lines', async () => {
      const { body } = await find(`/groups/${group.id}`, 'blobs', outsider, '&num_context_lines=0');
      assert.equal(body[0].data, `a ${word}\n`);
      assert.equal((await find('', 'blobs', outsider, '&num_context_lines=21')).status, 400);
    });
  });
});
