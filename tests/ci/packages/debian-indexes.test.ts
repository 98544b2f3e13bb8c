import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { createMessage, readCleartextMessage, readKey, readSignature, verify } from 'openpgp';
import { Role } from '../../../src/access/roles.ts';
import { renewExpiring } from '../../../src/ci/packages/debian/indexes/refresh.ts';
import { atOnce } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import { until } from '../../support/until.ts';
import { changes, deb, dsc } from './debian-files.ts';

const basic = (token: string) => ({ authorization: `Basic ${Buffer.from(`me:${token}`).toString('base64')}` });

/** The fields of a release, and its files with their digests. */
function readRelease(text: string) {
  const sums = new Map(
    Array.from(text.matchAll(/^ ([0-9a-f]{64}) (\d+) (\S+)$/gm), ([, sha256, size, path]) => [
      path ?? '',
      { sha256, size: Number(size) },
    ]),
  );
  return { sums, field: (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1] };
}

const packagesIn = (index: string) => Array.from(index.matchAll(/^Package: (.*)$/gm), ([, name]) => name);

forEachEngine((engine) => {
  describe('Debian indexes', () => {
    let place: ProjectWithRoles;
    let stranger: Person;
    let group: number;
    let inner: number;
    let closed: number;
    const ofProject = (id = place.project.id) => `/projects/${id}/packages/debian`;
    const ofGroup = (id = group) => `/groups/${id}/-/packages/debian`;

    async function get(path: string, token: string | null = place.owner.token) {
      const headers = token === null ? {} : basic(token);
      const answer = await fetch(`${place.server.url}/api/v4${path}`, { headers });
      const bytes = Buffer.from(await answer.arrayBuffer());
      return { status: answer.status, bytes, text: bytes.toString(), headers: answer.headers };
    }
    const idle = () =>
      until(async () => {
        const jobs = place.server.db.read.selectFrom('jobs').select('id').where('kind', 'like', 'packages.%-debian');
        return (await jobs.where('state', 'in', ['pending', 'running']).execute()).length === 0;
      });

    async function put(name: string, content: Buffer, query = '', project = place.project.id): Promise<void> {
      const url = `${place.server.url}/api/v4${ofProject(project)}/${name}${query}`;
      const answer = await fetch(url, {
        method: 'PUT',
        headers: basic(place.owner.token),
        body: Uint8Array.from(content),
      });
      assert.equal(answer.status, 201, await answer.text());
    }
    async function add(
      name: string,
      {
        version = '1',
        architecture = 'all',
        codename = 'sid',
        component = 'main',
        extension = 'deb',
        project = place.project.id,
      } = {},
    ) {
      const content = deb({ Package: name, Version: version, Architecture: architecture });
      await put(
        `${name}_${version}_${architecture}.${extension}`,
        content,
        `?distribution=${codename}&component=${component}`,
        project,
      );
      await idle();
      return content;
    }
    const release = async (base: string, codename = 'sid') =>
      readRelease((await get(`${base}/dists/${codename}/Release`)).text);
    const index = async (base: string, path = 'main/binary-amd64/Packages', codename = 'sid') =>
      (await get(`${base}/dists/${codename}/${path}`)).text;

    before(async () => {
      place = await projectWithRoles(engine, 'archive');
      stranger = await addPerson(place.server, 'stranger');
      group = (await place.server.must('POST /groups', { json: { name: 'Crew', path: 'crew' } })).id;
      await place.server.must(`POST /groups/${group}/members`, {
        json: { user_id: place.owner.user.id, access_level: Role.maintainer },
      });
      const json = {
        codename: 'sid',
        suite: 'unstable',
        components: ['main', 'contrib'],
        architectures: ['amd64', 'arm64'],
      };
      assert.equal((await place.asDeveloper(`POST ${place.base}/debian_distributions`, { json })).status, 201);
      await idle();
    });

    it('are empty at first', async () => {
      const { sums, field } = await release(ofProject());
      assert.deepEqual(
        [
          field('Codename'),
          field('Suite'),
          field('Architectures'),
          field('Components'),
          field('Acquire-By-Hash'),
          field('Valid-Until'),
        ],
        ['sid', 'unstable', 'all amd64 arm64', 'contrib main', 'yes', undefined],
      );
      assert.deepEqual(
        [...sums.keys()],
        ['contrib', 'main'].flatMap((component) => [
          ...['all', 'amd64', 'arm64'].map((architecture) => `${component}/binary-${architecture}/Packages`),
          `${component}/source/Sources`,
        ]),
      );
      for (const [path, { sha256, size }] of sums) {
        assert.deepEqual([sha256, size], [hash('sha256', ''), 0]);
        assert.deepEqual([(await get(`${ofProject()}/dists/sid/${path}`)).text], ['']);
      }
      const folder = `${ofProject()}/dists/sid/main/binary-amd64`;
      assert.equal((await get(`${folder}/by-hash/SHA256/${hash('sha256', '')}`)).status, 200);
    });

    it('list packages by component and architecture, by name and by hash, plain and compressed', async () => {
      const everywhere = await add('everywhere');
      await add('amd', { architecture: 'amd64' });
      await add('arm', { architecture: 'arm64', component: 'contrib' });
      await add('debug', { extension: 'ddeb', architecture: 'amd64' });
      await add('installer', { extension: 'udeb', architecture: 'amd64' });
      const tarball = Buffer.from('the source');
      const files = { 'lamp_1.tar.gz': tarball, 'lamp_1.dsc': dsc('lamp', '1', { 'lamp_1.tar.gz': tarball }) };
      for (const [name, content] of Object.entries(files)) await put(name, content);
      await put('lamp_1_source.changes', changes('lamp', '1', files));
      await idle();
      const { sums } = await release(ofProject());
      const expected = {
        'main/binary-all/Packages': ['everywhere'],
        'main/binary-amd64/Packages': ['everywhere', 'amd', 'debug'],
        'main/binary-arm64/Packages': ['everywhere'],
        'contrib/binary-arm64/Packages': ['arm'],
        'contrib/binary-amd64/Packages': [],
        'main/debian-installer/binary-amd64/Packages': ['installer'],
        'main/source/Sources': ['lamp'],
      };
      for (const [path, names] of Object.entries(expected)) {
        assert.deepEqual(packagesIn(await index(ofProject(), path)), names, path);
        assert.equal(sums.has(`${path}.gz`), names.length > 0, path);
      }
      assert.equal(sums.has('contrib/debian-installer/binary-amd64/Packages'), false);
      for (const [path, { sha256 = '', size }] of sums) {
        const sent = await get(`${ofProject()}/dists/unstable/${path}`);
        assert.deepEqual([sent.status, hash('sha256', sent.bytes), sent.bytes.length], [200, sha256, size], path);
        const folder = path.slice(0, path.lastIndexOf('/'));
        const same = await get(`${ofProject()}/dists/sid/${folder}/by-hash/SHA256/${sha256}`);
        assert.deepEqual(same.bytes, sent.bytes, path);
        if (path.endsWith('.gz')) {
          assert.equal(gunzipSync(sent.bytes).toString(), await index(ofProject(), path.slice(0, -3)));
        }
      }
      const [stanza = ''] = (await index(ofProject(), 'main/binary-all/Packages')).split('\n\n');
      const address = /^Filename: (.*)$/m.exec(stanza)?.[1];
      assert.equal(address, 'pool/sid/e/everywhere/1/everywhere_1_all.deb');
      assert.deepEqual((await get(`${ofProject()}/${address}`)).bytes, everywhere);
      const source = await index(ofProject(), 'main/source/Sources');
      assert.match(source, /^Directory: pool\/sid\/l\/lamp\/1$/m);
      assert.deepEqual((await get(`${ofProject()}/pool/sid/l/lamp/1/lamp_1.tar.gz`)).bytes, tarball);
    });

    it('are signed by the key of the distribution', async () => {
      const armoredKey = (await get(`${place.base}/debian_distributions/sid/key.asc`)).text;
      const verificationKeys = await readKey({ armoredKey });
      const base = `${ofProject()}/dists/sid`;
      const text = (await get(`${base}/Release`)).text;
      const cleartext = await readCleartextMessage({ cleartextMessage: (await get(`${base}/InRelease`)).text });
      const inline = await verify({ message: cleartext, verificationKeys });
      assert.equal(await inline.signatures[0]?.verified, true);
      assert.equal(`${inline.data}`.trimEnd(), text.trimEnd());
      const signature = await readSignature({ armoredSignature: (await get(`${base}/Release.gpg`)).text });
      const message = await createMessage({ binary: Buffer.from(text) });
      const detached = await verify({ message, signature, verificationKeys });
      assert.equal(await detached.signatures[0]?.verified, true);
    });

    it('follow changes: former indexes are found by hash, deleted packages are gone', async () => {
      const folder = 'main/binary-arm64';
      const former = (await release(ofProject())).sums.get(`${folder}/Packages`)?.sha256;
      const unchanged = (await release(ofProject())).sums.get('contrib/binary-arm64/Packages');
      await add('brief', { architecture: 'arm64' });
      const { sums } = await release(ofProject());
      assert.notEqual(sums.get(`${folder}/Packages`)?.sha256, former);
      assert.deepEqual(sums.get('contrib/binary-arm64/Packages'), unchanged);
      assert.equal((await get(`${ofProject()}/dists/sid/${folder}/by-hash/SHA256/${former}`)).status, 200);
      assert.equal((await get(`${ofProject()}/dists/sid/contrib/binary-amd64/by-hash/SHA256/${former}`)).status, 404);
      const [found] = (await place.asOwner(`GET ${place.base}/packages?package_name=brief`)).body;
      assert.equal((await place.asOwner(`DELETE ${place.base}/packages/${found.id}`)).status, 204);
      await idle();
      assert.deepEqual(packagesIn(await index(ofProject(), `${folder}/Packages`)), ['everywhere']);
      const json = { components: ['main'], architectures: ['amd64'], description: 'Smaller' };
      assert.equal((await place.asDeveloper(`PUT ${place.base}/debian_distributions/sid`, { json })).status, 200);
      await idle();
      const smaller = await release(ofProject());
      assert.equal(smaller.field('Description'), 'Smaller');
      assert.ok([...smaller.sums.keys()].every((path) => /^main\/(?!.*arm64)/.test(path)));
      assert.equal((await get(`${ofProject()}/dists/sid/${folder}/Packages`)).status, 404);
      await place.asDeveloper(`PUT ${place.base}/debian_distributions/sid`, {
        json: { components: ['main', 'contrib'], architectures: ['amd64', 'arm64'] },
      });
      await idle();
      assert.deepEqual(packagesIn(await index(ofProject(), 'contrib/binary-arm64/Packages')), ['arm']);
    });

    it('list every package after concurrent uploads', async () => {
      const names = Array.from({ length: 6 }, (_, n) => `many${n}`);
      await atOnce(names.length, (n) => {
        const name = names[n] ?? '';
        return put(
          `${name}_1_all.deb`,
          deb({ Package: name, Version: '1', Architecture: 'all' }),
          '?distribution=sid&component=main',
        );
      });
      await idle();
      const listed = packagesIn(await index(ofProject()));
      assert.ok(names.every((name) => listed.includes(name)));
      const { sums } = await release(ofProject());
      const bytes = (await get(`${ofProject()}/dists/sid/main/binary-amd64/Packages`)).bytes;
      assert.equal(sums.get('main/binary-amd64/Packages')?.sha256, hash('sha256', bytes));
    });

    it('expire if the distribution says so, and are renewed before', async () => {
      const json = { codename: 'brief', valid_time_duration_seconds: 86_400 };
      assert.equal((await place.asDeveloper(`POST ${place.base}/debian_distributions`, { json })).status, 201);
      await idle();
      const { field } = await release(ofProject(), 'brief');
      assert.equal(Date.parse(field('Valid-Until') ?? '') - Date.parse(field('Date') ?? ''), 86_400_000);
      const { db, running } = place.server;
      const expiring = (valid_until: number) =>
        db.write((trx) =>
          trx
            .updateTable('debian_distributions')
            .set({ valid_until, release_file: 'old' })
            .where('codename', '=', 'brief')
            .execute(),
        );
      await expiring(Date.now() + 20 * 3_600_000);
      await renewExpiring(running.services);
      await idle();
      assert.equal((await get(`${ofProject()}/dists/brief/Release`)).text, 'old');
      await expiring(Date.now() + 3_600_000);
      await renewExpiring(running.services);
      await idle();
      assert.ok(Date.parse((await release(ofProject(), 'brief')).field('Valid-Until') ?? '') > Date.now() + 80_000_000);
    });

    it('of a group list the packages of projects below it that are as visible as the group', async () => {
      const { server } = place;
      const project = async (name: string, visibility: string, namespace_id: number) => {
        const { id } = await server.must('POST /projects', { json: { name, visibility, namespace_id } });
        await server.must(`POST /projects/${id}/debian_distributions`, { json: { codename: 'trixie' } });
        await add(name, { codename: 'trixie', project: id });
        return id as number;
      };
      const open = (await server.must('POST /groups', { json: { name: 'Open', path: 'open', visibility: 'public' } }))
        .id;
      await server.must(`POST /groups/${open}/members`, {
        json: { user_id: place.owner.user.id, access_level: Role.maintainer },
      });
      const below = (
        await server.must('POST /groups', {
          json: { name: 'below', path: 'below', visibility: 'public', parent_id: open },
        })
      ).id;
      inner = (await server.must('POST /groups', { json: { name: 'inner', path: 'inner', parent_id: group } })).id;
      for (const id of [open, group, inner]) {
        await server.must(`POST /groups/${id}/-/debian_distributions`, {
          json: { codename: 'trixie', suite: 'testing' },
        });
      }
      const shown = await project('shown', 'public', below);
      const hidden = await project('hidden', 'private', open);
      const internal = await project('closed', 'private', inner);
      closed = internal;
      assert.deepEqual(packagesIn(await index(ofGroup(open), undefined, 'trixie')), ['shown']);
      assert.deepEqual(packagesIn(await index(ofGroup(), undefined, 'testing')), ['closed']);
      const address = /^Filename: (.*)$/m.exec(await index(ofGroup(open), undefined, 'trixie'))?.[1];
      assert.equal(address, `pool/trixie/${shown}/s/shown/1/shown_1_all.deb`);
      assert.equal((await get(`${ofGroup(open)}/${address}`, null)).status, 200);
      const others = [
        [`${ofGroup(open)}/pool/trixie/${hidden}/h/hidden/1/hidden_1_all.deb`, [200, 404, 401]],
        [`${ofGroup()}/pool/trixie/${internal}/c/closed/1/closed_1_all.deb`, [200, 404, 401]],
        [`${ofGroup()}/pool/trixie/${shown}/s/shown/1/shown_1_all.deb`, [404, 404, 401]],
        [`${ofGroup()}/dists/trixie/InRelease`, [200, 404, 401]],
        [`${ofGroup(open)}/dists/trixie/InRelease`, [200, 200, 200]],
      ] as const;
      for (const [path, statuses] of others) {
        const tokens = [place.owner.token, stranger.token, null];
        assert.deepEqual(
          await Promise.all(tokens.map(async (token) => (await get(path, token)).status)),
          statuses,
          path,
        );
      }
      await server.must(`PUT /projects/${shown}`, { json: { visibility: 'private' } });
      await idle();
      assert.deepEqual(packagesIn(await index(ofGroup(open), undefined, 'trixie')), []);
      await server.must(`PUT /projects/${shown}`, {
        json: { visibility: 'public', package_registry_access_level: 'private' },
      });
      await idle();
      assert.deepEqual(packagesIn(await index(ofGroup(open), undefined, 'trixie')), []);
      await server.must(`PUT /projects/${shown}`, { json: { package_registry_access_level: 'enabled' } });
      await idle();
      assert.deepEqual(packagesIn(await index(ofGroup(open), undefined, 'trixie')), ['shown']);
      await server.must(`DELETE /projects/${shown}/debian_distributions/trixie`);
      await idle();
      assert.deepEqual(packagesIn(await index(ofGroup(open), undefined, 'trixie')), []);
    });

    it('are readable by those who can read the packages', async () => {
      const { reporter, guest } = place;
      for (const path of ['InRelease', 'Release', 'Release.gpg', 'main/binary-amd64/Packages']) {
        const tokens = [reporter.token, guest.token, stranger.token, null];
        const statuses = await Promise.all(
          tokens.map(async (token) => (await get(`${ofProject()}/dists/sid/${path}`, token)).status),
        );
        assert.deepEqual(statuses, [200, 403, 404, 401], path);
      }
      const odd = [
        'sid',
        'sid/',
        'none/Release',
        'sid/../sid/Release',
        'sid/main/binary-amd64/../Packages',
        `sid/x/by-hash/SHA256/${'0'.repeat(64)}`,
      ];
      for (const path of odd)
        assert.equal((await get(`${ofProject()}/dists/${encodeURIComponent(path)}`)).status, 404, path);
    });

    it('are removed with their distribution, project or group', async () => {
      const { server, base } = place;
      const left = async () => {
        const stored = server.db.read
          .selectFrom('debian_indexes')
          .select('storage_key')
          .where('storage_key', 'is not', null);
        return (await stored.execute()).map(({ storage_key }) => storage_key ?? '');
      };
      const isStored = async (key: string) => (await server.running.services.storage.stat(key)) !== undefined;
      const keys = await left();
      assert.ok(keys.length > 0 && (await isStored(keys[0] ?? '')));
      assert.equal((await place.asOwner(`DELETE ${base}/debian_distributions/sid`)).status, 202);
      await idle();
      const others = new Set(await left());
      const gone = keys.filter((key) => !others.has(key));
      assert.ok(gone.length > 0);
      await until(async () => (await Promise.all(gone.map(isStored))).every((stored) => !stored));
      const paths = [`projects/${closed}`, `groups/${inner}`];
      for (const [n, path] of paths.entries()) {
        await server.must(`DELETE /${path}`);
        const { path_with_namespace, full_path = path_with_namespace } = await server.must(`GET /${path}`);
        await server.must(`DELETE /${path}?permanently_remove=true&full_path=${full_path}`);
        if (n > 0) continue;
        await until(async () => packagesIn(await index(ofGroup(), undefined, 'trixie')).length === 0);
      }
      const ofGone = async () =>
        server.db.read.selectFrom('debian_distributions').select('id').where('group_id', '=', inner).execute();
      await until(async () => (await ofGone()).length === 0);
      const remaining = new Set(await left());
      const removed = [...others].filter((key) => !remaining.has(key));
      assert.ok(removed.length > 0);
      await until(async () => (await Promise.all(removed.map(isStored))).every((stored) => !stored));
    });
  });
});
