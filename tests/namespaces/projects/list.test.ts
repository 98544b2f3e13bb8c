import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { addPerson, addProject, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { addGroup, join } from './people.ts';

forEachEngine((engine) => {
  describe('project lists', () => {
    let server: TestServer;
    let ann: Person;
    let bob: Person;
    let guest: Person;
    let group: { id: number; full_path: string };
    let inner: { id: number };
    const ids: Record<string, number> = {};

    const make = async (name: string, json: object = {}) => {
      ids[name] = (await server.must('POST /projects', { json: { name, ...json } })).id;
    };

    before(async () => {
      server = await startTestServer(engine);
      ann = await addPerson(server, 'ann');
      bob = await addPerson(server, 'bob');
      guest = await addPerson(server, 'guest');
      group = await addGroup(server, { visibility: 'public', name: 'Alpha Group' });
      inner = await addGroup(server, { visibility: 'private', parent_id: group.id });
      await join(server, guest, { namespace_id: group.id }, 10);
      await make('alpha', {
        namespace_id: group.id,
        visibility: 'public',
        topics: 'go,web',
        description: 'Zebra crossing',
      });
      await make('beta', { namespace_id: group.id, visibility: 'internal', topics: 'go' });
      await make('gamma', { namespace_id: inner.id, issues_access_level: 'disabled' });
      await make('delta', { visibility: 'public', issues_access_level: 'private' });
      await make('epsilon');
      ids.mine = (await addProject(server, ann, 'mine')).id;
      await join(server, ann, { project_id: ids.epsilon as number }, 30);
      await server.must(`POST /projects/${ids.alpha}/star`, ann);
      await server.must(`POST /projects/${ids.beta}/archive`);
    });

    const names = async (call: string, who: Person | null | undefined = undefined) => {
      const answer = await server.api(`GET ${call}`, who === undefined ? {} : { token: who?.token ?? null });
      assert.equal(answer.status, 200, answer.text);
      return answer.body.map((project: { name: string }) => project.name);
    };

    it('show each caller the visible projects, newest first', async () => {
      const all = ['mine', 'epsilon', 'delta', 'gamma', 'beta', 'alpha'];
      assert.deepEqual(await names('/projects'), all);
      assert.deepEqual(await names('/projects', null), ['delta', 'alpha']);
      assert.deepEqual(await names('/projects', bob), ['delta', 'beta', 'alpha']);
      assert.deepEqual(await names('/projects', ann), ['mine', 'epsilon', 'delta', 'beta', 'alpha']);
      assert.deepEqual(await names('/projects', guest), ['delta', 'gamma', 'beta', 'alpha']);
      const outside = await addPerson(server, 'external', { columns: { external: 1 } });
      assert.deepEqual(await names('/projects', outside), ['delta', 'alpha']);
      const auditor = await addPerson(server, 'auditor', { columns: { auditor: 1 } });
      assert.deepEqual(await names('/projects', auditor), all);
    });

    it('use the view for the caller', async () => {
      const [anonymous] = await server.must('GET /projects', { token: null });
      assert.equal('_links' in anonymous, false);
      const [simple] = await server.must('GET /projects?simple=true', ann);
      assert.equal('_links' in simple, false);
      const [full] = await server.must('GET /projects?statistics=true', ann);
      assert.equal(full.permissions.project_access.access_level, 50);
      assert.equal(full.statistics.repository_size, 0);
    });

    const filters: [string, string[]][] = [
      ['order_by=name&sort=asc', ['alpha', 'beta', 'delta', 'epsilon', 'mine']],
      ['order_by=path&sort=desc', ['mine', 'epsilon', 'delta', 'beta', 'alpha']],
      ['order_by=star_count', ['alpha', 'mine', 'epsilon', 'delta', 'beta']],
      ['order_by=id&sort=asc', ['alpha', 'beta', 'delta', 'epsilon', 'mine']],
      ['order_by=storage_size&sort=asc', ['alpha', 'beta', 'delta', 'epsilon', 'mine']],
      ['membership=true', ['mine', 'epsilon']],
      ['owned=true', ['mine']],
      ['owned=true&min_access_level=10', ['mine']],
      ['min_access_level=30', ['mine', 'epsilon']],
      ['min_access_level=40', ['mine']],
      ['starred=true', ['alpha']],
      ['visibility=public', ['delta', 'alpha']],
      ['visibility=private', ['mine', 'epsilon']],
      ['archived=true', ['beta']],
      ['archived=false', ['mine', 'epsilon', 'delta', 'alpha']],
      ['active=true', ['mine', 'epsilon', 'delta', 'alpha']],
      ['active=false', ['beta']],
      ['search=alph', ['alpha']],
      ['search=ZEBRA', ['alpha']],
      ['search=al', []],
      ['search=%25', []],
      ['search=lta&search_namespaces=true', ['delta']],
      ['search=Alpha Group&search_namespaces=true', ['beta', 'alpha']],
      ['search=mine&order_by=similarity', ['mine']],
      ['topic=go', ['beta', 'alpha']],
      ['topic=go,web', ['alpha']],
      ['topic[]=GO&topic[]=nothing', []],
      ['with_issues_enabled=true', ['mine', 'epsilon', 'beta', 'alpha']],
      ['with_merge_requests_enabled=true&membership=true', ['mine', 'epsilon']],
      ['with_programming_language=Go', []],
      ['imported=true', []],
      ['wiki_checksum_failed=true', []],
      ['updated_after=2020-01-01&order_by=updated_at&sort=asc&owned=true', ['mine']],
      ['last_activity_after=2999-01-01', []],
      ['marked_for_deletion_on=2020-01-01', []],
      ['custom_attributes[a]=b&repository_storage=nowhere&owned=true', ['mine']],
    ];
    for (const [query, expected] of filters) {
      it(`filter by ${query}`, async () => {
        assert.deepEqual(await names(`/projects?${query.replaceAll(' ', '%20')}`, ann), expected);
      });
    }

    it('filter by id', async () => {
      const query = `id_after=${ids.beta}&id_before=${ids.epsilon}`;
      assert.deepEqual(await names(`/projects?${query}`), ['delta', 'gamma']);
      assert.deepEqual(await names('/projects?topic_id=1', ann), ['beta', 'alpha']);
    });

    it('ignore filters for own projects when unauthenticated', async () => {
      for (const query of ['owned=true', 'membership=true', 'min_access_level=10']) {
        assert.deepEqual(await names(`/projects?${query}`, null), []);
      }
      assert.deepEqual(await names('/projects?starred=true', null), ['delta', 'alpha']);
    });

    it('filter by custom attributes for administrators', async () => {
      await server.must(`PUT /projects/${ids.alpha}/custom_attributes/tier`, { json: { value: 'gold' } });
      assert.deepEqual(await names('/projects?custom_attributes[tier]=gold'), ['alpha']);
      const [shown] = await server.must('GET /projects?custom_attributes[tier]=gold&with_custom_attributes=true');
      assert.deepEqual(shown.custom_attributes, [{ key: 'tier', value: 'gold' }]);
    });

    const refusals: [string, unknown][] = [
      ['order_by=size', { error: 'order_by does not have a valid value' }],
      ['min_access_level=5', { error: 'min_access_level does not have a valid value' }],
      ['archived=maybe', { error: 'archived is invalid' }],
      ['id_after=x', { error: 'id_after is invalid' }],
      ['per_page=0', { error: 'per_page has a value not allowed' }],
      [
        'updated_before=2020-01-01',
        { message: '400 Bad request - `updated_at` filter and `updated_at` sorting must be paired' },
      ],
    ];
    for (const [query, body] of refusals) {
      it(`reject ${query}`, async () => {
        const answer = await server.api(`GET /projects?${query}`, ann);
        assert.deepEqual([answer.status, answer.body], [400, body]);
      });
    }

    it('are paginated with headers', async () => {
      const answer = await server.api('GET /projects?per_page=2&page=2&order_by=name&sort=asc', ann);
      assert.deepEqual(
        answer.body.map((project: { name: string }) => project.name),
        ['delta', 'epsilon'],
      );
      const header = (name: string) => answer.headers.get(name);
      assert.deepEqual(['x-total', 'x-total-pages', 'x-next-page', 'x-prev-page', 'x-page'].map(header), [
        '5',
        '3',
        '3',
        '1',
        '2',
      ]);
      const head = await server.api('HEAD /projects', ann);
      assert.equal(head.headers.get('x-total'), '5');
    });

    it('support keyset pagination', async () => {
      const seen: string[] = [];
      let next: string | undefined = '/projects?pagination=keyset&per_page=2&order_by=id&sort=asc';
      while (next) {
        const answer = await server.api(`GET ${next}`, ann);
        assert.equal(answer.headers.get('x-total'), null);
        seen.push(...answer.body.map((project: { name: string }) => project.name));
        const link = answer.headers.get('link');
        assert.equal(link === null, answer.body.length === 0);
        next = link?.match(/api\/v4([^>]*)>; rel="next"/)?.[1];
      }
      assert.deepEqual(seen, ['alpha', 'beta', 'delta', 'epsilon', 'mine']);
      const refused = await server.api('GET /projects?pagination=keyset&order_by=name', ann);
      assert.deepEqual(
        [refused.status, refused.body],
        [405, { error: 'Keyset pagination is not yet available for this type of request' }],
      );
    });

    it('include the projects of a group', async () => {
      const call = `/groups/${group.id}/projects`;
      assert.deepEqual(await names(call), ['beta', 'alpha']);
      assert.deepEqual(await names(`${call}?include_subgroups=true`), ['gamma', 'beta', 'alpha']);
      assert.deepEqual(await names(`${call}?include_subgroups=true`, bob), ['beta', 'alpha']);
      assert.deepEqual(await names(`${call}?archived=false`), ['alpha']);
      assert.deepEqual(await names(`/groups/${inner.id}/projects?include_ancestor_groups=true`), [
        'gamma',
        'beta',
        'alpha',
      ]);
      assert.deepEqual(await names(call, null), ['alpha']);
      const [first] = await server.must(`GET ${call}`, ann);
      assert.equal('permissions' in first, false);
      assert.equal('_links' in first, true);
      assert.equal((await server.api(`GET /groups/${inner.id}/projects`, bob)).status, 404);
    });

    it('include projects shared with a group', async () => {
      const other = await addGroup(server, { visibility: 'public' });
      await server.must(`POST /projects/${ids.delta}/share`, { json: { group_id: other.id, group_access: 30 } });
      assert.deepEqual(await names(`/groups/${other.id}/projects/shared`), ['delta']);
      assert.deepEqual(await names(`/groups/${other.id}/projects`), ['delta']);
      assert.deepEqual(await names(`/groups/${other.id}/projects?with_shared=false`), []);
    });

    it('include the projects of a user', async () => {
      for (const user of [ann.user.id, ann.user.username]) {
        assert.deepEqual(await names(`/users/${user}/projects`, ann), ['mine']);
      }
      assert.deepEqual(await names(`/users/${ann.user.id}/projects`, bob), []);
      assert.deepEqual(await names(`/users/${ann.user.id}/starred_projects`, bob), ['alpha']);
      assert.deepEqual(await names(`/users/${ann.user.id}/contributed_projects`, ann), ['mine']);
      const missing = await server.api('GET /users/nobody-here/projects', ann);
      assert.deepEqual([missing.status, missing.body], [404, { message: '404 User Not Found' }]);
      const shy = await addPerson(server, 'shy', { columns: { private_profile: 1 } });
      await server.must(`POST /projects/${ids.alpha}/star`, shy);
      assert.deepEqual(await names(`/users/${shy.user.id}/starred_projects`, bob), []);
      assert.deepEqual(await names(`/users/${shy.user.id}/starred_projects`, shy), ['alpha']);
    });

    it('need the same number of queries whatever their length', async () => {
      const owner = await addPerson(server, 'owner');
      const queries = async () => {
        let page: unknown[] = [];
        const count = await server.queriesOf(async () => {
          page = await server.must('GET /projects?membership=true&per_page=100', owner);
        });
        return [page.length, count];
      };
      const add = async (count: number) => {
        for (let at = 0; at < count; at++) {
          const { id } = await addProject(server, owner, `p${crypto.randomUUID()}`);
          await server.must(`POST /projects/${id}/share`, { json: { group_id: group.id, group_access: 20 } });
        }
      };
      await add(2);
      // The first use of a token is recorded.
      await queries();
      const [few, first] = await queries();
      await add(4);
      const [more, second] = await queries();
      assert.deepEqual([few, more], [2, 6]);
      assert.equal(second, first);
    });
  });
});
