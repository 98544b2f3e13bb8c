import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { createGates } from '../../../src/access/gates.ts';
import { endpointLimits, limitKey } from '../../../src/access/limits/endpoint-limits.ts';
import { routesOf } from '../../../src/areas.ts';
import { Browser } from '../../support/browser.ts';
import { addStage, addUser, type Stage } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { askGraphql, mustGraphql } from '../../support/graphql.ts';
import { type Answer, startTestServer, type TestServer } from '../../support/server.ts';

describe('the general throttle', () => {
  let server: TestServer;
  let token: string;

  before(async () => {
    server = await startTestServer('sqlite', ['--user-rate', '20/10m', '--anonymous-rate', '2/1m']);
    token = (await addUser(server)).token;
  });

  it('reports the rate in headers and rejects requests above it', async () => {
    const first = await server.api('GET /user', { token });
    assert.equal(first.headers.get('ratelimit-name'), 'throttle_authenticated_api');
    assert.equal(first.headers.get('ratelimit-limit'), '2', 'scaled to a minute');
    assert.equal(first.headers.get('ratelimit-observed'), '1');
    assert.equal(first.headers.get('ratelimit-remaining'), '19');
    assert.equal(first.headers.get('retry-after'), null);
    for (let count = 1; count < 20; count += 1) await server.must('GET /user', { token });
    const stopped = await server.api('GET /user', { token });
    assert.deepEqual([stopped.status, stopped.text], [429, 'Retry later\n']);
    assert.match(stopped.headers.get('content-type') ?? '', /^text\/plain/);
    assert.ok(Number(stopped.headers.get('retry-after')) > 0);
    assert.ok(Date.parse(stopped.headers.get('ratelimit-resettime') ?? '') > Date.now());
    assert.equal((await server.api('GET /user')).status, 200, 'other users are not affected');
  });

  it('counts anonymous requests by IP address', async () => {
    const statuses: number[] = [];
    for (let count = 0; count < 3; count += 1)
      statuses.push((await server.api('GET /projects', { token: null })).status);
    assert.deepEqual(statuses, [200, 200, 429]);
  });
});

forEachEngine((engine) => {
  describe('throttles enabled by administrators', () => {
    it('count package requests separately', async () => {
      const server = await startTestServer(engine);
      const { project } = await addStage(server, 'public');
      const ask = () => server.api(`GET /projects/${project.id}/packages`, { token: null });
      await server.must('PUT /application/settings', {
        json: {
          throttle_unauthenticated_packages_api_enabled: true,
          throttle_unauthenticated_packages_api_requests_per_period: 1,
          throttle_unauthenticated_packages_api_period_in_seconds: 3600,
        },
      });
      assert.equal((await ask()).status, 200);
      const full = await ask();
      assert.deepEqual(
        [full.status, full.headers.get('ratelimit-name')],
        [429, 'throttle_unauthenticated_packages_api'],
      );
      // The same route with a percent-encoded path.
      const encoded = await server.api(`GET /projects/${project.id}/%70ackages`, { token: null });
      assert.equal(encoded.status, 429);
      assert.equal((await server.api(`GET /projects/${project.id}`, { token: null })).status, 200);
    });

    it('count a web page or GraphQL query as one request', async () => {
      const server = await startTestServer(engine);
      const { username, token } = await addUser(server);
      const { project } = await addStage(server, 'public');
      const browser = new Browser(server);
      await browser.signIn(username, 'long enough 4 you');
      await server.must('PUT /application/settings', {
        json: {
          throttle_authenticated_api_enabled: true,
          throttle_authenticated_api_requests_per_period: 2,
          throttle_authenticated_api_period_in_seconds: 3600,
        },
      });
      for (let count = 0; count < 3; count += 1)
        assert.equal((await browser.open(`/${project.path_with_namespace}`)).status, 200);
      const query = `{ currentUser { id } metadata { version } project(fullPath: "${project.path_with_namespace}") {
        id issues { nodes { id } } mergeRequests { nodes { id } }
      } }`;
      await mustGraphql(server, query, {}, { token });
      await mustGraphql(server, query, {}, { token });
      assert.equal((await askGraphql(server, query, {}, { token })).status, 429);
    });

    it('apply from the next request, count repository files separately, and end when disabled', async () => {
      const server = await startTestServer(engine);
      const { token } = await addUser(server);
      const { project } = await addStage(server, 'public');
      const set = (json: object) => server.must('PUT /application/settings', { json });
      const ask = (path: string) => server.api(`GET ${path}`, { token });
      const file = `/projects/${project.id}/repository/files/none?ref=main`;
      assert.equal((await ask('/user')).headers.get('ratelimit-name'), null);
      await set({
        throttle_authenticated_api_enabled: true,
        throttle_authenticated_api_requests_per_period: 2,
        throttle_authenticated_api_period_in_seconds: 3600,
        throttle_authenticated_files_api_enabled: true,
        throttle_authenticated_files_api_requests_per_period: 1,
        throttle_authenticated_files_api_period_in_seconds: 30,
        rate_limiting_response_text: 'Have some tea',
      });
      assert.deepEqual([(await ask('/user')).status, (await ask('/user')).status], [200, 200]);
      const stopped = await ask('/user');
      assert.deepEqual([stopped.status, stopped.text], [429, 'Have some tea\n']);
      assert.equal(stopped.headers.get('ratelimit-limit'), '1', 'two in an hour, scaled to a minute and rounded up');
      assert.equal((await ask(file)).status, 404, 'files are counted separately');
      const full = await ask(file);
      assert.deepEqual([full.status, full.headers.get('ratelimit-name')], [429, 'throttle_authenticated_files_api']);
      await set({ throttle_authenticated_api_enabled: false, throttle_authenticated_files_api_enabled: false });
      assert.equal((await ask('/user')).status, 200);
      assert.equal((await ask(file)).status, 404);
    });
  });

  describe('endpoint rate limits', () => {
    let server: TestServer;
    let stage: Stage;

    before(async () => {
      server = await startTestServer(engine);
      stage = await addStage(server, 'public');
    });

    const tooMany = { message: { error: 'This endpoint has been requested too many times. Try again later.' } };
    const refused = (answer: Answer, seconds: string) => {
      assert.deepEqual([answer.status, answer.body], [429, tooMany]);
      assert.equal(answer.headers.get('retry-after'), seconds);
      assert.equal(answer.headers.get('ratelimit-limit'), null, 'endpoint limits have no rate headers');
    };
    const set = (json: object) => server.must('PUT /application/settings', { json });

    it('refer to existing endpoints', () => {
      const { services } = server.running;
      const routes = new Set(routesOf(services, createGates(services.db, services.externalUrl)).map(limitKey));
      assert.deepEqual(
        Object.keys(endpointLimits).filter((key) => !routes.has(key)),
        [],
      );
    });

    it('are disabled by default and enabled by the flag or a setting; 0 is unlimited', async () => {
      const settings = await server.must('GET /application/settings');
      assert.deepEqual([settings.project_api_limit, settings.search_rate_limit], [0, 0]);
      const limited = await startTestServer(engine, ['--endpoint-limits']);
      const there = await limited.must('GET /application/settings');
      assert.deepEqual([there.project_api_limit, there.users_get_by_id_limit, there.search_rate_limit], [400, 300, 30]);
      const { token } = await addUser(limited);
      const search = () => limited.api('GET /users?search=somebody', { token });
      const answers = await Promise.all(Array.from({ length: 30 }, search));
      assert.ok(answers.every((answer) => answer.status === 200));
      refused(await search(), '60');
    });

    const cases: [setting: string, call: (stage: Stage) => string, seconds: string][] = [
      ['projects_api_limit', () => 'GET /projects', '600'],
      ['project_api_limit', ({ project }) => `GET /projects/${project.id}`, '60'],
      ['project_invited_groups_api_limit', ({ project }) => `GET /projects/${project.id}/invited_groups`, '60'],
      ['project_members_api_limit', ({ project }) => `GET /projects/${project.id}/members/all`, '60'],
      ['groups_api_limit', () => 'GET /groups', '60'],
      ['group_api_limit', ({ group }) => `GET /groups/${group.id}`, '60'],
      ['group_projects_api_limit', ({ group }) => `GET /groups/${group.id}/projects`, '60'],
      ['group_shared_groups_api_limit', ({ group }) => `GET /groups/${group.id}/groups/shared`, '60'],
      ['group_invited_groups_api_limit', ({ group }) => `GET /groups/${group.id}/invited_groups`, '60'],
      ['user_projects_api_limit', () => 'GET /users/root/projects', '60'],
      ['user_contributed_projects_api_limit', () => 'GET /users/root/contributed_projects', '60'],
      ['user_starred_projects_api_limit', () => 'GET /users/root/starred_projects', '60'],
      ['users_get_by_id_limit', () => 'GET /users/1', '600'],
      ['users_api_limit_followers', () => 'GET /users/1/followers', '60'],
      ['users_api_limit_following', () => 'GET /users/1/following', '60'],
      ['users_api_limit_status', () => 'GET /users/root/status', '60'],
      ['users_api_limit_ssh_keys', () => 'GET /users/root/keys', '60'],
      ['users_api_limit_ssh_key', () => 'GET /users/1/keys/1', '60'],
      ['users_api_limit_gpg_keys', () => 'GET /users/1/gpg_keys', '60'],
      ['users_api_limit_gpg_key', () => 'GET /users/1/gpg_keys/1', '60'],
      ['members_delete_limit', ({ project }) => `DELETE /projects/${project.id}/members/1`, '60'],
      [
        'notes_create_limit',
        ({ project }) => `POST /projects/${project.id}/repository/commits/main/comments?note=a`,
        '60',
      ],
    ];

    for (const [setting, callOf, seconds] of cases) {
      it(`${setting} limits each user separately`, async () => {
        const [one, other] = [await addUser(server), await addUser(server)];
        await set({ [setting]: 1 });
        const call = callOf(stage);
        assert.notEqual((await server.api(call, { token: one.token })).status, 429);
        refused(await server.api(call, { token: one.token }), seconds);
        assert.notEqual((await server.api(call, { token: other.token })).status, 429);
        await set({ [setting]: 0 });
        assert.notEqual((await server.api(call, { token: one.token })).status, 429);
      });
    }

    it('count searches of all lists together, with a separate limit for anonymous addresses', async () => {
      const { token, username } = await addUser(server);
      await set({ search_rate_limit: 2, search_rate_limit_unauthenticated: 1 });
      await server.must('GET /projects?search=abc', { token });
      await server.must('GET /groups?search=abc', { token });
      refused(await server.api('GET /users?search=abc', { token }), '60');
      refused(await server.api('GET /merge_requests?search=abc&scope=all', { token }), '60');
      await server.must('GET /merge_requests?search=', { token });
      await server.must('GET /users', { token });
      await server.must('GET /projects?search=', { token });
      await server.must('GET /projects?search=abc', { token: null });
      refused(await server.api('GET /groups?search=abc', { token: null }), '60');
      await set({ search_rate_limit_allowlist: [username] });
      await server.must('GET /projects?search=abc', { token });
      await set({ search_rate_limit: 0, search_rate_limit_unauthenticated: 0, search_rate_limit_allowlist: [] });
    });

    it('exempt administrators and allowlisted users when reading users', async () => {
      const { token, username } = await addUser(server);
      await set({ users_get_by_id_limit: 1, users_get_by_id_limit_allowlist: [username] });
      for (const who of [{}, {}, { token }, { token }]) await server.must('GET /users/1', who);
      await set({ users_get_by_id_limit: 0, users_get_by_id_limit_allowlist: [] });
    });

    it('use the anonymous limit for requests without sign-in', async () => {
      await set({ projects_api_rate_limit_unauthenticated: 1 });
      await server.must('GET /projects', { token: null });
      refused(await server.api('GET /projects', { token: null }), '600');
      await set({ projects_api_rate_limit_unauthenticated: 0 });
    });
  });
});
