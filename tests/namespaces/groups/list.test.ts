import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

interface Found {
  id: number;
  path: string;
}

forEachEngine((engine) => {
  describe('group lists', () => {
    let server: TestServer;
    let member: { id: number; token: string };
    let outsider: { id: number; token: string };
    let external: { id: number; token: string };
    const ids: Record<string, number> = {};

    async function make(path: string, visibility: string, parent?: string, name = path) {
      const parentId = parent === undefined ? {} : { parent_id: ids[parent] };
      const group = await server.must('POST /groups', { json: { name, path, visibility, ...parentId } });
      ids[path] = group.id;
    }

    before(async () => {
      server = await startTestServer(engine);
      [member, outsider, external] = await Promise.all([
        addUser(server, 'member'),
        addUser(server, 'outsider'),
        addUser(server, 'external'),
      ]);
      await server.must(`PUT /users/${external.id}`, { json: { external: true } });
      await make('alpha', 'public');
      await make('beta', 'internal');
      await make('gamma', 'private');
      await make('gamma-inner', 'private', 'gamma');
      await make('gamma-deep', 'private', 'gamma-inner');
      await make('gamma-side', 'private', 'gamma');
      await make('delta', 'private');
      await make('epsilon', 'private', undefined, 'Epsilon 100_x');
      const join = (group: string, access_level: number) =>
        server.must(`POST /groups/${ids[group]}/members`, { json: { user_id: member.id, access_level } });
      await join('gamma-inner', 30);
      await join('delta', 50);
    });

    async function paths(query: string, token: string | null = member.token, list = '/groups'): Promise<string[]> {
      const groups: Found[] = await server.must(`GET ${list}?per_page=100&${query}`, { token });
      return groups.map((group) => group.path);
    }

    it("show a user's groups with their descendants and ancestors", async () => {
      assert.deepEqual(await paths(''), ['delta', 'gamma', 'gamma-deep', 'gamma-inner']);
      assert.deepEqual(await paths('', outsider.token), []);
    });

    it('show all visible groups with all_available', async () => {
      const all = ['alpha', 'beta', 'delta', 'gamma', 'gamma-deep', 'gamma-inner'];
      assert.deepEqual(await paths('all_available=true'), all);
      assert.deepEqual(await paths('all_available=true', outsider.token), ['alpha', 'beta']);
      assert.deepEqual(await paths('all_available=true', external.token), ['alpha']);
      assert.deepEqual(await paths('', null), ['alpha']);
      assert.deepEqual(await paths('all_available=false', null), ['alpha']);
    });

    it('show administrators all groups by default', async () => {
      const seen: Found[] = await server.must('GET /groups?per_page=100');
      assert.equal(seen.length, 8);
    });

    it('prefer owned to min_access_level to all_available', async () => {
      assert.deepEqual(await paths('owned=true&min_access_level=10&all_available=true'), ['delta']);
      assert.deepEqual(await paths('min_access_level=30&all_available=true'), ['delta', 'gamma-deep', 'gamma-inner']);
      assert.deepEqual(await paths('min_access_level=40'), ['delta']);
      assert.deepEqual(await paths('owned=true', null), []);
      const bad = await server.api('GET /groups?min_access_level=7', { token: member.token });
      assert.deepEqual(bad.body, { error: 'min_access_level does not have a valid value' });
    });

    const filters: [string, string[]][] = [
      ['search=GAMMA', ['gamma', 'gamma-deep', 'gamma-inner', 'gamma-side']],
      ['search=gamma-in', ['gamma-deep', 'gamma-inner']],
      ['search=100_', ['epsilon']],
      ['search=epsilo_', []],
      ['visibility=internal', ['beta']],
      ['top_level_only=true', ['epsilon', 'alpha', 'beta', 'delta', 'gamma']],
      ['order_by=path&sort=desc&search=gamma-', ['gamma-side', 'gamma-inner', 'gamma-deep']],
      ['order_by=id&sort=desc&top_level_only=true', ['epsilon', 'delta', 'gamma', 'beta', 'alpha']],
      ['order_by=similarity&search=gamma-inner', ['gamma-inner', 'gamma-deep']],
      ['order_by=similarity&top_level_only=true&sort=desc', ['gamma', 'delta', 'beta', 'alpha', 'epsilon']],
      ['repository_storage=default&visibility=public', ['alpha']],
      ['repository_storage=elsewhere', []],
      ['archived=true', []],
      ['marked_for_deletion_on=2001-01-01', []],
    ];
    for (const [query, expected] of filters) {
      it(`filter by ${query}`, async () => {
        const groups: Found[] = await server.must(`GET /groups?per_page=100&${query}`);
        assert.deepEqual(
          groups.map((group) => group.path),
          expected,
        );
      });
    }

    it('exclude groups by skip_groups', async () => {
      const skip = `skip_groups[]=${ids.delta}&skip_groups[]=${ids.gamma}`;
      assert.deepEqual(await paths(skip), ['gamma-deep', 'gamma-inner']);
      assert.deepEqual(await paths(`skip_groups=${ids.delta},${ids.gamma}`), ['gamma-deep', 'gamma-inner']);
    });

    it('list subgroups and descendants of a group', async () => {
      const below = (what: string, token?: string | null) => paths('', token, `/groups/${ids.gamma}/${what}`);
      assert.deepEqual(await below('subgroups'), ['gamma-inner']);
      assert.deepEqual(await below('descendant_groups'), ['gamma-deep', 'gamma-inner']);
      const seen: Found[] = await server.must(`GET /groups/${ids.gamma}/descendant_groups`);
      assert.deepEqual(
        seen.map((group) => group.path),
        ['gamma-deep', 'gamma-inner', 'gamma-side'],
      );
      assert.equal((await server.api(`GET /groups/${ids.gamma}/subgroups`, { token: outsider.token })).status, 404);
    });

    it('let a user with a role inside a group read it, and nothing else', async () => {
      const seen = await server.must(`GET /groups/${ids.gamma}`, { token: member.token });
      assert.equal(seen.path, 'gamma');
      assert.equal((await server.api(`GET /groups/${ids['gamma-side']}`, { token: member.token })).status, 404);
      assert.equal((await server.api(`PUT /groups/${ids.gamma}`, { token: member.token, json: {} })).status, 403);
    });

    it('include statistics and custom attributes for callers who may see them', async () => {
      const project = await server.must('POST /projects', {
        json: { name: 'sized', namespace_id: ids['gamma-inner'] },
      });
      await server.db.write((trx) =>
        trx
          .updateTable('projects')
          .set({ repository_size: 7, lfs_objects_size: 5 })
          .where('id', '=', project.id)
          .execute(),
      );
      await server.must(`PUT /groups/${ids.gamma}/custom_attributes/tier`, { json: { value: 'gold' } });
      const query = 'statistics=true&with_custom_attributes=true';
      const [gamma] = await server.must(`GET /groups?${query}&custom_attributes[tier]=gold`);
      assert.equal(gamma.path, 'gamma');
      assert.deepEqual(gamma.custom_attributes, [{ key: 'tier', value: 'gold' }]);
      assert.equal(gamma.statistics.storage_size, 0);
      assert.equal(gamma.root_storage_statistics.storage_size, 12);
      const [inner] = await server.must(`GET /groups?${query}&search=gamma-inner&order_by=similarity`);
      assert.deepEqual([inner.statistics.repository_size, inner.statistics.lfs_objects_size], [7, 5]);
      assert.ok(!('root_storage_statistics' in inner));
      const [plain] = await server.must(`GET /groups?${query}&custom_attributes[tier]=x`, { token: member.token });
      assert.ok(!('statistics' in plain) && !('custom_attributes' in plain));
      assert.deepEqual(await server.must('GET /groups?custom_attributes[tier]=silver'), []);
    });

    it('support keyset pagination for unauthenticated callers', async () => {
      for (const path of ['kappa', 'lambda', 'omega']) await make(path, 'public');
      const first = await server.api('GET /groups?pagination=keyset&per_page=2', { token: null });
      const names = (answer: { body: Found[] }) => answer.body.map((group) => group.path);
      assert.deepEqual(names(first), ['alpha', 'kappa']);
      assert.equal(first.headers.get('x-total'), null);
      const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
      const second = await server.api(`GET ${next.slice(server.url.length)}`, { token: null });
      assert.deepEqual(names(second), ['lambda', 'omega']);
      assert.equal(second.headers.get('link'), null);
      const back = second.headers.get('x-prev-cursor') ?? '';
      const before = await server.api(`GET /groups?pagination=keyset&per_page=2&cursor=${back}`, { token: null });
      assert.deepEqual(names(before), ['alpha', 'kappa']);
      for (const query of ['cursor=nonsense', `cursor=${Buffer.from('{"name":1,"id":"x"}').toString('base64url')}`]) {
        const bad = await server.api(`GET /groups?pagination=keyset&${query}`, { token: null });
        assert.deepEqual([bad.status, bad.body], [400, { error: 'cursor is invalid' }]);
      }
      const other = await server.api('GET /groups?pagination=keyset&order_by=path', { token: null });
      assert.deepEqual(
        [other.status, other.body],
        [405, { error: 'Keyset pagination is not yet available for this type of request' }],
      );
      const signedIn = await server.api('GET /groups?pagination=keyset', { token: member.token });
      assert.ok(signedIn.headers.get('x-total'));
      const deep = await server.api('GET /groups?page=600&per_page=100', { token: null });
      assert.equal(deep.status, 405);
      assert.match(deep.body.error, /maximum allowed offset of 50000 for requests that return objects of type Group/);
    });

    it('need the same number of queries for many groups as for few', async () => {
      const cost = () =>
        server.queriesOf(() => server.must('GET /groups?per_page=100&statistics=true&with_custom_attributes=true'));
      const few = await cost();
      for (let number = 0; number < 20; number += 1) await make(`many-${number}`, 'private');
      assert.equal(await cost(), few);
    });
  });
});
