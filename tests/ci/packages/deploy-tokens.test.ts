import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { createGates } from '../../../src/access/gates.ts';
import { routesOf } from '../../../src/areas.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { pushAll } from '../../support/git-project.ts';
import { addPerson, addProject, addToken, type Person } from '../../support/scene.ts';
import { type Answer, startTestServer, type TestServer } from '../../support/server.ts';
import { RunnerClient } from '../runner-client.ts';
import { gem } from './gem-files.ts';

type Headers = Record<string, string>;

const octets = { 'content-type': 'application/octet-stream' };
const basic = (username: string, password: string): Headers => ({
  authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
});
const unauthorized = [401, { message: '401 Unauthorized' }];
const statusAndBody = ({ status, body }: Answer) => [status, body];

interface Deploy {
  readonly id: number;
  readonly username: string;
  readonly token: string;
}

forEachEngine((engine) => {
  describe('packages with deploy tokens', () => {
    let server: TestServer;
    let owner: Person;
    let project: number;
    let outside: number;
    let open: number;
    let reading: Deploy;
    let writing: Deploy;
    let made = 0;
    const by = ({ token }: Deploy): Headers => ({ 'deploy-token': token });
    const call = (path: string, headers: Headers) => server.api(path, { token: null, headers });
    const put = (headers: Headers, id: number | string = project, name = 'tool') =>
      server.api(`PUT /projects/${id}/packages/generic/${name}/1.0/file`, {
        token: null,
        body: 'bytes',
        headers: { ...octets, ...headers },
      });
    const get = (headers: Headers, id: number | string = project) =>
      call(`GET /projects/${id}/packages/generic/tool/1.0/file`, headers);
    const list = (headers: Headers, id: number | string = project) => call(`GET /projects/${id}/packages`, headers);
    const grant = (scopes: readonly string[], place = `/projects/${project}`, more: object = {}): Promise<Deploy> =>
      server.must(`POST ${place}/deploy_tokens`, {
        json: { name: `token ${++made}`, scopes, ...more },
        token: owner.token,
      });
    const lastUse = async ({ id }: Deploy) =>
      (
        await server.db.read
          .selectFrom('deploy_tokens')
          .select('last_used_at')
          .where('id', '=', id)
          .executeTakeFirstOrThrow()
      ).last_used_at;

    before(async () => {
      server = await startTestServer(engine, ['--git-sign-in-rate', '1000/1m']);
      owner = await addPerson(server, 'owner');
      project = (await addProject(server, owner, 'private')).id;
      outside = (await addProject(server, owner, 'outside')).id;
      open = (await addProject(server, owner, 'open', 'public')).id;
      reading = await grant(['read_package_registry']);
      writing = await grant(['write_package_registry']);
      const own = { 'private-token': owner.token };
      for (const id of [project, outside, open]) assert.equal((await put(own, id)).status, 201);
    });

    it('can be read on every package route by a token with the read scope', async () => {
      assert.equal(await lastUse(reading), null);
      const [found] = (await list(by(reading))).body;
      assert.equal(found.name, 'tool');
      assert.equal(found._links.delete_api_path, undefined);
      assert.notEqual(await lastUse(reading), null);
      const one = `/projects/${project}/packages/${found.id}`;
      assert.equal((await call(`GET ${one}`, by(reading))).body.version, '1.0');
      const files = await call(`GET ${one}/package_files`, by(reading));
      const download = `${one}/package_files/${files.body[0].id}/download`;
      assert.equal((await call(`GET ${download}`, by(reading))).text, 'bytes');
      assert.equal((await get(by(reading))).text, 'bytes');
      const path = encodeURIComponent(`${owner.user.username}/private`);
      assert.equal((await get(by(reading), path)).text, 'bytes');
      const refused = {
        error: 'insufficient_scope',
        error_description: 'The request requires higher privileges than provided by the access token.',
        scope: 'write_package_registry',
      };
      assert.deepEqual(statusAndBody(await put(by(reading), project, 'not')), [403, refused]);
      assert.equal((await list({ 'private-token': owner.token })).body.length, 1);
    });

    it('are published without an author, and read, by a token with the write scope', async () => {
      assert.deepEqual(statusAndBody(await put(by(writing), project, 'robot')), [201, { message: '201 Created' }]);
      const rows = server.db.read.selectFrom('packages').select('creator_id').where('name', '=', 'robot');
      assert.deepEqual(await rows.execute(), [{ creator_id: null }]);
      assert.equal((await get(by(writing))).text, 'bytes');
      const [{ id }] = (await list(by(writing))).body;
      assert.deepEqual(
        statusAndBody(await call(`DELETE /projects/${project}/packages/${id}`, by(writing))),
        unauthorized,
      );
    });

    it('are not accessible with other scopes or revoked tokens', async () => {
      const cloning = await grant(['read_repository', 'read_registry', 'write_registry']);
      assert.equal((await get(by(cloning))).status, 403);
      assert.equal((await get(by(cloning))).body.scope, 'read_package_registry write_package_registry');
      assert.equal((await get(basic(cloning.username, cloning.token))).status, 403);
      assert.equal((await put(by(cloning))).status, 403);
      const scopes = ['read_package_registry', 'write_package_registry'];
      const gone: readonly [string, object][] = [
        ['revoked', { revoked: 1 }],
        ['expired', { expires_at: Date.now() - 1000 }],
      ];
      for (const [name, change] of gone) {
        const ended = await grant(scopes);
        assert.equal((await get(by(ended))).status, 200);
        await server.db.write((trx) =>
          trx.updateTable('deploy_tokens').set(change).where('id', '=', ended.id).execute(),
        );
        assert.deepEqual(statusAndBody(await get(by(ended))), unauthorized, name);
        assert.deepEqual(statusAndBody(await get(by(ended), open)), unauthorized, name);
        assert.deepEqual(statusAndBody(await put(by(ended))), unauthorized, name);
        assert.deepEqual(statusAndBody(await get(basic(ended.username, ended.token))), unauthorized, name);
      }
      const deleted = await grant(scopes);
      await server.must(`DELETE /projects/${project}/deploy_tokens/${deleted.id}`, { token: owner.token });
      assert.deepEqual(statusAndBody(await get(by(deleted))), unauthorized);
      assert.deepEqual(statusAndBody(await get({ 'deploy-token': 'gldt-nonsense' })), unauthorized);
    });

    it('of other projects are accessible as for anonymous users', async () => {
      const missing = [404, { message: '404 Project Not Found' }];
      assert.deepEqual(statusAndBody(await get(by(reading), outside)), missing);
      assert.deepEqual(statusAndBody(await put(by(writing), outside)), missing);
      assert.deepEqual(statusAndBody(await get(by(reading), 999_999)), missing);
      assert.equal((await get(by(reading), open)).text, 'bytes');
      assert.deepEqual(statusAndBody(await put(by(writing), open, 'not')), [403, { message: '403 Forbidden' }]);
      assert.equal((await list({}, open)).body.length, 1);
    });

    it("of a group's projects are accessible with a group deploy token", async () => {
      const own = { token: owner.token };
      const group = await server.must('POST /groups', { ...own, json: { name: 'g', path: `g-${engine}` } });
      const below = await server.must('POST /groups', {
        ...own,
        json: { name: 'below', path: 'below', parent_id: group.id },
      });
      const inside = await server.must('POST /projects', { ...own, json: { path: 'in', namespace_id: below.id } });
      const token = await grant(['write_package_registry'], `/groups/${group.id}`);
      assert.equal((await put(by(token), inside.id)).status, 201);
      assert.equal((await get(basic(token.username, token.token), inside.id)).text, 'bytes');
      assert.equal((await get(by(token), project)).status, 404);
      const sibling = await server.must('POST /projects', { ...own, json: { path: 'over', namespace_id: group.id } });
      const lower = await grant(['write_package_registry'], `/groups/${below.id}`);
      assert.equal((await put(by(lower), inside.id)).status, 201);
      assert.equal((await put(by(lower), sibling.id)).status, 404);
      await server.must(`PUT /projects/${inside.id}`, { ...own, json: { path: 'moved' } });
      const former = encodeURIComponent(`${below.full_path}/in`);
      const led = await get(by(token), former);
      assert.equal(led.status, 301);
      assert.ok(led.headers.get('location')?.endsWith(`/projects/${inside.id}/packages/generic/tool/1.0/file`));
      assert.equal((await put(by(token), former)).status, 405);
      assert.equal((await get(by(reading), former)).status, 404);
      await server.must(`PUT /groups/${group.id}`, { ...own, json: { ip_restriction_ranges: '192.0.2.0/24' } });
      assert.deepEqual(statusAndBody(await get(by(token), inside.id)), [404, { message: '404 Project Not Found' }]);
    });

    it('accept any token, but no password, with basic authentication', async () => {
      const user = owner.user.username;
      assert.equal((await get(basic(reading.username, reading.token))).text, 'bytes');
      assert.equal((await get(basic('anything', reading.token))).text, 'bytes');
      assert.equal((await put(basic(writing.username, writing.token))).status, 201);
      assert.equal((await put(basic(user, owner.token))).status, 201);
      assert.equal((await get(basic('', owner.token))).text, 'bytes');
      const narrow = await addToken(server, owner.user, ['read_api']);
      assert.equal((await get(basic(user, narrow))).text, 'bytes');
      assert.equal((await put(basic(user, narrow))).body.error, 'insufficient_scope');
      const stranger = await addPerson(server, 'stranger');
      assert.equal((await get(basic('stranger', stranger.token))).status, 404);
      assert.deepEqual(statusAndBody(await get(basic('root', 'correct horse battery'))), unauthorized);
      assert.deepEqual(statusAndBody(await get(basic('gitlab-ci-token', 'glcbt-nonsense'))), unauthorized);
      assert.deepEqual(statusAndBody(await get(basic('gitlab-ci-token', owner.token))), unauthorized);
      assert.deepEqual(statusAndBody(await get({ authorization: 'Basic bm9jb2xvbg==' })), unauthorized);
      assert.equal((await get(basic('', ''), open)).text, 'bytes');
      assert.deepEqual(statusAndBody(await get({ 'private-token': reading.token })), unauthorized);
      assert.equal((await get({ authorization: `Bearer ${reading.token}` })).text, 'bytes');
      assert.deepEqual(statusAndBody(await get({ authorization: 'Bearer gldt-nonsense' })), unauthorized);
    });

    it('are linked to the pipeline if published by a job with basic authentication', async () => {
      const source = new GitClient();
      await source.init();
      await source.commit({ '.gitlab-ci.yml': 'publish: {script: make}' }, 'root');
      const built = await addProject(server, owner, 'built');
      const runner = await RunnerClient.create(server, { runner_type: 'instance_type', run_untagged: true });
      await pushAll(server, owner, built, source);
      await server.running.services.queue.drain();
      const job = await runner.take();
      assert.equal((await put(basic('gitlab-ci-token', job.token), built.id)).status, 201);
      assert.equal((await get(basic('whoever', job.token), built.id)).text, 'bytes');
      const packages = `/projects/${built.id}/packages`;
      const publish = (path: string, authorization: string, body: NonNullable<RequestInit['body']>) =>
        server.api(path, { token: null, body, headers: { ...octets, authorization } });
      const pushed = await publish(
        `POST ${packages}/rubygems/api/v1/gems`,
        job.token,
        Uint8Array.from(gem('lamp', '1.0')),
      );
      assert.equal(pushed.status, 201, pushed.text);
      const { text: sealed } = await call(`GET ${packages}/conan/v2/users/authenticate`, basic('ci', job.token));
      const recipe = `${packages}/conan/v2/conans/lamp/1.0/_/_/revisions/${'a'.repeat(32)}/files/conanfile.py`;
      assert.equal((await publish(`PUT ${recipe}`, `Bearer ${sealed}`, 'recipe')).status, 200);
      const shown = (await list({ 'private-token': owner.token }, built.id)).body[0];
      assert.equal(shown.pipeline.user.id, owner.user.id);
      // A deploy token can read packages but not pipelines.
      const robot = await grant(['read_package_registry'], `/projects/${built.id}`);
      const [seen] = (await list(by(robot), built.id)).body;
      assert.deepEqual([seen.name, seen.pipeline, seen.pipelines], ['tool', undefined, []]);
    });

    it('are inaccessible if the feature is disabled or, for writes, the project archived', async () => {
      const own = { token: owner.token };
      const place = `/projects/${project}`;
      await server.must(`PUT ${place}`, { ...own, json: { package_registry_access_level: 'disabled' } });
      assert.equal((await get(by(reading))).status, 403);
      assert.equal((await put(by(writing))).status, 403);
      await server.must(`PUT ${place}`, { ...own, json: { package_registry_access_level: 'private' } });
      assert.equal((await get(by(reading))).status, 200);
      await server.must(`POST ${place}/archive`, own);
      assert.equal((await get(by(reading))).status, 200);
      assert.equal((await put(by(writing))).status, 403);
      await server.must(`POST ${place}/unarchive`, own);
    });

    it('are the only resources accessible with these tokens', async () => {
      const { services } = server.running;
      const routes = routesOf(services, createGates(services.db, services.externalUrl));
      const opened = routes.filter(({ deployScopes }) => deployScopes).map(({ method, path }) => `${method} ${path}`);
      const packages = '/projects/:id/packages';
      const module = `${packages}/terraform/modules/:module_name/:module_system`;
      const pypi = ['/groups/:id/-/packages/pypi', `${packages}/pypi`];
      const audits = ['advisories/bulk', 'audits', 'audits/quick'];
      const maven = ['/groups/:id/-/packages/maven', '/packages/maven', `${packages}/maven`];
      const npm = ['/groups/:id/-/packages/npm', '/packages/npm', `${packages}/npm`];
      assert.deepEqual(
        opened.toSorted(),
        [
          ...['*', 'p/:sha', 'p2/*', 'packages', 'packages.json'].map(
            (rest) => `GET /group/:id/-/packages/composer/${rest}`,
          ),
          `GET ${packages}/composer/archives/*`,
          `POST ${packages}/composer`,
          ...['/packages', packages].flatMap((below) => [
            ...['ping', 'users/authenticate', 'users/check_credentials', 'conans/search', 'conans/*', 'files/*'].map(
              (rest) => `GET ${below}/conan/v1/${rest}`,
            ),
            `POST ${below}/conan/v1/conans/*`,
            `PUT ${below}/conan/v1/files/*`,
          ]),
          ...['users/authenticate', 'users/check_credentials', 'conans/search', 'conans/*'].map(
            (rest) => `GET ${packages}/conan/v2/${rest}`,
          ),
          `PUT ${packages}/conan/v2/conans/*`,
          `GET ${packages}/go/*`,
          ...['index.yaml', 'charts/:file_name'].map((rest) => `GET ${packages}/helm/:channel/${rest}`),
          `POST ${packages}/helm/api/:channel/charts`,
          ...maven.map((below) => `GET ${below}/*`),
          `PUT ${packages}/maven/*`,
          ...npm.flatMap((below) => [`GET ${below}/*`, `GET ${below}/-/package/*`]),
          `GET ${packages}/npm/-/ping`,
          ...npm.flatMap((below) => audits.map((audit) => `POST ${below}/-/npm/v1/security/${audit}`)),
          ...pypi.flatMap((below) =>
            ['/simple', '/simple/:package_name', '/files/:sha256/*'].map((rest) => `GET ${below}${rest}`),
          ),
          `POST ${packages}/pypi`,
          ...[
            '',
            '/versions',
            '/download',
            '/:module_version',
            '/:module_version/download',
            '/:module_version/file',
          ].map((rest) => `GET /packages/terraform/modules/v1/:module_namespace/:module_name/:module_system${rest}`),
          ...['index', 'index.json', 'query', 'metadata/:package_name/:document'].flatMap((rest) => [
            `GET ${packages}/nuget/${rest}`,
            `GET /groups/:id/-/packages/nuget/${rest}`,
          ]),
          ...['document', 'package_version/:package_filename'].map(
            (rest) => `GET ${packages}/nuget/download/:package_name/:${rest}`,
          ),
          `PUT ${packages}/nuget`,
          `PUT ${packages}/nuget/symbolpackage`,
          ...[':file_name', 'quick/Marshal.4.8/:file_name', 'gems/:file_name', 'api/v1/dependencies'].map(
            (rest) => `GET ${packages}/rubygems/${rest}`,
          ),
          `POST ${packages}/rubygems/api/v1/gems`,
          ...['/projects/:id', '/groups/:id/-'].flatMap((place) => [
            `GET ${place}/debian_distributions`,
            `POST ${place}/debian_distributions`,
            `GET ${place}/debian_distributions/:codename`,
            `PUT ${place}/debian_distributions/:codename`,
            `GET ${place}/debian_distributions/:codename/key.asc`,
          ]),
          `PUT ${packages}/debian/:file_name`,
          `PUT ${packages}/debian/:file_name/authorize`,
          ...[packages, '/groups/:id/-/packages'].map((place) => `GET ${place}/debian/dists/*`),
          ...[
            `${packages}/debian/pool/:distribution`,
            '/groups/:id/-/packages/debian/pool/:distribution/:project_id',
          ].map((place) => `GET ${place}/:letter/:package_name/:package_version/:file_name`),
          ...['', '/:module_version'].map((rest) => `GET ${module}${rest}`),
          `PUT ${module}/:module_version/file`,
          ...['/*', '/-/package/*'].map((rest) => `PUT ${packages}/npm${rest}`),
          `GET ${packages}`,
          `GET ${packages}/:package_id`,
          `GET ${packages}/:package_id/package_files`,
          `GET ${packages}/:package_id/package_files/:package_file_id/download`,
          `GET ${packages}/generic/:package_name/:package_version/*`,
          `PUT ${packages}/generic/:package_name/:package_version/*`,
        ].toSorted(),
      );
      const all = await grant([
        'read_repository',
        'read_registry',
        'write_registry',
        'read_package_registry',
        'write_package_registry',
      ]);
      const place = `/projects/${project}`;
      const calls = [
        'GET /user',
        'GET /projects',
        `GET ${place}`,
        `PUT ${place}`,
        `DELETE ${place}`,
        `GET ${place}/repository/tree`,
        `GET ${place}/issues`,
        `POST ${place}/issues`,
        `GET ${place}/variables`,
        `GET ${place}/deploy_tokens`,
        `GET ${place}/packages/1/pipelines`,
        `DELETE ${place}/packages/1`,
        `GET /groups/1/packages`,
        'GET /deploy_tokens',
      ];
      for (const one of calls) {
        const stranger = statusAndBody(await call(one, {}));
        assert.deepEqual(statusAndBody(await call(one, by(all))), stranger, one);
        assert.deepEqual(statusAndBody(await call(one, basic(all.username, all.token))), stranger, one);
      }
      assert.equal((await server.api(`GET ${place}`, { token: owner.token })).status, 200);
      assert.deepEqual(statusAndBody(await list({ ...by(all), sudo: 'root' })), unauthorized);
    });

    it('are inaccessible with wrong credentials', async () => {
      const narrow = await startTestServer(engine, ['--git-sign-in-rate', '2/1m', '--user-rate', '2/1m']);
      const wrong = async (headers: Headers) =>
        (await narrow.api('GET /projects/1/packages', { token: null, headers })).status;
      assert.equal(await wrong({ 'deploy-token': 'gldt-a' }), 401);
      assert.equal(await wrong(basic('root', 'b')), 401);
      assert.equal(await wrong({ 'deploy-token': 'gldt-c' }), 429);
      assert.equal(await wrong(basic('gitlab-ci-token', 'd')), 429);
      const somebody = await addPerson(narrow, 'owner');
      const { id } = await addProject(narrow, somebody, 'p');
      const requested = { token: somebody.token, json: { name: 'x', scopes: ['read_package_registry'] } };
      const { token } = await narrow.must(`POST /projects/${id}/deploy_tokens`, requested);
      const right = () =>
        narrow.api(`GET /projects/${id}/packages`, { token: null, headers: { 'deploy-token': token } });
      const first = await right();
      assert.deepEqual([first.status, first.headers.get('ratelimit-name')], [200, 'throttle_authenticated_api']);
      assert.deepEqual([(await right()).status, (await right()).status], [200, 429]);
    });
  });
});
