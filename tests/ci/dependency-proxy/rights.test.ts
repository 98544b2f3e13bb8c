import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Role } from '../../../src/access/roles.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import { rootToken, startTestServer, type TestServer } from '../../support/server.ts';
import { basic, RegistryClient } from '../registry/registry-client.ts';
import { RunnerClient } from '../runner-client.ts';
import { startUpstream, type Upstream } from './upstream.ts';

forEachEngine((engine) => {
  describe('dependency proxy access', () => {
    let upstream: Upstream;
    let server: TestServer;
    let top: number;
    let below: number;
    let guest: Person;

    const by = (token: string, username = 'me') => new RegistryClient(server.url, basic(username, token));
    /** Pulls a manifest. Returns the status, with the error code of a failure. */
    const pull = async (client: RegistryClient, group = 'house/wing') => {
      const said = await client.call(`GET /v2/${group}/dependency_proxy/containers/alpine/manifests/1`);
      return said.code === undefined ? `${said.status}` : `${said.status} ${said.code}`;
    };
    const tokenOf = async (person: Person, scopes: readonly string[]) => {
      const json = { name: scopes.join(), scopes, expires_at: new Date(Date.now() + 9e7).toISOString().slice(0, 10) };
      return (await server.must(`POST /users/${person.user.id}/personal_access_tokens`, { json })).token;
    };

    before(async () => {
      upstream = await startUpstream();
      upstream.push('library/alpine', '1');
      server = await startTestServer(engine, ['--dependency-proxy-url', upstream.url, '--allow-local-egress']);
      const group = (path: string, more: object) =>
        server.must('POST /groups', { json: { name: path, path, ...more } });
      top = (await group('house', {})).id;
      below = (await group('wing', { parent_id: top })).id;
      await group('open', { visibility: 'public' });
      guest = await addPerson(server, 'guest');
      const json = { user_id: guest.user.id, access_level: Role.guest };
      await server.must(`POST /groups/${top}/members`, { json });
    });

    it('is granted to members of any role and to administrators', async () => {
      assert.equal(await pull(by(guest.token)), '200');
      assert.equal(await pull(by(guest.token), 'house'), '200');
      assert.equal(await pull(by(rootToken)), '200');
      const outsider = await addPerson(server, 'outsider');
      assert.equal(await pull(by(outsider.token)), '404 NAME_UNKNOWN');
      assert.equal(await pull(by(outsider.token), 'nowhere'), '404 NAME_UNKNOWN');
      assert.equal(await pull(by(outsider.token), outsider.user.username), '404 NAME_UNKNOWN');
      // Pulling uses storage of the group, so it requires membership even in public groups.
      assert.equal(await pull(by(outsider.token), 'open'), '403 DENIED');
    });

    it('requires authentication', async () => {
      const anonymous = new RegistryClient(server.url);
      for (const group of ['open', 'house']) {
        const scope = `repository:${group}/dependency_proxy/containers/alpine:pull`;
        assert.equal((await anonymous.token(scope)).status, 403);
        const response = await anonymous.plain(`GET /v2/${group}/dependency_proxy/containers/alpine/manifests/1`);
        assert.equal(response.status, 401);
        assert.match(response.headers.get('www-authenticate') ?? '', new RegExp(`/jwt/auth".*,scope="${scope}"$`));
      }
      const wrong = await anonymous.plain('GET /v2/house/dependency_proxy/containers/alpine/blobs/x', {
        headers: { authorization: `Bearer ${guest.token}` },
      });
      assert.match(wrong.headers.get('www-authenticate') ?? '', /error="invalid_token"/);
      const { token } = await by(guest.token).token();
      const poor = await anonymous.plain('GET /v2/house/dependency_proxy/containers/alpine/manifests/1', {
        headers: { authorization: `Bearer ${token}` },
      });
      assert.match(poor.headers.get('www-authenticate') ?? '', /error="insufficient_scope"/);
    });

    it('requires tokens with both scopes', async () => {
      const cases: [string[], string][] = [
        [['api'], '200'],
        [['read_registry', 'write_registry'], '200'],
        [['read_virtual_registry', 'write_virtual_registry'], '200'],
        [['read_registry'], '403 DENIED'],
        [['read_api', 'write_registry'], '403 DENIED'],
      ];
      for (const [scopes, said] of cases) assert.equal(await pull(by(await tokenOf(guest, scopes))), said, `${scopes}`);
    });

    it('is granted to deploy tokens of the group or an ancestor, with both scopes', async () => {
      const deploy = async (group: number, scopes: readonly string[]) => {
        const json = { name: 'machine', scopes };
        const made = await server.must(`POST /groups/${group}/deploy_tokens`, { json });
        return { client: by(made.token, made.username), id: made.id };
      };
      const both = ['read_registry', 'write_registry'];
      assert.equal(await pull((await deploy(top, both)).client), '200');
      const own = await deploy(below, both);
      assert.equal(await pull(own.client), '200');
      assert.equal(await pull(own.client, 'house'), '404 NAME_UNKNOWN');
      assert.equal(await pull((await deploy(top, ['read_registry'])).client), '403 DENIED');
      await server.must(`DELETE /groups/${below}/deploy_tokens/${own.id}`);
      assert.notEqual(await pull(own.client), '200');
      const { id } = await server.must('POST /projects', { json: { name: 'hut', namespace_id: below } });
      const made = await server.must(`POST /projects/${id}/deploy_tokens`, { json: { name: 'hut', scopes: both } });
      assert.equal(await pull(by(made.token, made.username)), '404 NAME_UNKNOWN');
    });

    it('is granted to jobs of projects in the group, with predefined variables', async () => {
      const { id } = await server.must('POST /projects', { json: { name: 'Lamp', namespace_id: below } });
      const runner = await RunnerClient.create(server, { runner_type: 'instance_type', run_untagged: true });
      const commit = {
        branch: 'main',
        commit_message: 'x',
        actions: [{ action: 'create', file_path: '.gitlab-ci.yml', content: 'build: {script: make}' }],
      };
      await server.must(`POST /projects/${id}/repository/commits`, { json: commit });
      await server.running.services.queue.drain();
      const job = await runner.take();
      const { host } = new URL(server.url);
      const value = (key: string) =>
        job.variables.find((one: { key: string }) => one.key === `CI_DEPENDENCY_PROXY_${key}`)?.value;
      assert.deepEqual(['SERVER', 'GROUP_IMAGE_PREFIX', 'DIRECT_GROUP_IMAGE_PREFIX', 'USER', 'PASSWORD'].map(value), [
        host,
        `${host}/house/dependency_proxy/containers`,
        `${host}/house/wing/dependency_proxy/containers`,
        'gitlab-ci-token',
        job.token,
      ]);
      assert.deepEqual(job.credentials, [
        { type: 'registry', url: host, username: 'gitlab-ci-token', password: job.token },
      ]);
      const client = by(job.token, 'gitlab-ci-token');
      assert.equal(await pull(client), '200');
      assert.equal(await pull(client, 'house'), '200');
      // The administrator who runs the job has access, but the job token of a project outside the group does not.
      assert.equal(await pull(client, 'open'), '403 DENIED');
    });

    it('ends with the membership', async () => {
      const leaver = await addPerson(server, 'leaver');
      const json = { user_id: leaver.user.id, access_level: Role.guest };
      await server.must(`POST /groups/${below}/members`, { json });
      const client = by(leaver.token);
      assert.equal(await pull(client), '200');
      await server.must(`DELETE /groups/${below}/members/${leaver.user.id}`);
      assert.equal(await pull(client), '404 NAME_UNKNOWN');
    });

    it('reserves the path dependency_proxy', async () => {
      const said = await server.api('POST /projects', { json: { path: 'dependency_proxy', namespace_id: top } });
      assert.equal(said.status, 400);
      assert.match(said.text, /reserved name/);
      const inner = await server.api('POST /groups', {
        json: { name: 'x', path: 'dependency_proxy', parent_id: top },
      });
      assert.equal(inner.status, 400);
    });
  });
});
