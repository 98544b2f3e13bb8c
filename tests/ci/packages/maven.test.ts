import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { atOnce } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';
import { addPerson } from '../../support/scene.ts';

const basic = (token: string, name = 'maven') => ({
  authorization: `Basic ${Buffer.from(`${name}:${token}`).toString('base64')}`,
});
const digests = ['md5', 'sha1', 'sha256', 'sha512'] as const;

forEachEngine((engine) => {
  describe('Maven packages', () => {
    let place: ProjectWithRoles;
    let stranger: string;
    const base = () => `${place.server.url}/api/v4/projects/${place.project.id}/packages/maven`;
    const at = (path: string) => (path.startsWith('http') ? path : `${base()}/${path}`);
    const jar = 'com/example/lamp/1.0/lamp-1.0.jar';

    async function put(
      path: string,
      body: string | Buffer,
      headers: Record<string, string> = basic(place.developer.token),
    ) {
      const answer = await fetch(at(path), { method: 'PUT', headers, body: Uint8Array.from(Buffer.from(body)) });
      return { status: answer.status, text: await answer.text(), headers: answer.headers };
    }
    async function get(path: string, headers: Record<string, string> = basic(place.reporter.token), method = 'GET') {
      const answer = await fetch(at(path), { method, headers, redirect: 'manual' });
      const bytes = Buffer.from(await answer.arrayBuffer());
      return { status: answer.status, bytes, text: bytes.toString(), headers: answer.headers };
    }
    const rows = async (table: 'packages' | 'package_files' | 'deleted_package_files') =>
      (await place.server.db.read.selectFrom(table).selectAll().execute()).length;
    const listed = async (query = '') =>
      (await place.asOwner(`GET ${place.base}/packages?package_type=maven${query}`)).body.map(
        ({ name, version, package_type }: Record<string, string | null>) => [name, version, package_type],
      );

    before(async () => {
      place = await projectWithRoles(engine, 'lamps');
      stranger = (await addPerson(place.server, 'stranger')).token;
    });

    it('are published with digests and downloaded', async () => {
      const content = randomBytes(200_000);
      const made = await put(jar, content);
      assert.deepEqual([made.status, JSON.parse(made.text)], [200, { message: '200 OK' }]);
      for (const name of digests) {
        assert.equal((await put(`${jar}.${name}`, hash(name, content))).status, 200, name);
        const read = await get(`${jar}.${name}`);
        assert.deepEqual([read.status, read.text], [200, hash(name, content)]);
        assert.match(read.headers.get('content-type') ?? '', /^text\/plain/);
      }
      assert.equal((await put(`${jar}.sha1`, `${hash('sha1', content).toUpperCase()}  lamp-1.0.jar\n`)).status, 200);
      const file = await get(jar);
      assert.deepEqual(file.bytes, content);
      assert.equal(file.headers.get('x-content-type-options'), 'nosniff');
      assert.deepEqual(await listed(), [['com/example/lamp', '1.0', 'maven']]);
      const { statistics } = (await place.asOwner(`GET ${place.base}?statistics=true`)).body;
      assert.equal(statistics.packages_size, content.length);
    });

    it('support HEAD requests', async () => {
      await put('g/quiet/1/quiet-1.jar', 'bytes');
      const head = await get('g/quiet/1/quiet-1.jar', basic(place.reporter.token), 'HEAD');
      assert.deepEqual([head.status, head.headers.get('content-length'), head.text], [200, '5', '']);
      const [{ last_downloaded_at }] = (await place.asOwner(`GET ${place.base}/packages?package_name=quiet`)).body;
      assert.equal(last_downloaded_at, null);
      assert.equal((await get('g/quiet/1/quiet-1.jar.sha1', undefined, 'HEAD')).status, 200);
      assert.equal((await get('g/quiet/2/quiet-2.jar', undefined, 'HEAD')).status, 404);
    });

    it('have metadata for all versions, stored without a version', async () => {
      const path = 'com/example/lamp/maven-metadata.xml';
      assert.equal((await get(path)).status, 404);
      for (const text of ['<metadata>1</metadata>', '<metadata>2</metadata>']) {
        assert.equal((await put(path, text)).status, 200);
        assert.equal((await put(`${path}.sha1`, hash('sha1', text))).status, 200);
        assert.equal((await get(path)).text, text);
        assert.equal((await get(`${path}.sha1`)).text, hash('sha1', text));
      }
      assert.deepEqual(await listed('&package_name=lamp'), [['com/example/lamp', '1.0', 'maven']]);
      assert.deepEqual(await listed('&package_name=lamp&include_versionless=true'), [
        ['com/example/lamp', '1.0', 'maven'],
        ['com/example/lamp', null, 'maven'],
      ]);
      const [{ id }] = (await place.asOwner(`GET ${place.base}/packages?package_name=lamp`)).body;
      assert.deepEqual((await place.asOwner(`GET ${place.base}/packages/${id}`)).body.versions, []);
    });

    it('support snapshots with separate file names', async () => {
      const folder = 'com/example/lamp/1.1-SNAPSHOT';
      for (const build of [1, 2]) {
        const name = `lamp-1.1-20261117.12000${build}-${build}.jar`;
        assert.equal((await put(`${folder}/${name}`, `build ${build}`)).status, 200);
        assert.equal((await put(`${folder}/maven-metadata.xml`, `<metadata>${build}</metadata>`)).status, 200);
      }
      assert.equal((await get(`${folder}/lamp-1.1-20261117.120001-1.jar`)).text, 'build 1');
      assert.equal((await get(`${folder}/lamp-1.1-20261117.120002-2.jar`)).text, 'build 2');
      assert.equal((await get(`${folder}/maven-metadata.xml`)).text, '<metadata>2</metadata>');
      assert.equal((await get('com/example/lamp/maven-metadata.xml')).text, '<metadata>2</metadata>');
      assert.equal((await listed('&package_version=1.1-SNAPSHOT')).length, 1);
    });

    it('are created once for concurrent uploads of their files', async () => {
      const answers = await atOnce(6, (index) =>
        put(index % 2 === 0 ? `g/race/1/race-1-${index}.jar` : 'g/race/maven-metadata.xml', `${index}`),
      );
      assert.deepEqual(
        answers.map(({ status }) => status),
        Array(6).fill(200),
      );
      assert.equal((await listed('&package_name=race&include_versionless=true')).length, 2);
      // Each client verifies the digest of its own upload, whichever was last.
      for (const index of [1, 3, 5]) {
        assert.equal((await put('g/race/maven-metadata.xml.md5', hash('md5', `${index}`))).status, 200);
      }
      assert.equal(await rows('deleted_package_files'), 0);
    });

    it('are rejected if invalid, without leftovers', async () => {
      const { server, reporter, guest, developer } = place;
      const before = [await rows('packages'), await rows('package_files')];
      const says = ({ status, text }: { status: number; text: string }) => {
        const body = JSON.parse(text);
        return [status, body.message ?? body.error];
      };
      const conflict = await put(`${jar}.sha1`, hash('sha1', 'other'));
      assert.deepEqual(says(conflict), [409, 'The sha1 does not match the file']);
      for (const wrong of ['', 'x', 'a'.repeat(100_000)]) {
        for (const name of digests) assert.equal((await put(`${jar}.${name}`, wrong)).status, 409, name);
      }
      assert.equal((await put('g/none/1/none-1.jar.sha1', hash('sha1', 'x'))).status, 404);
      for (const path of ['x.jar', 'a/1/x.jar', 'g/a/1..2/x.jar', 'g/%2e%2e%2fa/1/x.jar', 'g/a/1/a%20b']) {
        assert.deepEqual(says(await put(path, 'x')), [400, 'path is invalid'], path);
        assert.equal((await get(path)).status, 404, path);
      }
      const bad = 'g/bad/1/bad-1.jar';
      assert.equal((await put(bad, 'x', basic(reporter.token))).status, 403);
      assert.equal((await put(bad, 'x', basic('glpat-nonsense'))).status, 401);
      assert.equal((await put(bad, 'x', basic(stranger))).status, 404);
      assert.equal((await get(jar, basic(stranger))).status, 404);
      assert.equal((await get(jar, basic(guest.token))).status, 403);
      assert.equal((await get(jar, basic('glpat-nonsense'))).status, 401);
      const limit = (maven_max_file_size: number) =>
        server.must('PUT /application/plan_limits', { json: { plan_name: 'default', maven_max_file_size } });
      await limit(10);
      assert.deepEqual(says(await put(bad, 'x'.repeat(11))), [400, '400 Bad request - File is too large']);
      // An upload without Content-Length is aborted at the limit.
      const slowly = new ReadableStream({
        start(controller) {
          for (let n = 0; n < 20; n += 1) controller.enqueue(Buffer.from('x'));
          controller.close();
        },
      });
      const unsaid = await fetch(at(bad), {
        ...{ method: 'PUT', headers: basic(developer.token), body: slowly },
        ...{ duplex: 'half' },
      });
      assert.equal(unsaid.status, 400);
      await limit(3 * 1024 ** 3);
      assert.deepEqual([await rows('packages'), await rows('package_files')], before);
      assert.equal(await rows('deleted_package_files'), 0);
    });

    it('challenge anonymous callers, whether or not the file exists', async () => {
      const nowhere = `${place.server.url}/api/v4/projects/999999/packages/maven/${jar}`;
      const anywhere = `${place.server.url}/api/v4/packages/maven/${jar}`;
      for (const answer of [
        await get(jar, {}),
        await get(nowhere, {}),
        await get(anywhere, {}),
        await put(jar, 'x', {}),
      ]) {
        assert.deepEqual(
          [answer.status, answer.headers.get('www-authenticate')],
          [401, 'Basic realm="GitLab Packages Registry"'],
        );
      }
    });

    it('can be read and published with every kind of token', async () => {
      const { server, owner, developer, asOwner } = place;
      const scopes = ['read_package_registry', 'write_package_registry'];
      const made = await asOwner(`POST ${place.base}/deploy_tokens`, { json: { name: 'd', scopes } });
      const { token, username } = made.body;
      const reading = await asOwner(`POST ${place.base}/deploy_tokens`, {
        json: { name: 'r', scopes: scopes.slice(0, 1) },
      });
      const ways: readonly Record<string, string>[] = [
        { 'private-token': developer.token },
        { authorization: `Bearer ${developer.token}` },
        { 'deploy-token': token },
        basic(token, username),
      ];
      for (const [index, headers] of ways.entries()) {
        const path = `g/ways/${index}/ways-${index}.jar`;
        assert.equal((await put(path, `${index}`, headers)).status, 200, `${index}`);
        assert.equal((await get(path, headers)).text, `${index}`);
      }
      const weak = { 'deploy-token': reading.body.token };
      assert.equal((await get('g/ways/0/ways-0.jar', weak)).text, '0');
      assert.notEqual((await put('g/ways/9/ways-9.jar', 'x', weak)).status, 200);
      const narrow = await server.must(`POST /users/${owner.user.id}/personal_access_tokens`, {
        json: { name: 'narrow', scopes: ['read_api'] },
      });
      assert.equal((await put('g/ways/9/ways-9.jar', 'x', { 'private-token': narrow.token })).status, 403);
      assert.equal((await get('g/ways/9/ways-9.jar')).status, 404);
    });

    it('are subject to package protection rules', async () => {
      const rule = {
        package_name_pattern: 'com/kept/*',
        package_type: 'maven',
        minimum_access_level_for_push: 'maintainer',
      };
      const made = await place.asOwner(`POST ${place.base}/packages/protection/rules`, { json: rule });
      assert.equal(made.status, 201, made.text);
      const kept = 'com/kept/lamp/1.0/lamp-1.0.jar';
      assert.equal((await put(kept, 'x')).status, 403);
      assert.equal((await put('com/kept/lamp/maven-metadata.xml', 'x')).status, 403);
      assert.equal((await get(kept)).status, 404);
      assert.equal((await put(kept, 'x', basic(place.owner.token))).status, 200);
    });

    it('are not served once deleted', async () => {
      const [{ id }] = (await place.asOwner(`GET ${place.base}/packages?package_version=1.0&package_name=example`))
        .body;
      assert.equal((await place.asOwner(`DELETE ${place.base}/packages/${id}`)).status, 204);
      for (const path of [jar, `${jar}.sha1`]) assert.equal((await get(path)).status, 404);
    });

    it('are found at group level by users with access, latest first', async () => {
      const { server, owner, reporter } = place;
      const own = { token: owner.token };
      const path = `mvn-${engine}`;
      const group = await server.must('POST /groups', { ...own, json: { name: 'g', path } });
      const inside = async (name: string) =>
        (await server.must('POST /projects', { ...own, json: { path: name, namespace_id: group.id } })).id as number;
      const [one, two] = [await inside('one'), await inside('two')];
      const to = (id: number) => `${server.url}/api/v4/projects/${id}/packages/maven`;
      const shared = 'g/shared/maven-metadata.xml';
      for (const id of [one, two]) {
        assert.equal((await put(`${to(id)}/${shared}`, `of ${id}`, basic(owner.token))).status, 200);
      }
      const { token } = await server.must(`POST /groups/${group.id}/deploy_tokens`, {
        ...{ ...own, json: { name: 'd', scopes: ['read_package_registry'] } },
      });
      const below = `${server.url}/api/v4/groups/${group.id}/-/packages/maven`;
      for (const who of [basic(owner.token), { 'deploy-token': token }]) {
        assert.equal((await get(`${below}/${shared}`, who)).text, `of ${two}`);
        assert.equal((await get(`${below}/${shared}.sha1`, who)).text, hash('sha1', `of ${two}`));
        assert.equal((await get(`${below}/g/none/maven-metadata.xml`, who)).status, 404);
      }
      assert.equal((await get(`${below}/${shared}`, basic(reporter.token))).status, 404);
      assert.equal((await get(`${below}/${shared}`, {})).status, 401);
      await server.must(`PUT /groups/${group.id}`, { ...own, json: { visibility: 'public' } });
      await server.must(`PUT /projects/${one}`, { ...own, json: { visibility: 'public' } });
      for (const who of [{}, basic(reporter.token)]) {
        assert.equal((await get(`${below}/${shared}`, who)).text, `of ${one}`);
      }

      // At instance level, a package is looked up in the project whose path equals its name.
      const named = `${path}/two/1.0/two-1.0.jar`;
      for (const id of [two, one]) await put(`${to(id)}/${named}`, `of ${id}`, basic(owner.token));
      const anywhere = `${server.url}/api/v4/packages/maven`;
      for (const who of [basic(owner.token), { 'deploy-token': token }]) {
        assert.equal((await get(`${anywhere}/${named}`, who)).text, `of ${two}`);
        assert.equal((await get(`${anywhere}/${shared}`, who)).status, 404);
        assert.equal((await get(`${anywhere}/${two}/maven-metadata.xml`, who)).status, 404);
      }
      assert.equal((await get(`${anywhere}/${named}`, basic(reporter.token))).status, 404);
      assert.equal((await get(`${anywhere}/${named}`, {})).status, 401);
    });
  });
});
