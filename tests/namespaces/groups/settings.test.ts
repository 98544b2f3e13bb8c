import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { isListed } from '../../../src/access/limits/address-restriction.ts';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { rootToken, startTestServer, type TestServer } from '../../support/server.ts';

const lists: [list: string, ip: string, listed: boolean][] = [
  ['10.0.0.0/8', '10.255.0.1', true],
  ['10.0.0.0/8', '11.0.0.1', false],
  ['10.0.0.0/8', '::ffff:10.0.0.1', true],
  ['192.0.2.7', '192.0.2.7', true],
  ['192.0.2.7', '192.0.2.8', false],
  ['10.0.0.0/8, 2001:db8::/32', '2001:db8::1', true],
  ['2001:db8::/32', '2001:db9::1', false],
  ['2001:db8::/32', '10.0.0.1', false],
  ['::1', '::1', true],
  ['0.0.0.0/0', '198.51.100.1', true],
];

describe('IP range list', () => {
  for (const [list, ip, listed] of lists) {
    it(`${list} ${listed ? 'contains' : 'does not contain'} ${ip}`, () => assert.equal(isListed(list, ip), listed));
  }
});

let count = 0;
const fresh = (name: string) => `${name}-${++count}`;

forEachEngine((engine) => {
  describe('effects of group settings', () => {
    let server: TestServer;
    let owner: { id: number; token: string };
    let developer: { id: number; token: string };

    before(async () => {
      // The client address is taken from the header, as behind a proxy.
      server = await startTestServer(engine, ['--trusted-proxies', '127.0.0.1']);
      owner = await addUser(server, 'owner');
      developer = await addUser(server, 'developer');
    });

    const newGroup = async (json: object = {}) => {
      const path = fresh('group');
      const group = await server.must('POST /groups', { json: { name: path, path, ...json }, token: owner.token });
      await server.api(`POST /groups/${group.id}/members`, {
        json: { user_id: developer.id, access_level: 30 },
        token: owner.token,
      });
      return group;
    };
    const newProject = (namespace_id: number, json: object = {}) =>
      server.must('POST /projects', {
        json: { name: fresh('project'), namespace_id, initialize_with_readme: true, ...json },
        token: owner.token,
      });
    const set = (id: number, json: object) => server.must(`PUT /groups/${id}`, { json, token: owner.token });

    describe('ip_restriction_ranges', () => {
      const at = (ip: string) => ({ 'x-forwarded-for': ip });
      const git = async (path: string, token: string, ip: string) => {
        const authorization = `Basic ${Buffer.from(`x:${token}`).toString('base64')}`;
        const headers = { authorization, ...at(ip) };
        const url = `${server.url}/${path}.git/info/refs?service=git-upload-pack`;
        const answer = await fetch(url, { headers });
        await answer.arrayBuffer();
        return answer.status;
      };

      it('blocks other addresses in the whole hierarchy, over the API and Git', async () => {
        const group = await newGroup({ visibility: 'public' });
        const below = await newGroup({ parent_id: group.id, visibility: 'public' });
        const project = await newProject(below.id, { visibility: 'public' });
        await set(group.id, { ip_restriction_ranges: '192.0.2.0/24' });
        const statuses = async (token: string | null, ip: string) => [
          (await server.api(`GET /groups/${group.id}`, { token, headers: at(ip) })).status,
          (await server.api(`GET /groups/${below.id}`, { token, headers: at(ip) })).status,
          (await server.api(`GET /projects/${project.id}`, { token, headers: at(ip) })).status,
          (await server.api(`GET /projects/${project.id}/repository/tree`, { token, headers: at(ip) })).status,
          token === null ? 200 : await git(project.path_with_namespace, token, ip),
        ];
        const [inside, outside] = ['192.0.2.9', '198.51.100.9'];
        const all = [200, 200, 200, 200, 200];
        assert.deepEqual(await statuses(developer.token, inside), all);
        assert.deepEqual(await statuses(null, inside), all);
        assert.deepEqual(await statuses(developer.token, outside), [404, 404, 404, 404, 404]);
        assert.deepEqual(await statuses(null, outside), [404, 404, 404, 404, 200]);
        assert.deepEqual(
          await statuses(owner.token, outside),
          [200, 200, 404, 404, 404],
          'owners can access their groups',
        );
        assert.deepEqual(await statuses(rootToken, outside), all, 'administrators can access everything');
        const listed = async () =>
          (await server.must(`GET /groups/${below.id}/projects`, { headers: at(outside) })).length;
        const everywhere = (list: string) =>
          server.api('PUT /application/settings', { json: { globally_allowed_ips: list } });
        const refused = await everywhere('198.51.100.0/24, nowhere');
        assert.deepEqual(
          [refused.status, refused.body],
          [400, { message: { globally_allowed_ips: ['is an invalid IP address range'] } }],
        );
        await everywhere('203.0.113.1');
        assert.deepEqual(await statuses(developer.token, outside), [404, 404, 404, 404, 404]);
        await everywhere('203.0.113.1, 198.51.100.0/24');
        assert.deepEqual(await statuses(developer.token, outside), all, 'administrators can exempt the address');
        assert.equal(await listed(), 1);
        await everywhere('');
        assert.deepEqual(await statuses(developer.token, outside), [404, 404, 404, 404, 404]);
        await set(group.id, { ip_restriction_ranges: '' });
        assert.deepEqual(await statuses(developer.token, outside), all);
      });

      it('apply to to-dos and references in texts', async () => {
        const group = await newGroup({ visibility: 'public' });
        const project = await newProject(group.id, { visibility: 'public' });
        const issue = await server.must(`POST /projects/${project.id}/issues`, {
          json: { title: 'Kept in' },
          token: developer.token,
        });
        await server.must(`POST /projects/${project.id}/issues/${issue.iid}/todo`, { token: developer.token });
        await set(group.id, { ip_restriction_ranges: '192.0.2.0/24' });
        const seen = async (ip: string) => {
          const as = { token: developer.token, headers: at(ip) };
          const todos = await server.must('GET /todos', as);
          const text = `${project.path_with_namespace}#${issue.iid}+`;
          const { html } = await server.must('POST /markdown', { ...as, json: { text, gfm: true } });
          return [todos.length, html.includes('Kept in')];
        };
        assert.deepEqual(await seen('192.0.2.9'), [1, true]);
        assert.deepEqual(await seen('198.51.100.9'), [0, false]);
      });

      it('apply to deploy tokens', async () => {
        const group = await newGroup();
        const project = await newProject(group.id);
        const { token, username } = await server.must(`POST /projects/${project.id}/deploy_tokens`, {
          json: { name: 'deploy', scopes: ['read_repository'] },
          token: owner.token,
        });
        await set(group.id, { ip_restriction_ranges: '192.0.2.0/24' });
        const authorization = `Basic ${Buffer.from(`${username}:${token}`).toString('base64')}`;
        const url = `${server.url}/${project.path_with_namespace}.git/info/refs?service=git-upload-pack`;
        for (const [ip, status] of [
          ['192.0.2.1', 200],
          ['198.51.100.1', 404],
        ] as const) {
          const answer = await fetch(url, { headers: { authorization, ...at(ip) } });
          await answer.arrayBuffer();
          assert.equal(answer.status, status);
        }
      });
    });

    it('prevent_forking_outside_group restricts forks to the group', async () => {
      const group = await newGroup();
      const below = await newGroup({ parent_id: group.id });
      const elsewhere = await newGroup();
      const project = await newProject(group.id);
      await set(group.id, { prevent_forking_outside_group: true });
      const fork = (json: object) => server.api(`POST /projects/${project.id}/fork`, { json, token: owner.token });
      for (const json of [{}, { namespace_id: elsewhere.id }]) {
        const answer = await fork(json);
        assert.deepEqual([answer.status, answer.body], [404, { message: '404 Target Namespace Not Found' }]);
      }
      assert.equal((await fork({ namespace_id: below.id })).status, 201);
      const other = await newProject(elsewhere.id);
      const link = await server.api(`POST /projects/${other.id}/fork/${project.id}`, { token: owner.token });
      assert.deepEqual([link.status, link.body], [401, { message: '401 Unauthorized - Target Namespace' }]);
      await set(group.id, { prevent_forking_outside_group: false });
      assert.equal((await fork({})).status, 201);
    });

    it('default_branch and lfs_enabled are defaults of new projects', async () => {
      const group = await newGroup({ default_branch: 'trunk', lfs_enabled: false });
      const below = await newGroup({ parent_id: group.id });
      for (const id of [group.id, below.id]) {
        const project = await newProject(id);
        assert.deepEqual([project.default_branch, project.lfs_enabled], ['trunk', false]);
      }
      const own = await newProject(group.id, { default_branch: 'own', lfs_enabled: true });
      assert.deepEqual([own.default_branch, own.lfs_enabled], ['own', true]);
    });
  });
});
