import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { readStrategies, strategyWords } from '../../src/web/ci/strategies.ts';
import { Browser, browserOfMember, rootPassword } from '../support/browser.ts';
import { forEachEngine } from '../support/engines.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('feature flag strategies', () => {
  const kept = {
    id: 7,
    name: 'flexibleRollout',
    parameters: { groupId: 'mine', rollout: '50', stickiness: 'default' },
    scopes: [
      { id: 1, environment_scope: 'live' },
      { id: 2, environment_scope: 'test' },
    ],
    user_list: null,
  };
  const cases: readonly (readonly [string, Record<string, string>, readonly unknown[], readonly unknown[]])[] = [
    ['none', {}, [], []],
    [
      'for everybody',
      { strategy_0_kind: 'default' },
      [],
      [{ name: 'default', parameters: {}, user_list_id: null, scopes: [{ environment_scope: '*' }] }],
    ],
    [
      'for some users in two places',
      { strategy_0_kind: 'userWithId', strategy_0_users: ' ada , bob', strategy_0_scopes: 'live, test,live' },
      [],
      [
        {
          name: 'userWithId',
          parameters: { userIds: 'ada,bob' },
          user_list_id: null,
          scopes: [{ environment_scope: 'live' }, { environment_scope: 'test' }],
        },
      ],
    ],
    [
      'changed, with a place less and a place more',
      { strategy_0_kind: 'gradualRolloutUserId', strategy_0_share: '10', strategy_0_scopes: 'live, new' },
      [kept],
      [
        {
          id: 7,
          name: 'gradualRolloutUserId',
          parameters: { groupId: 'mine', percentage: '10' },
          user_list_id: null,
          scopes: [{ id: 2, _destroy: true }, { environment_scope: 'new' }],
        },
      ],
    ],
    ['removed', { strategy_0_kind: 'default', strategy_0_remove: 'true' }, [kept], [{ id: 7, _destroy: true }]],
    [
      'of a list, after one that stays',
      { strategy_1_kind: 'gitlabUserList', strategy_1_list: '5' },
      [kept],
      [{ name: 'gitlabUserList', parameters: {}, user_list_id: 5, scopes: [{ environment_scope: '*' }] }],
    ],
  ];
  for (const [title, typed, current, expected] of cases) {
    it(title, () => assert.deepEqual(readStrategies(new URLSearchParams(typed), current), expected));
  }

  it('are described in one line', () => {
    assert.equal(strategyWords(kept), 'Percent of users, 50% (live, test)');
  });
});

forEachEngine((engine) => {
  describe('feature flag pages', () => {
    let server: TestServer;
    let browser: Browser;
    let developer: Browser;
    let outsider: Browser;
    const url = '/projects/root%2Flamp';
    const page = '/root/lamp/-/feature_flags';
    const lists = '/root/lamp/-/feature_flags_user_lists';

    const openPage = (path: string, who = browser) => who.page(path);
    const submit = (from: string, to: string, fields: Record<string, string>, who = developer) =>
      who.send(from, to, fields);
    const person = (level?: number) => browserOfMember(server, url, level);

    before(async () => {
      server = await startTestServer(engine);
      browser = new Browser(server);
      await browser.signIn('root', rootPassword);
      await server.must('POST /projects', { json: { name: 'lamp', visibility: 'public' } });
      developer = await person(30);
      outsider = await person();
    });

    it('require Developer', async () => {
      assert.match(await openPage(page, developer), /No feature flags\./);
      assert.match(await openPage('/root/lamp/-/pipelines', developer), /-\/feature_flags">Feature flags</);
      assert.doesNotMatch(await openPage('/root/lamp/-/pipelines', outsider), /-\/feature_flags/);
      assert.equal((await outsider.open(page)).status, 403);
      assert.equal((await outsider.fill('/root/lamp', page, { name: 'mine' })).status, 403);
    });

    it('create a flag, and show validation errors', async () => {
      const wrong = await developer.fill(`${page}/new`, page, {
        name: 'Bad <b>',
        strategy_0_kind: 'userWithId',
        strategy_0_users: '',
      });
      assert.equal(wrong.status, 422);
      assert.match(wrong.text, /Name can contain only[\s\S]*value="Bad &lt;b&gt;"[\s\S]*value="userWithId" selected/);
      assert.doesNotMatch(wrong.text, /role="alert">0 /);
      await submit(`${page}/new`, page, {
        name: 'bright',
        description: 'more <b>light</b>',
        active: 'true',
        strategy_0_kind: 'flexibleRollout',
        strategy_0_share: '25',
        strategy_0_stickiness: 'userId',
        strategy_0_scopes: 'production, review/*',
      });
      const text = await openPage(page, developer);
      assert.match(
        text,
        /bright<\/strong>[\s\S]*>on<[\s\S]*more &lt;b&gt;[\s\S]*Percent of users, 25% \(production, review\/\*\)/,
      );
      const [flag] = await server.must(`GET ${url}/feature_flags`);
      assert.deepEqual(flag.strategies[0].parameters, { groupId: 'default', rollout: '25', stickiness: 'userId' });
    });

    it('switch a flag, and update its strategies', async () => {
      const one = `${page}/bright`;
      await submit(page, `${one}/active`, { active: 'false' });
      assert.match(await openPage(`${page}?scope=disabled`, developer), /bright<\/strong>[\s\S]*>off<[\s\S]*Turn on/);
      assert.match(await openPage(`${page}?scope=enabled`, developer), /No flag is enabled\./);
      await submit(lists, lists, { name: 'friends', user_xids: 'ada,bob' });
      assert.match(await openPage(lists, developer), /friends<\/strong>[\s\S]*2 users: ada,bob/);
      const [list] = await server.must(`GET ${url}/feature_flags_user_lists`);
      assert.match(
        await openPage(`${one}/edit`, developer),
        /value="production, review\/\*"[\s\S]*value="25"[\s\S]*Another strategy/,
      );
      await submit(`${one}/edit`, `${one}/edit`, {
        name: 'bright',
        description: '',
        strategy_0_kind: 'default',
        strategy_0_scopes: 'production',
        strategy_1_kind: 'gitlabUserList',
        strategy_1_list: String(list.id),
      });
      const [flag] = await server.must(`GET ${url}/feature_flags`);
      assert.deepEqual([flag.active, flag.description, flag.strategies.length], [false, '', 2]);
      assert.match(await openPage(page, developer), /All users \(production\)[\s\S]*User list: friends \(everywhere\)/);
      await submit(`${one}/edit`, `${one}/edit`, {
        name: 'bright',
        strategy_0_kind: 'default',
        strategy_0_remove: 'true',
        strategy_1_kind: 'gitlabUserList',
        strategy_1_list: String(list.id),
      });
      assert.equal((await server.must(`GET ${url}/feature_flags/bright`)).strategies.length, 1);
      const bad = await developer.fill(`${one}/edit`, `${one}/edit`, {
        name: 'bright',
        strategy_0_kind: 'gitlabUserList',
      });
      assert.equal(bad.status, 422);
      assert.match(bad.text, /user list can&#39;t be blank/);
    });

    it('show the client settings to Maintainers, and rotate the token', async () => {
      const secret = async () =>
        /Instance ID[^<]*<input readonly value="([^"]+)"/.exec(await openPage(page))?.[1] ?? '';
      const before = await secret();
      assert.notEqual(before, '');
      assert.doesNotMatch(await openPage(page, developer), /Instance ID/);
      assert.equal((await developer.fill(page, `${page}/reset_token`, {})).status, 403);
      await submit(page, `${page}/reset_token`, {}, browser);
      assert.notEqual(await secret(), before);
    });

    it('delete a flag, and respond with 404 without access', async () => {
      assert.equal((await outsider.fill('/root/lamp', `${page}/bright/remove`, {})).status, 403);
      await submit(page, `${page}/bright/remove`, {});
      assert.equal((await developer.open(`${page}/bright/edit`)).status, 404);
      await server.must(`PUT ${url}`, { json: { feature_flags_access_level: 'disabled' } });
      assert.notEqual((await browser.open(page)).status, 200);
      assert.doesNotMatch(await openPage('/root/lamp/-/pipelines'), /-\/feature_flags/);
      await server.must(`PUT ${url}`, { json: { visibility: 'private' } });
      assert.equal((await outsider.open(page)).status, 404);
    });
  });
});
