import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../support/engines.ts';
import { rootToken, startTestServer, type TestServer } from '../support/server.ts';

const password = 'Correct-horse-9';

forEachEngine((engine) => {
  describe('a search with several words', () => {
    let server: TestServer;
    let group: number;
    let project: number;

    before(async () => {
      server = await startTestServer(engine);
      const make = async (call: string, json: object) => (await server.must(call, { json })).id as number;
      group = await make('POST /groups', { name: 'Blue Sky Works', path: 'works' });
      await make('POST /groups', { name: 'Blue Sea', path: 'sea', parent_id: group });
      project = await make('POST /projects', { name: 'Rain', namespace_id: group });
      for (const [username, name] of [
        ['adal', 'Ada Byron Lovelace'],
        ['adamant', 'Adam Ant'],
      ] as const) {
        const email = `${username}@example.com`;
        const id = await make('POST /users', { username, name, email, password, skip_confirmation: true });
        for (const place of [`/groups/${group}`, `/projects/${project}`]) {
          await server.must(`POST ${place}/members`, {
            json: { user_id: id, access_level: place[1] === 'g' ? 20 : 30 },
          });
        }
      }
      await server.must(`POST /projects/${project}/labels`, { json: { name: 'needs more tests', color: 'red' } });
      await server.must(`POST /projects/${project}/labels`, { json: { name: 'needs nothing', color: 'red' } });
    });

    const found = async (path: string, key: string) => {
      const { status, body, text } = await server.api(`GET ${path}`, { token: rootToken });
      assert.equal(status, 200, text);
      return body.map((row: Record<string, string>) => row[key]).toSorted();
    };

    for (const path of [
      '/users?search=',
      '/users?order_by=id&search=',
      '/search?scope=users&search=',
      '/groups/works/members?query=',
      '/groups/works/members/all?query=',
      '/projects/works%2Frain/members?query=',
      '/projects/works%2Frain/members/all?query=',
      '/projects/works%2Frain/users?search=',
    ]) {
      it(`finds users whose names contain all of them: ${path}`, async () => {
        assert.deepEqual(await found(`${path}lovelace%20ada`, 'username'), ['adal']);
        assert.deepEqual(await found(`${path}ad%20lovelace`, 'username'), ['adal']);
        assert.deepEqual(await found(`${path}adam%20adamant`, 'username'), ['adamant']);
        assert.deepEqual(await found(`${path}ada%20%20byron`, 'username'), ['adal']);
        assert.deepEqual(await found(`${path}%22ada%20byron%22`, 'username'), ['adal']);
        assert.deepEqual(await found(`${path}%22byron%20ada%22`, 'username'), []);
        assert.deepEqual(await found(`${path}lovelace%20ant`, 'username'), []);
        assert.deepEqual(await found(`${path}ada`, 'username'), ['adal', 'adamant']);
      });
    }

    it('finds groups, namespaces and labels', async () => {
      for (const path of ['/groups?search=', '/namespaces?full_path_search=true&search=']) {
        assert.deepEqual(await found(`${path}works%20sky%20blue`, 'path'), ['sea', 'works'], path);
        assert.deepEqual(await found(`${path}sea%20works`, 'path'), ['sea'], path);
        assert.deepEqual(await found(`${path}%22sky%20blue%22`, 'path'), [], path);
      }
      for (const path of ['/groups/works/subgroups?search=', '/namespaces?search=']) {
        assert.deepEqual(await found(`${path}sea%20blue`, 'path'), ['sea'], path);
      }
      const labels = `/projects/${project}/labels?search=`;
      assert.deepEqual(await found(`${labels}tests%20needs`, 'name'), ['needs more tests']);
      assert.deepEqual(await found(`${labels}needs`, 'name'), ['needs more tests', 'needs nothing']);
    });
  });
});
