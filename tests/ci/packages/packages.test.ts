import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { atOnce } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import type { Answer } from '../../support/server.ts';
import { RunnerClient } from '../runner-client.ts';

forEachEngine((engine) => {
  describe('packages', () => {
    let place: ProjectWithRoles;
    const says = (answer: Answer) => [answer.status, answer.body.message ?? answer.body.error];
    const at = (rest = '') => `${place.base}/packages${rest}`;
    const settled = () => place.server.running.services.queue.drain();
    const octets = { 'content-type': 'application/octet-stream' };
    const put = (path: string, body: string | Buffer = 'bytes', token: string | null = place.developer.token) =>
      place.server.api(`PUT ${at(`/generic/${path}`)}`, { token, body, headers: octets });
    const get = (path: string, person: Person = place.reporter) =>
      place.server.api(`GET ${at(path)}`, { token: person.token });
    const named = async (name: string) => (await get(`?package_name=${name}`)).body[0];

    before(async () => {
      const source = new GitClient();
      await source.init();
      await source.commit({ '.gitlab-ci.yml': 'publish: {script: make}' }, 'root [skip ci]');
      place = await projectWithRoles(engine, 'published', source);
      await settled();
    });

    it('are published, downloaded, listed and deleted', async () => {
      const content = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));
      const made = await put('tool/1.0.0/tool.bin?select=package_file', content);
      assert.equal(made.status, 201, made.text);
      assert.equal(made.body.size, content.length);
      assert.deepEqual(
        [made.body.file_md5, made.body.file_sha1, made.body.file_sha256],
        ['md5', 'sha1', 'sha256'].map((algorithm) => hash(algorithm, content)),
      );
      const linked = await fetch(made.body.file.url, { headers: { 'private-token': place.reporter.token } });
      assert.equal(hash('sha256', Buffer.from(await linked.arrayBuffer())), made.body.file_sha256);
      assert.deepEqual(says(await put('tool/1.0.1/dir/tool.bin', '{"json": true}')), [201, '201 Created']);
      const back = await get('/generic/tool/1.0.1/dir/tool.bin');
      assert.deepEqual([back.status, back.text], [200, '{"json": true}']);
      assert.match(back.headers.get('content-disposition') ?? '', /attachment; filename="tool.bin"/);
      const list = await get('?package_name=too&order_by=version&sort=desc');
      assert.deepEqual(
        list.body.map(({ version }: { version: string }) => version),
        ['1.0.1', '1.0.0'],
      );
      assert.equal((await get('?package_version=1.0.0')).body.length, 1);
      assert.equal((await get('?package_type=npm')).body.length, 0);
      assert.equal((await get('?include_versionless=true&status=default')).body.length, 2);
      const { body: one } = await get(`/${made.body.package_id}`);
      assert.deepEqual([one.name, one.version, one.package_type, one.status], ['tool', '1.0.0', 'generic', 'default']);
      assert.equal(one._links.delete_api_path, undefined);
      assert.deepEqual(
        one.versions.map(({ version }: { version: string }) => version),
        ['1.0.1'],
      );
      const statistics = async () => (await place.asOwner(`GET ${place.base}?statistics=true`)).body.statistics;
      assert.equal((await statistics()).packages_size, content.length + 14);
      const files = `/${one.id}/package_files`;
      const [file] = (await get(files)).body;
      assert.equal((await get(`${files}/${file.id}/download`)).headers.get('content-length'), `${content.length}`);
      assert.notEqual((await get(`/${one.id}`)).body.last_downloaded_at, null);
      assert.equal((await place.asDeveloper(`DELETE ${at(`/${one.id}`)}`)).status, 403);
      assert.equal((await place.asOwner(`DELETE ${at(`/${one.id}`)}`)).status, 204);
      assert.deepEqual(says(await get(`/${one.id}`)), [404, '404 Package Not Found']);
      assert.equal((await get('/generic/tool/1.0.0/tool.bin')).status, 404);
      assert.equal((await statistics()).packages_size, 14);
      await settled();
      assert.deepEqual(await place.server.db.read.selectFrom('deleted_package_files').selectAll().execute(), []);
    });

    it('keep all files with the same name and serve the latest', async () => {
      const { asOwner } = place;
      await put('again/1/a.txt', 'first');
      await put('again/1/a.txt', 'second');
      assert.equal((await get('/generic/again/1/a.txt')).text, 'second');
      const { id } = await named('again');
      const files = `/${id}/package_files?order_by=file_name&sort=desc`;
      const { body } = await get(files);
      assert.equal(body.length, 2);
      assert.equal((await place.asDeveloper(`DELETE ${at(`/${id}/package_files/${body[0].id}`)}`)).status, 403);
      assert.equal((await asOwner(`DELETE ${at(`/${id}/package_files/${body[0].id}`)}`)).status, 204);
      assert.equal((await asOwner(`DELETE ${at(`/${id}/package_files/${body[0].id}`)}`)).status, 404);
      assert.equal((await get('/generic/again/1/a.txt')).text, 'first');
      await put('again/1/a.txt?status=hidden', 'third');
      assert.equal(await named('again'), undefined);
      assert.equal((await get('?status=hidden')).body[0].name, 'again');
    });

    it('are created once for concurrent publications', async () => {
      const answers = await atOnce(6, (index) => put(`race/1/${index}.txt`, `${index}`));
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
      const all = await get('?package_name=race');
      assert.equal(all.body.length, 1);
      assert.equal((await get(`/${all.body[0].id}/package_files`)).body.length, 6);
    });

    it('reject invalid names, large files and unauthorized users', async () => {
      const { server, guest, reporter } = place;
      assert.deepEqual(says(await put('a%20b/1/x')), [400, 'package_name is invalid']);
      assert.deepEqual(says(await put('a/1..2/x')), [400, 'package_version is invalid']);
      assert.deepEqual(says(await put('a/1/..%2fx')), [400, 'file_name is invalid']);
      assert.deepEqual(says(await put('a/1/~x')), [400, 'file_name is invalid']);
      assert.deepEqual(says(await put('a/1/x?status=gone')), [400, 'status does not have a valid value']);
      assert.equal((await get('?order_by=nothing')).status, 400);
      const stranger = await addPerson(server, 'stranger');
      assert.equal((await put('a/1/x', 'b', stranger.token)).status, 404);
      assert.equal((await put('a/1/x', 'b', null)).status, 401);
      assert.equal((await put('a/1/x', 'b', reporter.token)).status, 403);
      assert.equal((await get('', guest)).status, 403);
      assert.equal((await get('', stranger)).status, 404);
      await server.must('PUT /application/plan_limits', {
        json: { plan_name: 'default', generic_packages_max_file_size: 10 },
      });
      assert.deepEqual(says(await put('a/1/x', '12345678901')), [400, '400 Bad request - File is too large']);
      const streamed = new ReadableStream({
        start(controller) {
          for (const part of ['12345', '67890', '1']) controller.enqueue(Buffer.from(part));
          controller.close();
        },
      });
      const chunked = await fetch(`${server.url}/api/v4${at('/generic/a/1/x')}`, {
        method: 'PUT',
        headers: { ...octets, 'private-token': place.developer.token },
        body: streamed,
        duplex: 'half',
      } as RequestInit);
      assert.equal(chunked.status, 400);
      assert.equal((await put('a/1/x', '1234567890')).status, 201);
      await server.must('PUT /application/plan_limits', {
        json: { plan_name: 'default', generic_packages_max_file_size: 5 * 1024 ** 3 },
      });
      assert.equal((await get('?package_name=a')).body.filter(({ name }: { name: string }) => name === 'a').length, 1);
      await place.asOwner(`PUT ${place.base}`, { json: { package_registry_access_level: 'disabled' } });
      assert.equal((await get('')).status, 403);
      assert.equal((await put('a/2/x')).status, 403);
      await place.asOwner(`PUT ${place.base}`, { json: { package_registry_access_level: 'private' } });
      assert.equal((await get('')).status, 200);
    });

    it('are linked to the pipelines whose jobs published them', async () => {
      const { body: pipeline } = await place.asOwner(`POST ${place.base}/pipeline`, { json: { ref: 'main' } });
      await settled();
      const runner = await RunnerClient.create(place.server, { runner_type: 'instance_type', run_untagged: true });
      const job = await runner.take();
      const published = await place.server.api(`PUT ${at('/generic/built/1/x')}`, {
        token: null,
        body: 'made',
        headers: { ...octets, 'job-token': job.token },
      });
      assert.equal(published.status, 201, published.text);
      const lamp = `PUT ${at('/maven/g/lamp/1/lamp-1.jar')}`;
      const asJob = { token: null, body: 'made', headers: { ...octets, 'job-token': job.token } };
      assert.equal((await place.server.api(lamp, asJob)).status, 200);
      assert.equal((await named('lamp')).pipeline.id, pipeline.id);
      const found = await named('built');
      assert.equal(found.pipeline.id, pipeline.id);
      assert.equal(found.pipeline.user.id, place.owner.user.id);
      const pipelines = await get(`/${found.id}/pipelines`);
      assert.deepEqual(
        pipelines.body.map(({ id }: { id: number }) => id),
        [pipeline.id],
      );
      assert.equal((await get(`/${found.id}/package_files`)).body[0].pipelines[0].id, pipeline.id);
    });

    it('are deleted with their project', async () => {
      const { storage_key } = await place.server.db.read
        .selectFrom('package_files')
        .select('storage_key')
        .limit(1)
        .executeTakeFirstOrThrow();
      const { storage } = place.server.running.services;
      assert.ok(await storage.stat(storage_key));
      const { body } = await place.asOwner(`GET ${place.base}`);
      await place.asOwner(`DELETE ${place.base}`);
      const full = encodeURIComponent((await place.server.api(`GET ${place.base}`)).body.path_with_namespace ?? '');
      await place.server.api(
        `DELETE ${place.base}?permanently_remove=true&full_path=${full || encodeURIComponent(body.path_with_namespace)}`,
      );
      await settled();
      assert.equal((await place.server.api(`GET ${place.base}`)).status, 404);
      assert.equal(await storage.stat(storage_key), undefined);
      assert.deepEqual(await place.server.db.read.selectFrom('packages').selectAll().execute(), []);
    });
  });
});
