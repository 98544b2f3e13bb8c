import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

interface Named {
  readonly tag_name?: string;
  readonly name: string;
}

forEachEngine((engine) => {
  describe('group releases API', () => {
    let server: TestServer;
    let group: { id: number; full_path: string };
    const projects: { id: number; path: string }[] = [];

    const tagsOf = (answer: { body: Named[] }) => answer.body.map((one) => one.tag_name);
    const release = (project: { id: number }, tag_name: string, day: number) =>
      server.must(`POST /projects/${project.id}/releases`, {
        json: { tag_name, ref: 'main', description: `Notes of ${tag_name}`, released_at: `2024-01-${day}T00:00:00Z` },
      });
    const member = async (level: number) => {
      const user = await addUser(server, 'member');
      await server.must(`POST /groups/${group.id}/members`, { json: { user_id: user.id, access_level: level } });
      return user.token;
    };

    before(async () => {
      server = await startTestServer(engine);
      group = await server.must('POST /groups', { json: { name: 'gang', path: 'gang', visibility: 'public' } });
      const below = await server.must('POST /groups', { json: { name: 'sub', path: 'sub', parent_id: group.id } });
      for (const [name, home] of [
        ['one', group.id],
        ['two', group.id],
        ['off', group.id],
        ['deep', below.id],
      ]) {
        projects.push(
          await server.must('POST /projects', {
            json: { name, namespace_id: home, initialize_with_readme: true, visibility: 'private' },
          }),
        );
      }
      const [one, two, off, deep] = projects;
      assert.ok(one && two && off && deep);
      await release(one, 'v1', 11);
      await release(two, 'v2', 12);
      await release(one, 'v3', 13);
      await release(off, 'v4', 14);
      await release(deep, 'v5', 15);
      await server.must(`PUT /projects/${off.id}`, { json: { releases_access_level: 'disabled' } });
    });

    it('lists the releases of its own projects by date', async () => {
      const latest = await server.api(`GET /groups/${group.id}/releases`);
      assert.deepEqual([latest.status, tagsOf(latest)], [200, ['v3', 'v2', 'v1']]);
      assert.equal(latest.headers.get('x-total'), '3');
      assert.deepEqual(tagsOf(await server.api(`GET /groups/gang/releases?sort=asc&per_page=2`)), ['v1', 'v2']);
      const second = await server.api(`GET /groups/${group.id}/releases?page=2&per_page=2`);
      assert.deepEqual(tagsOf(second), ['v1']);
      for (const [i, { id }] of projects.slice(0, 2).entries()) {
        const own = await server.must(`GET /projects/${id}/releases`);
        const here = latest.body.filter((one: { commit_path: string }) =>
          one.commit_path.startsWith(`/gang/${i === 0 ? 'one' : 'two'}/`),
        );
        assert.deepEqual(here, own);
      }
    });

    it('returns fewer fields with simple', async () => {
      const [first] = await server.must(`GET /groups/${group.id}/releases?simple=true`);
      assert.deepEqual(Object.keys(first).sort(), [
        'created_at',
        'description',
        'name',
        'released_at',
        'tag_name',
        'upcoming_release',
      ]);
      assert.deepEqual([first.tag_name, first.description, first.upcoming_release], ['v3', 'Notes of v3', false]);
    });

    it('requires membership and shows the same as the project', async () => {
      const guest = { token: await member(10) };
      const seen = await server.api(`GET /groups/${group.id}/releases`, guest);
      assert.equal(seen.status, 200);
      assert.deepEqual(tagsOf(seen), [undefined, undefined, undefined]);
      assert.ok(seen.body.every((one: Named & { commit?: unknown }) => /^Release-/.test(one.name) && !one.commit));
      const simple = await server.api(`GET /groups/${group.id}/releases?simple=true`, guest);
      assert.deepEqual(tagsOf(simple), [undefined, undefined, undefined]);
      const reporter = { token: await member(20) };
      assert.deepEqual(tagsOf(await server.api(`GET /groups/${group.id}/releases`, reporter)), ['v3', 'v2', 'v1']);
      const outsider = await addUser(server, 'outsider');
      assert.equal((await server.api(`GET /groups/${group.id}/releases`, { token: outsider.token })).status, 403);
      assert.equal((await server.api(`GET /groups/${group.id}/releases`, { token: null })).status, 403);
      assert.equal((await server.api('GET /groups/none/releases')).status, 404);
      const wrong = await server.api(`GET /groups/${group.id}/releases?sort=up`);
      assert.deepEqual([wrong.status, wrong.body], [400, { error: 'sort does not have a valid value' }]);
    });

    it('needs the same number of queries for any number of releases', async () => {
      const queries = (call: string) => server.queriesOf(() => server.must(call));
      await queries(`GET /groups/${group.id}/releases`);
      const few = await queries(`GET /groups/${group.id}/releases?per_page=1&page=3`);
      assert.equal(await queries(`GET /groups/${group.id}/releases?per_page=3`), few);
    });
  });
});
