import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { pushAll } from '../../support/git-project.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';
import { addPerson, addProject, addToken, type Person } from '../../support/scene.ts';
import { RunnerClient } from '../runner-client.ts';
import { basic, image, imageType, RegistryClient, sha256 } from './registry-client.ts';

forEachEngine((engine) => {
  describe('registry permissions', () => {
    let place: ProjectWithRoles;
    let name: string;
    let owner: RegistryClient;
    const as = (person: Person) => by(person.token);
    const by = (token: string, username = 'whoever') => new RegistryClient(place.server.url, basic(username, token));
    const anonymous = () => new RegistryClient(place.server.url);
    /** Actions granted to a client when it requests all of them. */
    const granted = async (client: RegistryClient, repository = name) => {
      const { status, token } = await client.token(`repository:${repository}:*`);
      if (status !== 200) return `${status}`;
      const headers = { authorization: `Bearer ${token}` };
      const pull = await client.plain(`GET /v2/${repository}/tags/list`, { headers });
      const push = await client.plain(`POST /v2/${repository}/blobs/uploads/`, { headers });
      const gone = await client.plain(`DELETE /v2/${repository}/manifests/none`, { headers });
      const words = [pull.status === 200 && 'pull', push.status === 202 && 'push', gone.status === 404 && 'delete'];
      return words.filter(Boolean).join(' ');
    };
    const set = (json: object) => place.server.must(`PUT ${place.base}`, { json, token: place.owner.token });

    before(async () => {
      place = await projectWithRoles(engine, 'images');
      name = `${place.owner.user.username}/images`;
      owner = as(place.owner);
      await owner.pushImage(name, 'v1');
    });

    it('depend on the role', async () => {
      assert.equal(await granted(owner), 'pull push delete');
      assert.equal(await granted(as(place.developer)), 'pull push');
      assert.equal(await granted(as(place.reporter)), 'pull');
      assert.equal(await granted(as(place.guest)), '');
      assert.equal(await granted(as(await addPerson(place.server, 'stranger'))), '');
      assert.equal(await granted(anonymous()), '403');
      assert.equal(await granted(anonymous(), 'no/such'), '403');
      assert.equal(await granted(owner, 'no/such'), '');
    });

    it('depend on project visibility and feature settings', async () => {
      await set({ visibility: 'public' });
      assert.equal(await granted(anonymous()), 'pull');
      assert.equal(await granted(as(place.guest)), 'pull');
      await set({ container_registry_access_level: 'private' });
      assert.equal(await granted(anonymous()), '403');
      assert.equal(await granted(as(place.guest)), '');
      assert.equal(await granted(as(place.reporter)), 'pull');
      await set({ container_registry_access_level: 'disabled' });
      assert.equal(await granted(owner), '');
      const { body } = await place.asOwner(`GET ${place.base}`);
      assert.deepEqual([body.container_registry_enabled, body.container_registry_image_prefix], [false, undefined]);
      await set({ container_registry_access_level: 'enabled', visibility: 'private' });
      const again = (await place.asOwner(`GET ${place.base}`)).body;
      assert.equal(again.container_registry_image_prefix, `${new URL(place.server.url).host}/${name}`);
      await place.server.must(`POST ${place.base}/archive`, { token: place.owner.token });
      assert.equal(await granted(owner), 'pull');
      await place.server.must(`POST ${place.base}/unarchive`, { token: place.owner.token });
    });

    it('depend on token scopes', async () => {
      const scoped = async (...scopes: string[]) => granted(by(await addToken(place.server, place.owner.user, scopes)));
      assert.equal(await scoped('read_registry'), 'pull');
      assert.equal(await scoped('write_registry'), 'push');
      assert.equal(await scoped('read_registry', 'write_registry'), 'pull push');
      assert.equal(await scoped('read_api'), 'pull');
      assert.equal(await scoped('read_repository'), '403');
      assert.equal(await granted(by('glpat-nonsense')), '401');
      const { username } = place.owner.user;
      assert.equal((await anonymous().plain('GET /jwt/auth?service=other')).status, 404);
      assert.equal(await granted(by('wrong password', username)), '401');
      assert.equal(await granted(by('correct horse battery', 'root')), 'pull push delete');
    });

    it('end when the token is revoked or the role is lost', async () => {
      const plain = await addToken(place.server, place.owner.user, ['api']);
      const client = by(plain);
      assert.deepEqual(await client.tags(name), ['v1']);
      await place.server.must('DELETE /personal_access_tokens/self', { token: plain });
      assert.equal((await client.call(`GET /v2/${name}/tags/list`)).status, 401);
      const leaver = await addPerson(place.server, 'leaver');
      const member = { user_id: leaver.user.id, access_level: 30 };
      await place.server.must(`POST ${place.base}/members`, { json: member, token: place.owner.token });
      const theirs = as(leaver);
      assert.deepEqual(await theirs.tags(name), ['v1']);
      await place.server.must(`DELETE ${place.base}/members/${leaver.user.id}`, { token: place.owner.token });
      assert.equal((await theirs.call(`GET /v2/${name}/tags/list`)).status, 401);
      assert.equal((await theirs.call(`POST /v2/${name}/blobs/uploads/`)).status, 401);
    });

    it('are granted to deploy tokens in their projects', async () => {
      let made = 0;
      const deploy = async (scopes: readonly string[], project = place.project.id) => {
        made += 1;
        const json = { name: `token ${made}`, scopes };
        return place.server.must(`POST /projects/${project}/deploy_tokens`, { json, token: place.owner.token });
      };
      const reading = await deploy(['read_registry']);
      assert.equal(await granted(by(reading.token, reading.username)), 'pull');
      assert.equal(await granted(by(reading.token, 'other')), '401');
      const writing = await deploy(['read_registry', 'write_registry']);
      assert.equal(await granted(by(writing.token, writing.username)), 'pull push');
      const other = await deploy(['read_repository']);
      assert.equal(await granted(by(other.token, other.username)), '403');
      const beside = await addProject(place.server, place.owner, 'beside');
      const elsewhere = await deploy(['read_registry', 'write_registry'], beside.id);
      assert.equal(await granted(by(elsewhere.token, elsewhere.username)), '');
      const client = by(writing.token, writing.username);
      assert.deepEqual(await client.tags(name), ['v1']);
      await place.server.must(`DELETE ${place.base}/deploy_tokens/${writing.id}`, { token: place.owner.token });
      assert.equal((await client.call(`GET /v2/${name}/tags/list`)).status, 401);
    });

    it('do not reveal or share blobs of other projects', async () => {
      const secret = await owner.pushBlob(name, 'secret bytes');
      const thief = await addPerson(place.server, 'thief');
      await addProject(place.server, thief, 'den');
      const client = as(thief);
      const den = `${thief.user.username}/den`;
      const scopes = [`repository:${den}:*`, `repository:${name}:pull`];
      const mount = `POST /v2/${den}/blobs/uploads/?mount=${secret}&from=${name}`;
      assert.equal((await client.call(mount, { scopes })).status, 202);
      assert.equal((await client.call(`POST /v2/${den}/blobs/uploads/?mount=${secret}`)).status, 202);
      assert.equal((await client.call(`HEAD /v2/${den}/blobs/${secret}`)).status, 404);
      const manifest = image('{}', 'secret bytes');
      await client.pushBlob(den, '{}');
      assert.equal((await client.putManifest(den, 'x', manifest)).code, 'MANIFEST_BLOB_UNKNOWN');
      const own = await addProject(place.server, place.owner, 'own');
      const second = `${place.owner.user.username}/${own.path}`;
      const both = [`repository:${second}:pull,push`, `repository:${name}:pull`];
      const taken = await owner.call(`POST /v2/${second}/blobs/uploads/?mount=${secret}&from=${name}`, {
        scopes: both,
      });
      assert.deepEqual([taken.status, taken.headers.get('docker-content-digest')], [201, secret]);
      assert.equal((await owner.call(`GET /v2/${second}/blobs/${secret}`)).text, 'secret bytes');
      const absent = `POST /v2/${second}/blobs/uploads/?mount=${sha256('absent')}&from=${name}`;
      assert.equal((await owner.call(absent, { scopes: both })).status, 202);
    });

    it('let jobs change images of their own project', async () => {
      const source = new GitClient();
      await source.init();
      await source.commit({ '.gitlab-ci.yml': 'build: {script: make}' }, 'root');
      const built = await addProject(place.server, place.owner, 'built');
      const own = `${place.owner.user.username}/built`;
      const runner = await RunnerClient.create(place.server, { runner_type: 'instance_type', run_untagged: true });
      await pushAll(place.server, place.owner, built, source);
      await place.server.running.services.queue.drain();
      const job = await runner.take();
      const { host } = new URL(place.server.url);
      assert.deepEqual(job.credentials, [
        { type: 'registry', url: host, username: 'gitlab-ci-token', password: job.token },
      ]);
      const value = (key: string) => job.variables.find((one: { key: string }) => one.key === key)?.value;
      assert.deepEqual([value('CI_REGISTRY'), value('CI_REGISTRY_IMAGE')], [host, `${host}/${own}`]);
      assert.deepEqual([value('CI_REGISTRY_USER'), value('CI_REGISTRY_PASSWORD')], ['gitlab-ci-token', job.token]);
      const client = by(job.token, 'gitlab-ci-token');
      await client.pushImage(own, 'job');
      assert.equal(await granted(client, own), 'pull push delete');
      assert.equal(await granted(client, name), '');
      await place.server.must(`POST ${place.base}/job_token_scope/allowlist`, {
        json: { target_project_id: built.id },
        token: place.owner.token,
      });
      assert.equal(await granted(client, name), 'pull');
    });

    it('respect protection rules for repositories and tags', async () => {
      const at = `${place.base}/registry/protection`;
      const repository = { repository_path_pattern: `${name}/prod*`, minimum_access_level_for_push: 'maintainer' };
      assert.equal((await place.asDeveloper(`POST ${at}/repository/rules`, { json: repository })).status, 403);
      const made = await place.asOwner(`POST ${at}/repository/rules`, { json: repository });
      assert.deepEqual([made.status, made.body.minimum_access_level_for_delete], [201, null]);
      const developer = as(place.developer);
      await owner.pushImage(`${name}/production`, 'v1');
      assert.equal(await granted(developer, `${name}/production`), 'pull');
      assert.equal(await granted(developer, `${name}`), 'pull push');
      assert.equal((await place.asOwner(`POST ${at}/repository/rules`, { json: repository })).status, 422);
      const foreign = { ...repository, repository_path_pattern: 'other/*' };
      assert.equal((await place.asOwner(`POST ${at}/repository/rules`, { json: foreign })).status, 422);
      const rule = `${at}/repository/rules/${made.body.id}`;
      const cleared = { minimum_access_level_for_push: '' };
      assert.equal((await place.asOwner(`PATCH ${rule}`, { json: cleared })).status, 422);
      const turned = await place.asOwner(`PATCH ${rule}`, {
        json: { ...cleared, minimum_access_level_for_delete: 'admin' },
      });
      assert.deepEqual(
        [turned.body.minimum_access_level_for_push, turned.body.minimum_access_level_for_delete],
        [null, 'admin'],
      );
      assert.equal(await granted(owner, `${name}/production`), 'pull push');
      assert.equal((await place.asOwner(`GET ${at}/repository/rules`)).body.length, 1);
      assert.equal((await place.asOwner(`DELETE ${rule}`)).status, 204);
      assert.equal((await place.asOwner(`DELETE ${rule}`)).status, 404);

      const levels = { minimum_access_level_for_push: 'maintainer', minimum_access_level_for_delete: 'owner' };
      const tag = await place.asOwner(`POST ${at}/tag/rules`, { json: { tag_name_pattern: '^v\\d', ...levels } });
      assert.equal(tag.status, 201, tag.text);
      assert.equal(
        (await place.asOwner(`POST ${at}/tag/rules`, { json: { tag_name_pattern: '(', ...levels } })).status,
        422,
      );
      await developer.pushBlob(name, '{}');
      await developer.pushBlob(name, 'new');
      const push = async (reference: string) => {
        const { status, code } = await developer.putManifest(name, reference, image('{}', 'new'), imageType);
        return [status, code];
      };
      assert.deepEqual(await push('v2'), [403, 'DENIED']);
      assert.deepEqual(await push('dev'), [201, undefined]);
      assert.deepEqual(await owner.tags(name), ['dev', 'v1']);
      const [found] = (await place.asOwner(`GET ${place.base}/registry/repositories`)).body;
      const tags = `${place.base}/registry/repositories/${found.id}/tags`;
      assert.equal((await place.asDeveloper(`DELETE ${tags}/v1`)).status, 403);
      assert.equal((await place.asDeveloper(`DELETE ${tags}/dev`)).status, 200);
      for (let index = 0; index < 4; index += 1) {
        const json = { tag_name_pattern: `${index}`, ...levels };
        assert.equal((await place.asOwner(`POST ${at}/tag/rules`, { json })).status, 201);
      }
      const sixth = await place.asOwner(`POST ${at}/tag/rules`, { json: { tag_name_pattern: 'six', ...levels } });
      assert.equal(sixth.status, 422);
    });
  });
});
