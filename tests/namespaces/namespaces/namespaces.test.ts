import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

interface Found {
  id: number;
  full_path: string;
}

forEachEngine((engine) => {
  describe('namespaces API', () => {
    let server: TestServer;
    let user: { id: number; username: string; token: string };
    let group: { id: number };
    let inner: { id: number };
    let joined: { id: number };

    before(async () => {
      server = await startTestServer(engine);
      user = await addUser(server, 'user');
      const make = (path: string, token: string | undefined, more: object = {}) =>
        server.must('POST /groups', { token, json: { name: path.toUpperCase(), path, ...more } });
      group = await make('mine', user.token);
      inner = await make('inner', user.token, { parent_id: group.id });
      joined = await make('joined', undefined);
      await make('open', undefined, { visibility: 'public' });
      await server.must(`POST /groups/${joined.id}/members`, { json: { user_id: user.id, access_level: 20 } });
    });

    const paths = async (query: string, token: string | undefined = user.token): Promise<string[]> =>
      (await server.must(`GET /namespaces?${query}`, { token })).map((found: Found) => found.full_path);

    it("lists the personal namespace and the caller's groups", async () => {
      assert.deepEqual(await paths(''), [user.username, 'mine', 'mine/inner', 'joined']);
      assert.deepEqual(await paths('owned_only=true'), [user.username, 'mine', 'mine/inner']);
      assert.deepEqual(await paths('top_level_only=true'), [user.username, 'mine', 'joined']);
      assert.deepEqual(await paths('search=INN'), ['mine/inner']);
      assert.deepEqual(await paths('search=mine/'), []);
      assert.deepEqual(await paths('search=mine/&full_path_search=true'), ['mine/inner']);
      const all: Found[] = await server.must('GET /namespaces');
      assert.ok(all.length >= 6);
      assert.equal((await server.api('GET /namespaces', { token: null })).status, 401);
    });

    it('shows a personal namespace', async () => {
      const own = await server.must(`GET /namespaces/${user.username}`, { token: user.token });
      assert.deepEqual(
        [own.kind, own.path, own.full_path, own.parent_id, own.web_url],
        ['user', user.username, user.username, null, `${server.url}/${user.username}`],
      );
      assert.ok(!('projects_count' in own));
      assert.deepEqual([own.billable_members_count, own.plan, own.trial], [1, 'default', false]);
      const other = await server.api('GET /namespaces/root', { token: user.token });
      assert.deepEqual([other.status, other.body], [404, { message: '404 Namespace Not Found' }]);
      assert.equal((await server.api(`GET /namespaces/${user.username}`)).status, 200);
    });

    it('lets administrators set the compute minutes of groups and users', async () => {
      for (const id of [user.username, joined.id]) {
        const json = { shared_runners_minutes_limit: 400, extra_shared_runners_minutes_limit: 20 };
        const changed = await server.must(`PUT /namespaces/${id}`, { json });
        assert.deepEqual([changed.shared_runners_minutes_limit, changed.extra_shared_runners_minutes_limit], [400, 20]);
        await server.must(`PUT /namespaces/${id}`, { json: { shared_runners_minutes_limit: null } });
        const seen = await server.must(`GET /namespaces/${id}`);
        assert.deepEqual([seen.shared_runners_minutes_limit, seen.extra_shared_runners_minutes_limit], [null, 20]);
        const wrong = await server.api(`PUT /namespaces/${id}`, { json: { shared_runners_minutes_limit: -1 } });
        assert.equal(wrong.status, 400);
        assert.equal((await server.api(`PUT /namespaces/${id}`, { token: user.token, json })).status, 403);
      }
      assert.equal((await server.api('PUT /namespaces/none', { json: {} })).status, 404);
    });

    it('shows groups, and their counts to owners', async () => {
      await server.must('POST /projects', { token: user.token, json: { name: 'p', namespace_id: inner.id } });
      const mine = await server.must(`GET /namespaces/${group.id}`, { token: user.token });
      assert.deepEqual(mine, {
        id: group.id,
        name: 'MINE',
        path: 'mine',
        kind: 'group',
        full_path: 'mine',
        parent_id: null,
        avatar_url: null,
        web_url: `${server.url}/groups/mine`,
        members_count_with_descendants: 1,
        root_repository_size: 0,
        projects_count: 1,
        shared_runners_minutes_limit: null,
        extra_shared_runners_minutes_limit: null,
        ci_minutes_usage: { total_minutes_used: 0, monthly_minutes_used: 0, purchased_minutes_used: 0 },
        billable_members_count: 1,
        plan: 'default',
        trial_ends_on: null,
        trial: false,
      });
      const below = await server.must('GET /namespaces/mine%2Finner', { token: user.token });
      assert.equal(below.parent_id, group.id);
      const guest = await server.must(`GET /namespaces/${joined.id}`, { token: user.token });
      assert.ok(!('members_count_with_descendants' in guest));
      assert.ok(!('plan' in guest));
      assert.ok(!('ci_minutes_usage' in guest));
      assert.equal(guest.billable_members_count, 2);
      for (const id of ['open', '999999', 'no/such']) {
        const answer = await server.api(`GET /namespaces/${encodeURIComponent(id)}`, { token: user.token });
        assert.equal(answer.status, 404, id);
      }
    });

    it('returns the default subscription to owners', async () => {
      const ask = (id: string | number, token: string | null = user.token) =>
        server.api(`GET /namespaces/${id}/gitlab_subscription`, { token });
      const { body } = await ask(group.id);
      assert.deepEqual(body.plan, {
        code: 'default',
        name: 'Default',
        trial: false,
        auto_renew: null,
        upgradable: false,
      });
      assert.deepEqual([body.usage.seats_in_use, body.billing.subscription_end_date], [1, null]);
      const statuses = await Promise.all([ask(joined.id), ask('open'), ask(group.id, null)]);
      assert.deepEqual(
        statuses.map(({ status }) => status),
        [403, 404, 401],
      );
    });

    it('checks whether a path is taken', async () => {
      const exists = (path: string, query = '') =>
        server.must(`GET /namespaces/${encodeURIComponent(path)}/exists${query}`, { token: user.token });
      assert.deepEqual(await exists('Mine'), { exists: true, suggests: ['Mine1'] });
      await server.must('POST /groups', { json: { name: 'mine1', path: 'mine1' } });
      assert.deepEqual(await exists('mine'), { exists: true, suggests: ['mine2'] });
      assert.deepEqual(await exists('free'), { exists: false, suggests: [] });
      assert.deepEqual(await exists('inner'), { exists: false, suggests: [] });
      assert.deepEqual(await exists('inner', `?parent_id=${group.id}`), { exists: true, suggests: ['inner1'] });
      assert.deepEqual(await exists('inner', '?parent_id=999999'), { exists: false, suggests: [] });
      assert.deepEqual((await exists(user.username)).exists, true);
      assert.equal((await server.api('GET /namespaces/mine/exists', { token: null })).status, 401);
    });

    it('rate-limits path checks', async () => {
      const guesser = await addUser(server, 'guesser');
      const answers = await Promise.all(
        Array.from({ length: 21 }, (_, index) =>
          server.api(`GET /namespaces/guess-${index}/exists`, { token: guesser.token }),
        ),
      );
      assert.deepEqual(
        answers.map((answer) => answer.status).filter((status) => status !== 200),
        [429],
      );
    });

    it('needs the same number of queries for many namespaces as for few', async () => {
      const cost = () => server.queriesOf(() => server.must('GET /namespaces?per_page=100'));
      const few = await cost();
      for (let number = 0; number < 12; number += 1) {
        await server.must('POST /groups', { json: { name: `n${number}`, path: `many-${number}` } });
      }
      assert.equal(await cost(), few);
    });
  });
});
