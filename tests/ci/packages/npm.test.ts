import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { removeDueFiles } from '../../../src/ci/packages/removal.ts';
import { armFault } from '../../../src/platform/faults.ts';
import { atOnce } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';
import { addPerson, addProject, type Person } from '../../support/scene.ts';
import type { Answer } from '../../support/server.ts';

const day = 24 * 60 * 60 * 1000;

/** Document sent by `npm publish`. */
function publication(name: string, version: string, content: Buffer, change: object = {}): object {
  return {
    _id: name,
    name,
    'dist-tags': { latest: version },
    versions: { [version]: { name, version, dependencies: { left: '^1.0.0' }, readme: 'not kept' } },
    _attachments: {
      [`${name}-${version}.tgz`]: { content_type: 'application/octet-stream', data: content.toString('base64') },
    },
    ...change,
  };
}

forEachEngine((engine) => {
  describe('npm packages', () => {
    let place: ProjectWithRoles;
    const says = (answer: Answer) => [answer.status, answer.body?.message ?? answer.body?.error];
    const at = (rest: string) => `${place.base}/packages/npm/${rest}`;
    const put = (name: string, json: object, token: string | null = place.developer.token) =>
      place.server.api(`PUT ${at(encodeURIComponent(name))}`, { token, json });
    const get = (rest: string, token: string | null = place.reporter.token) =>
      place.server.api(`GET ${at(rest)}`, { token });
    const publish = async (name: string, version: string, change?: object) => {
      const answer = await put(name, publication(name, version, Buffer.from(`${name} ${version}`), change));
      assert.equal(answer.status, 200, answer.text);
    };
    const count = async (table: 'packages' | 'package_files' | 'npm_versions' | 'deleted_package_files') =>
      (await place.server.db.read.selectFrom(table).selectAll().execute()).length;

    before(async () => {
      place = await projectWithRoles(engine, 'published');
      await place.server.must('PUT /application/settings', { json: { npm_package_requests_forwarding: false } });
    });

    it('are published, described and downloaded', async () => {
      const content = randomBytes(300_000);
      const made = await put('@owner/tool', publication('@owner/tool', '1.0.0', content));
      assert.equal(made.status, 200, made.text);
      await publish('@owner/tool', '1.1.0-rc.1', { 'dist-tags': { next: '1.1.0-rc.1' } });
      for (const address of ['@owner%2ftool', '@owner/tool', '%40owner%2Ftool']) {
        const { body, headers } = await get(address);
        assert.match(headers.get('content-type') ?? '', /^application\/json/);
        assert.equal(body.name, '@owner/tool');
        assert.deepEqual(body['dist-tags'], { latest: '1.0.0', next: '1.1.0-rc.1' });
        assert.deepEqual(Object.keys(body.versions).toSorted(), ['1.0.0', '1.1.0-rc.1']);
        assert.deepEqual(Object.keys(body.time), ['created', 'modified', '1.1.0-rc.1', '1.0.0']);
        assert.ok(Object.values<string>(body.time).every((time) => new Date(time).toISOString() === time));
        assert.deepEqual([body.time.created, body.time.modified], [body.time['1.0.0'], body.time['1.1.0-rc.1']]);
        const { dist, readme, dependencies } = body.versions['1.0.0'];
        assert.deepEqual([readme, dependencies], [undefined, { left: '^1.0.0' }]);
        assert.equal(dist.shasum, hash('sha1', content));
        assert.equal(dist.integrity, `sha512-${hash('sha512', content, 'base64')}`);
        const url = `/api/v4${at('@owner/tool/-/@owner/tool-1.0.0.tgz')}`;
        assert.ok(dist.tarball.endsWith(url), dist.tarball);
        const file = await fetch(dist.tarball, { headers: { authorization: `Bearer ${place.reporter.token}` } });
        assert.deepEqual(Buffer.from(await file.arrayBuffer()), content);
      }
      assert.equal((await get('@owner/tool/-/tool-1.0.0.tgz')).status, 200);
      const { body: list } = await place.asOwner(`GET ${place.base}/packages?package_type=npm`);
      assert.deepEqual(
        list.map((one: { name: string; version: string; package_type: string; tags: { name: string }[] }) => [
          ...[one.name, one.version, one.package_type],
          one.tags.map((tag) => tag.name),
        ]),
        [
          ['@owner/tool', '1.0.0', 'npm', ['latest']],
          ['@owner/tool', '1.1.0-rc.1', 'npm', ['next']],
        ],
      );
      const statistics = (await place.asOwner(`GET ${place.base}?statistics=true`)).body.statistics;
      assert.equal(statistics.packages_size, content.length + '@owner/tool 1.1.0-rc.1'.length);
      assert.equal(await count('deleted_package_files'), 0);
    });

    it('leave no temporary files behind', () => {
      const { data } = place.server.running.services.config;
      assert.deepEqual(readdirSync(join(data, 'tmp', 'uploads')), []);
    });

    it('are published once, also for concurrent requests', async () => {
      const answers = await atOnce(5, (index) =>
        put('race', publication('race', '1.0.0', Buffer.from(`from ${index}`))),
      );
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 403, 403, 403, 403]);
      const refused = answers.find(({ status }) => status === 403);
      assert.deepEqual(refused?.body, { message: 'Package already exists.', error: 'Package already exists.' });
      const winner = answers.findIndex(({ status }) => status === 200);
      assert.equal((await get('race/-/race-1.0.0.tgz')).text, `from ${winner}`);
      assert.equal(await count('deleted_package_files'), 0);
    });

    it('have tags', async () => {
      const { asOwner, asDeveloper } = place;
      const tags = '-/package/@owner%2ftool/dist-tags';
      const set = (tag: string, body: string, as = asDeveloper) =>
        as(`PUT ${at(`${tags}/${tag}`)}`, { body, headers: { 'content-type': 'application/json' } });
      assert.deepEqual((await get(tags)).body, { latest: '1.0.0', next: '1.1.0-rc.1' });
      assert.equal((await set('stable', '"1.0.0"')).status, 204);
      assert.equal((await set('next', '1.0.0')).status, 204);
      assert.deepEqual((await get('-/package/@owner/tool/dist-tags')).body, {
        ...{ latest: '1.0.0', next: '1.0.0', stable: '1.0.0' },
      });
      assert.deepEqual(says(await set('new', '"9.9.9"')), [404, '404 Package Not Found']);
      assert.deepEqual(says(await set('new', '"nothing"')), [400, '400 Bad request - Version is invalid']);
      assert.deepEqual(says(await set('new', 'x'.repeat(100_000))), [400, '400 Bad request - Version is invalid']);
      assert.deepEqual(says(await set('2.0.0', '"1.0.0"')), [400, '400 Bad request - Tag is invalid']);
      const reporter = await place.server.api(`PUT ${at(`${tags}/new`)}`, {
        ...{ token: place.reporter.token, body: '"1.0.0"', headers: { 'content-type': 'application/json' } },
      });
      assert.equal(reporter.status, 403);
      assert.equal((await asDeveloper(`DELETE ${at(`${tags}/stable`)}`)).status, 403);
      assert.equal((await asOwner(`DELETE ${at(`${tags}/stable`)}`)).status, 204);
      assert.equal((await asOwner(`DELETE ${at(`${tags}/stable`)}`)).status, 404);
      assert.equal((await asOwner(`DELETE ${at(`${tags}/latest`)}`)).status, 204);
      assert.equal((await get(tags)).body.latest, '1.1.0-rc.1');
      assert.equal((await get('-/package/nothing/dist-tags')).status, 404);
      assert.equal((await get('-/package/nothing')).status, 404);
    });

    it('can be deprecated and undeprecated by users who can delete packages', async () => {
      for (const version of ['1.0.0', '2.0.0']) await publish('worn', version);
      const { body } = await get('worn');
      body.versions['1.0.0'].deprecated = 'use 2';
      assert.equal((await put('worn', body)).status, 403);
      assert.equal((await put('worn', body, place.owner.token)).status, 200);
      const read = async () => {
        const { versions } = (await get('worn')).body;
        return [versions['1.0.0'].deprecated, versions['2.0.0'].deprecated];
      };
      assert.deepEqual(await read(), ['use 2', undefined]);
      body.versions['1.0.0'].deprecated = '';
      assert.equal((await put('worn', body, place.owner.token)).status, 200);
      assert.deepEqual(await read(), [undefined, undefined]);
      assert.deepEqual(says(await put('worn', { name: 'worn' }, place.owner.token)), [
        ...[400, '400 Bad request - versions must hold one version'],
      ]);
    });

    it('can be unpublished, by version or completely, by users who can delete packages', async () => {
      for (const version of ['1.0.0', '1.1.0', '2.0.0']) await publish('@owner/gone', version);
      const versions = async () => Object.keys((await get('@owner/gone')).body.versions ?? {});
      const file = '@owner/gone/-/@owner/gone-1.0.0.tgz/-rev/1';
      const { body } = await get('@owner/gone');
      delete body.versions['1.0.0'];
      assert.equal((await put('@owner/gone/-rev/1', body)).status, 403);
      assert.equal((await put('@owner/gone/-rev/1', body, place.owner.token)).status, 200);
      // A version published after npm read the document is not removed.
      assert.equal((await versions()).length, 3);
      const remove = (path: string, token: string) => place.server.api(`DELETE ${at(path)}`, { token });
      assert.equal((await remove(file, place.developer.token)).status, 403);
      assert.equal((await remove(file, place.owner.token)).status, 204);
      assert.deepEqual((await versions()).toSorted(), ['1.1.0', '2.0.0']);
      for (const path of [file, '@owner/gone/-/@owner/gone-9.0.0.tgz/-rev/1', '@owner/none/-rev/1', '@owner/gone']) {
        assert.equal((await remove(path, place.owner.token)).status, 404, path);
      }
      const both = await Promise.all([1, 2].map(() => remove('@owner/gone/-rev/1', place.owner.token)));
      assert.ok(both.some(({ status }) => status === 204));
      assert.ok(both.every(({ status }) => [204, 404].includes(status)));
      assert.equal((await get('@owner/gone')).status, 404);
    });

    it('are described in batches for any number of versions', async () => {
      await publish('many', '0.0.0');
      const { db } = place.server;
      const [first] = await db.read.selectFrom('packages').selectAll().where('name', '=', 'many').execute();
      const file = await db.read
        .selectFrom('package_files')
        .selectAll()
        .where('package_id', '=', first?.id ?? 0)
        .executeTakeFirstOrThrow();
      await db.write(async (trx) => {
        for (let minor = 1; minor <= 250; minor++) {
          const { id: _, ...row } = { ...first, version: `0.${minor}.0` } as NonNullable<typeof first>;
          const { id } = await trx.insertInto('packages').values(row).returning('id').executeTakeFirstOrThrow();
          const { id: __, ...rest } = { ...file, package_id: id };
          await trx.insertInto('package_files').values(rest).execute();
          await trx
            .insertInto('npm_versions')
            .values({ package_id: id, manifest: '{}', integrity: 'sha512-x', deprecated: null })
            .execute();
        }
      });
      const { body } = await get('many');
      assert.equal(Object.keys(body.versions).length, 251);
      assert.equal(body['dist-tags'].latest, '0.0.0');
    });

    it('are rejected if invalid, without leftovers', async () => {
      const before = [await count('packages'), await count('package_files'), await count('npm_versions')];
      const right = publication('bad', '1.0.0', Buffer.from('x'));
      const bad = (change: object) => put('bad', { ...right, ...change });
      assert.deepEqual(says(await bad({ name: 'other' })), [400, '400 Bad request - Name is invalid']);
      assert.deepEqual(says(await bad({ versions: {} })), [400, '400 Bad request - versions must hold one version']);
      assert.deepEqual(says(await bad({ _attachments: { x: { data: '!' } } })), [
        ...[400, '400 Bad request - Attachment data is not base64'],
      ]);
      assert.deepEqual(says(await bad({ _attachments: { x: { data: `${'A'.repeat(100_000)}!` } } })), [
        ...[400, '400 Bad request - Attachment data is not base64'],
      ]);
      for (const name of ['.hidden', 'a/../b', 'a b', '@x', '-/whoami']) {
        assert.equal((await put(name, publication(name, '1.0.0', Buffer.from('x')))).status, 404, name);
      }
      assert.equal((await get('@owner/tool/-/%00')).status, 400);
      const { asOwner, guest, reporter, server } = place;
      const text = await asOwner(`PUT ${at('bad')}`, {
        body: '{"name":',
        headers: { 'content-type': 'application/json' },
      });
      assert.equal(text.status, 400);
      const form = await asOwner(`PUT ${at('bad')}`, { body: 'x', headers: { 'content-type': 'text/plain' } });
      assert.equal(form.status, 400);
      const deep = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`;
      const nested = await asOwner(`PUT ${at('bad')}`, { body: deep, headers: { 'content-type': 'application/json' } });
      assert.equal(nested.status, 400);
      const stranger = await addPerson(server, 'stranger');
      assert.equal((await put('bad', right, stranger.token)).status, 404);
      assert.equal((await put('bad', right, null)).status, 401);
      assert.equal((await put('bad', right, 'glpat-nonsense')).status, 401);
      assert.equal((await put('bad', right, reporter.token)).status, 403);
      assert.equal((await get('@owner/tool', guest.token)).status, 403);
      assert.equal((await get('@owner/tool', stranger.token)).status, 404);
      assert.equal((await get('@owner/tool', null)).status, 404);
      assert.deepEqual(says(await get('nothing')), [404, '404 Packages Not Found']);
      for (const file of ['tool-9.0.0.tgz', '..%2f..%2fx', 'x.tgz']) {
        assert.equal((await get(`@owner/tool/-/${file}`)).status, 404, file);
      }
      await server.must('PUT /application/plan_limits', { json: { plan_name: 'default', npm_max_file_size: 1000 } });
      const large = put('bad', publication('bad', '1.0.0', randomBytes(1001)));
      assert.deepEqual(says(await large), [400, '400 Bad request - File is too large']);
      const huge = publication('bad', '1.0.0', randomBytes(13 * 1024 * 1024));
      assert.equal((await put('bad', huge)).status, 413);
      await server.must('PUT /application/plan_limits', {
        json: { plan_name: 'default', npm_max_file_size: 500 * 1024 ** 2 },
      });
      await asOwner(`PUT ${place.base}`, { json: { package_registry_access_level: 'disabled' } });
      assert.equal((await get('@owner/tool')).status, 403);
      assert.equal((await put('bad', right)).status, 403);
      await asOwner(`PUT ${place.base}`, { json: { package_registry_access_level: 'enabled' } });
      assert.deepEqual([await count('packages'), await count('package_files'), await count('npm_versions')], before);
      assert.equal(await count('deleted_package_files'), 0);
      assert.deepEqual(readdirSync(join(server.running.services.config.data, 'tmp', 'uploads')), []);
    });

    it('answer whoami for the token', async () => {
      const { server, guest, reporter } = place;
      const { username } = await server.must('GET /user', { token: reporter.token });
      assert.deepEqual((await get('-/whoami')).body, { username });
      assert.deepEqual((await get('-/ping')).body, {});
      const stranger = await addPerson(server, 'passer-by');
      for (const rest of ['-/whoami', '-/ping']) {
        assert.equal((await get(rest, guest.token)).status, 403);
        assert.equal((await get(rest, stranger.token)).status, 404);
        assert.equal((await get(rest, 'glpat-nonsense')).status, 401);
        assert.equal((await get(rest, null)).status, 404);
      }
      await place.asOwner(`PUT ${place.base}`, { json: { visibility: 'public' } });
      assert.equal((await get('-/whoami', null)).status, 401);
      assert.equal((await get('-/ping', null)).status, 200);
      await place.asOwner(`PUT ${place.base}`, { json: { visibility: 'private' } });
    });

    it('are found in their group and by scope by users with access', async () => {
      const { server, owner, reporter } = place;
      const own = { token: owner.token };
      const group = await server.must('POST /groups', { ...own, json: { name: 'g', path: `scope-${engine}` } });
      const scope = `@${group.path}`;
      const inside = async (path: string) =>
        (await server.must('POST /projects', { ...own, json: { path, namespace_id: group.id } })).id as number;
      const [one, two] = [await inside('one'), await inside('two')];
      const publishIn = (id: number, version: string) =>
        server.must(`PUT /projects/${id}/packages/npm/${scope}%2fa`, {
          ...own,
          json: publication(`${scope}/a`, version, Buffer.from(`${id}`)),
        });
      await publishIn(one, '1.0.0');
      await publishIn(two, '2.0.0');
      await publishIn(two, '1.0.0');
      const { token } = await server.must(`POST /groups/${group.id}/deploy_tokens`, {
        ...{ ...own, json: { name: 'd', scopes: ['read_package_registry'] } },
      });
      const { token: narrow } = await server.must(`POST /projects/${one}/deploy_tokens`, {
        ...{ ...own, json: { name: 'd', scopes: ['read_package_registry'] } },
      });
      const ask = (path: string, bearer: string | null) =>
        server.api(`GET ${path}`, {
          ...{ token: null, headers: bearer === null ? {} : { authorization: `Bearer ${bearer}` } },
        });
      const places = [`/groups/${group.id}/-/packages/npm/${scope}%2fa`, `/packages/npm/${scope}/a`];
      for (const path of places) {
        for (const bearer of [owner.token, token]) {
          const { body, text } = await ask(path, bearer);
          assert.deepEqual(Object.keys(body.versions).toSorted(), ['1.0.0', '2.0.0'], text);
          assert.match(body.versions['1.0.0'].dist.tarball, new RegExp(`/projects/${two}/`));
          const file = new URL(body.versions['2.0.0'].dist.tarball).pathname.slice('/api/v4'.length);
          assert.equal((await ask(file, bearer)).text, `${two}`);
        }
        for (const bearer of [reporter.token, null]) assert.equal((await ask(path, bearer)).status, 404, path);
        const tags = path.replace(/npm\/(.*)$/, 'npm/-/package/$1/dist-tags');
        assert.equal((await ask(tags, owner.token)).body.latest, '1.0.0');
        assert.equal((await ask(tags, null)).status, 404);
      }
      assert.equal((await ask(places[0] as string, narrow)).status, 404);
      assert.deepEqual(Object.keys((await ask(places[1] as string, narrow)).body.versions), ['1.0.0']);
      assert.equal((await ask('/packages/npm/a', owner.token)).status, 404);
      await server.must(`PUT /groups/${group.id}`, { ...own, json: { visibility: 'public' } });
      await server.must(`PUT /projects/${one}`, { ...own, json: { visibility: 'public' } });
      for (const path of places) assert.deepEqual(Object.keys((await ask(path, null)).body.versions), ['1.0.0']);
    });

    it('are forwarded to the public registry if enabled', async () => {
      const { server } = place;
      const audit = (headers: Record<string, string>, address = 'advisories/bulk') =>
        fetch(`${server.url}/api/v4${at(`-/npm/v1/security/${address}`)}`, {
          ...{ method: 'POST', redirect: 'manual', headers, body: '{}' },
        } as RequestInit);
      const own = { 'content-type': 'application/json', authorization: `Bearer ${place.reporter.token}` };
      assert.equal((await audit(own)).status, 404);
      await server.must('PUT /application/settings', { json: { npm_package_requests_forwarding: true } });
      const requested = (name: string, headers: Record<string, string>) =>
        fetch(`${server.url}/api/v4${at(name)}`, { redirect: 'manual', headers });
      const sent = await requested('@some%2fthing', own);
      assert.deepEqual([sent.status, sent.headers.get('location')], [302, 'https://registry.npmjs.org/@some%2fthing']);
      assert.equal((await requested('..%2fthing', own)).status, 404);
      assert.equal((await requested('@some%2fthing', {})).status, 404);
      // npm requests the first and falls back to the second; pnpm requests the third.
      for (const address of ['advisories/bulk', 'audits/quick', 'audits']) {
        const led = await audit(own, address);
        const there = `https://registry.npmjs.org/-/npm/v1/security/${address}`;
        assert.deepEqual([led.status, led.headers.get('location')], [307, there]);
      }
      assert.equal((await audit({ 'content-type': 'application/json' })).status, 404);
      await server.must('PUT /application/settings', { json: { npm_package_requests_forwarding: false } });
    });

    it('leave no orphaned file if the server fails between storing the file and the row', async () => {
      const { server } = place;
      const before = await count('packages');
      const disarm = armFault('packages.stored', () => {
        throw new Error('cut');
      });
      const failed = await put('cut', publication('cut', '1.0.0', Buffer.from('x')));
      disarm();
      assert.equal(failed.status, 500);
      assert.deepEqual([await count('packages'), await count('deleted_package_files')], [before, 0]);
      // Simulates a killed process: a registered file without a row.
      const { storage, db } = server.running.services;
      const storage_key = 'packages/1/0123456789abcdef';
      await storage.put(storage_key, (async function* () {})());
      await db.write((trx) =>
        trx
          .insertInto('deleted_package_files')
          .values({ storage_key, due_at: Date.now() + day })
          .execute(),
      );
      await removeDueFiles(server.running.services);
      assert.ok(await storage.stat(storage_key));
      await removeDueFiles(server.running.services, undefined, Date.now() + 2 * day);
      assert.deepEqual([await storage.stat(storage_key), await count('deleted_package_files')], [undefined, 0]);
    });

    it('appear in the packages API and are deleted with their project', async () => {
      const { server, asOwner, base } = place;
      const [{ id }] = (await asOwner(`GET ${base}/packages?package_name=worn&package_version=1.0.0`)).body;
      assert.equal((await asOwner(`DELETE ${base}/packages/${id}`)).status, 204);
      assert.deepEqual(Object.keys((await get('worn')).body.versions), ['2.0.0']);
      await publish('worn', '1.0.0');
      const other: Person = place.owner;
      const gone = await addProject(server, other, 'gone');
      await server.must(`PUT /projects/${gone.id}/packages/npm/x`, {
        ...{ token: other.token, json: publication('x', '1.0.0', Buffer.from('x')) },
      });
      const full = encodeURIComponent(`${other.user.username}/gone`);
      await server.api(`DELETE /projects/${gone.id}`, { token: other.token });
      const { body } = await server.api(`GET /projects/${gone.id}`);
      const path = encodeURIComponent(body.path_with_namespace ?? '') || full;
      await server.api(`DELETE /projects/${gone.id}?permanently_remove=true&full_path=${path}`);
      await server.running.services.queue.drain();
      assert.equal((await server.api(`GET /projects/${gone.id}`)).status, 404);
      const left = await server.db.read.selectFrom('npm_tags').select('id').where('project_id', '=', gone.id).execute();
      assert.deepEqual(left, []);
    });
  });
});
