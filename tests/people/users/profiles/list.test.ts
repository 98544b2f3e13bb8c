import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../../support/engines.ts';
import { addPerson, type Person } from '../../../support/scene.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';

forEachEngine((engine) => {
  describe('GET /users', () => {
    let server: TestServer;
    let ann: Person;
    let judge: Person;
    let names: (query: string, token?: string | null) => Promise<string[]>;

    before(async () => {
      server = await startTestServer(engine);
      const add = (name: string, columns: object = {}) =>
        addPerson(server, name, { columns: { username: name, ...columns } });
      ann = await add('ann', { name: 'Ann Arbor', public_email: 'ann@public.example', auditor: 0 });
      await add('annabel', { name: 'Zoe', email: 'hidden@example.com' });
      await add('bob', { name: 'ann', external: 1, two_factor_enabled: 1 });
      await add('cy', { name: 'Cy', state: 'blocked' });
      await add('dora', { name: 'Dora', state: 'banned' });
      const eve = await add('eve', { name: 'Eve', state: 'deactivated' });
      await server.db.write((trx) =>
        trx.updateTable('users').set({ created_at: 1000 }).where('id', '=', eve.user.id).execute(),
      );
      await add('bot', { kind: 'project_bot', name: 'secret bot', bot_project_id: 99 });
      await add('ghost', { kind: 'ghost', name: 'Ghost User' });
      judge = await add('judge', { auditor: 1 });
      names = async (query, token) =>
        (await server.must(`GET /users?${query}`, token === undefined ? {} : { token })).map(
          (user: { username: string }) => user.username,
        );
    });

    it('lists users newest first, blocked ones for administrators only', async () => {
      const all = ['judge', 'ghost', 'bot', 'eve', 'dora', 'cy', 'bob', 'annabel', 'ann', 'root'];
      assert.deepEqual(await names(''), all);
      const seen = all.filter((name) => name !== 'cy' && name !== 'dora');
      assert.deepEqual(await names('', ann.token), seen);
    });

    it('shows the view for the viewer', async () => {
      const [basic] = await server.must('GET /users?username=ann', { token: ann.token });
      assert.deepEqual(basic, {
        id: ann.user.id,
        username: 'ann',
        public_email: 'ann@public.example',
        name: 'Ann Arbor',
        state: 'active',
        locked: false,
        avatar_url: basic.avatar_url,
        web_url: `${server.url}/ann`,
      });
      assert.match(basic.avatar_url, /^https:\/\/www\.gravatar\.com\/avatar\/[0-9a-f]{64}\?s=80&d=identicon$/);
      const [full] = await server.must('GET /users?username=ann');
      for (const key of ['email', 'is_admin', 'namespace_id', 'identities', 'note', 'sign_in_count', 'created_by']) {
        assert.ok(key in full, key);
      }
    });

    it('lets unauthenticated callers look up a username only', async () => {
      assert.deepEqual(await names('username=ANN', null), ['ann']);
      const refused = await server.api('GET /users', { token: null });
      assert.equal(refused.status, 403);
      assert.deepEqual(refused.body, { message: '403 Forbidden - Not authorized to access /api/v4/users' });
      assert.deepEqual(await names('username=nobody', null), []);
    });

    const forAll: [string, string[]][] = [
      ['username=AnN', ['ann']],
      ['public_email=Ann@Public.example', ['ann']],
      ['external=true', ['bob']],
      ['blocked=true', ['cy']],
      ['active=true', ['judge', 'bot', 'bob', 'annabel', 'ann', 'root']],
      ['active=false&username=eve', ['eve']],
      ['exclude_active=true', ['eve']],
      ['humans=true', ['judge', 'eve', 'bob', 'annabel', 'ann', 'root']],
      ['exclude_humans=true', ['ghost', 'bot']],
      ['exclude_internal=true&exclude_humans=true', ['bot']],
      ['without_project_bots=true&exclude_humans=true', ['ghost']],
      ['exclude_external=true&humans=true', ['judge', 'eve', 'annabel', 'ann', 'root']],
      ['created_before=1970-01-02', ['eve']],
      ['created_after=1970-01-02&username=eve', []],
      ['order_by=name&sort=asc&humans=true', ['root', 'ann', 'eve', 'annabel', 'bob', 'judge']],
      ['order_by=username&sort=desc&humans=true', ['root', 'judge', 'eve', 'bob', 'annabel', 'ann']],
      ['sort=asc&humans=true&per_page=2', ['root', 'ann']],
      // Exact username, then exact name, then the others by name.
      ['search=ann', ['ann', 'bob', 'annabel']],
      ['search=%40ann', ['ann', 'bob', 'annabel']],
      ['search=cy', []],
      ['search=an', []],
      ['search=bo', []],
      ['search=ann%40public.example', ['ann']],
      ['search=hidden%40example.com', []],
      ['search=a%25n', []],
      // Effective for administrators only.
      ['admins=true&username=ann', ['ann']],
      ['two_factor=enabled&username=ann', ['ann']],
      ['custom_attributes[x]=y&username=ann', ['ann']],
    ];
    it('filters, searches and sorts for everyone', async () => {
      for (const [query, expected] of forAll) assert.deepEqual(await names(query, ann.token), expected, query);
    });

    it('offers more filters to administrators', async () => {
      const { id } = ann.user;
      await server.must(`PUT /users/${id}/custom_attributes/team`, { json: { value: 'red' } });
      await server.must(`PUT /users/${id}`, { json: { provider: 'ldapmain', extern_uid: 'cn=ann' } });
      const cases: [string, string[]][] = [
        ['admins=true', ['root']],
        ['auditors=true', ['judge']],
        ['two_factor=enabled', ['bob']],
        ['two_factor=disabled&username=bob', []],
        ['search=hidden%40example.com', ['annabel']],
        ['search=cy', ['cy']],
        ['without_projects=true&username=ann', ['ann']],
        ['custom_attributes[team]=red', ['ann']],
        ['custom_attributes[team]=red&custom_attributes[size]=1', []],
        ['provider=ldapmain&extern_uid=cn%3Dann', ['ann']],
        ['skip_ldap=true&username=ann', []],
      ];
      for (const [query, expected] of cases) assert.deepEqual(await names(query), expected, query);
      const [shown] = await server.must('GET /users?username=ann&with_custom_attributes=true');
      assert.deepEqual(shown.custom_attributes, [{ key: 'team', value: 'red' }]);
      assert.deepEqual(shown.identities, [{ provider: 'ldapmain', extern_uid: 'cn=ann', saml_provider_id: null }]);
    });

    it('shows auditors the administrator view except for custom attributes', async () => {
      await server.must(`PUT /users/${ann.user.id}/custom_attributes/team`, { json: { value: 'red' } });
      const { token } = judge;
      const [seen] = await server.must('GET /users?username=ann&with_custom_attributes=true', { token });
      assert.deepEqual([seen.email, 'custom_attributes' in seen], [ann.user.email, false]);
      assert.deepEqual(await names('custom_attributes[team]=red&username=bob', token), ['bob']);
      assert.deepEqual(await names('admins=true', token), ['root']);
      assert.ok('highest_role' in (await server.must(`GET /users/${ann.user.id}`, { token })));
    });

    it('rejects invalid parameters', async () => {
      const error = async (query: string, token?: string) =>
        (await server.api(`GET /users?${query}`, token ? { token } : {})).body;
      assert.deepEqual(await error('order_by=email'), { error: 'order_by does not have a valid value' });
      assert.deepEqual(await error('active=maybe'), { error: 'active is invalid' });
      assert.deepEqual(await error('created_after=yesterday'), { error: 'created_after is invalid' });
      assert.deepEqual(await error('extern_uid=1'), {
        error: 'extern_uid, provider provide all or none of parameters',
      });
      assert.deepEqual(await error('extern_uid=1&provider=x', ann.token), { message: '403 Forbidden' });
    });

    it('hides the name of a bot from viewers who cannot see its project', async () => {
      const [seen] = await server.must('GET /users?username=bot', { token: ann.token });
      assert.equal(seen.name, '****');
      const [known] = await server.must('GET /users?username=bot');
      assert.equal(known.name, 'secret bot');
    });

    it('supports keyset pagination in every order and direction', async () => {
      for (const order of ['id', 'name', 'username', 'created_at', 'updated_at']) {
        const query = `pagination=keyset&order_by=${order}&sort=asc&per_page=4`;
        const first = await server.api(`GET /users?${query}`);
        assert.equal(first.headers.get('x-total'), null);
        assert.equal(first.headers.get('x-prev-cursor'), null);
        const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
        const second = await server.api(`GET ${next.slice(server.url.length)}`);
        const back = await server.api(`GET /users?${query}&cursor=${second.headers.get('x-prev-cursor')}`);
        assert.deepEqual(back.body, first.body, order);
        const third = await server.api(`GET /users?${query}&cursor=${second.headers.get('x-next-cursor')}`);
        assert.equal(third.headers.get('link'), null, order);
        const walked = [...first.body, ...second.body, ...third.body].map((user) => user.username);
        assert.deepEqual(walked, await names(`order_by=${order}&sort=asc`), order);
      }
      const broken = await server.api('GET /users?pagination=keyset&cursor=xyz');
      assert.deepEqual([broken.status, broken.body], [400, { error: 'cursor is invalid' }]);
    });

    it('limits offset pagination to 50,000', async () => {
      const last = await server.api('GET /users?page=500&per_page=100');
      assert.equal(last.status, 200);
      const deeper = await server.api('GET /users?page=501&per_page=100');
      assert.equal(deeper.status, 405);
      assert.match(deeper.body.error, /^Offset pagination has a maximum allowed offset of 50000 .* type User\./);
    });

    it('needs the same number of queries for many users as for few', async () => {
      const count = (perPage: number) =>
        server.queriesOf(() => server.must(`GET /users?with_custom_attributes=true&per_page=${perPage}`));
      await count(3);
      assert.equal(await count(9), await count(3));
    });
  });
});
