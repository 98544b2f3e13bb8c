import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { atOnce } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';
import { addPerson } from '../../support/scene.ts';
import { zipOf } from '../artifacts/zip.ts';

interface Sent {
  readonly status: number;
  readonly text: string;
}

const basic = (token: string, name = 'anybody') => ({
  authorization: `Basic ${Buffer.from(`${name}:${token}`).toString('base64')}`,
});

/** A package in the format of `dotnet pack`. */
const pack = (id: string, version: string, more = '') =>
  zipOf({
    [`${id}.nuspec`]: `<package><metadata><id>${id}</id><version>${version}</version>${more}</metadata></package>`,
    'lib/netstandard2.0/a.dll': `${id} ${version}`,
  });

forEachEngine((engine) => {
  describe('NuGet packages', () => {
    let place: ProjectWithRoles;
    let stranger: string;
    const base = (id = place.project.id) => `${place.server.url}/api/v4/projects/${id}/packages/nuget`;
    const says = ({ status, text }: Sent) => [status, JSON.parse(text).message ?? JSON.parse(text).error];

    async function push(
      content: Buffer,
      { to = base(), headers = basic(place.developer.token), field = 'package' } = {},
    ): Promise<Sent> {
      const body = new FormData();
      if (field !== '') body.append(field, new Blob([Uint8Array.from(content)]), 'package.nupkg');
      const answer = await fetch(to, { method: 'PUT', headers, body });
      return { status: answer.status, text: await answer.text() };
    }

    async function get(path: string, headers: Record<string, string> = basic(place.reporter.token)) {
      const answer = await fetch(path.startsWith('http') ? path : `${base()}/${path}`, { headers });
      const bytes = Buffer.from(await answer.arrayBuffer());
      const isJson = answer.headers.get('content-type')?.startsWith('application/json');
      return {
        status: answer.status,
        bytes,
        body: isJson ? JSON.parse(bytes.toString()) : null,
        headers: answer.headers,
      };
    }
    const rows = async (table: 'packages' | 'package_files' | 'nuget_versions' | 'deleted_package_files') =>
      (await place.server.db.read.selectFrom(table).selectAll().execute()).length;

    before(async () => {
      place = await projectWithRoles(engine, 'sharp');
      stranger = (await addPerson(place.server, 'stranger')).token;
    });

    it('provide a service index', async () => {
      for (const document of ['index', 'index.json']) {
        const { body } = await get(document);
        assert.equal(body.version, '3.0.0');
        const at = new Map(body.resources.map((one: Record<string, string>) => [one['@type'], one['@id']]));
        assert.equal(at.get('SearchQueryService'), `${base()}/query`);
        assert.equal(at.get('RegistrationsBaseUrl/3.0.0-rc'), `${base()}/metadata`);
        assert.equal(at.get('PackageBaseAddress/3.0.0'), `${base()}/download`);
        assert.equal(at.get('PackagePublish/2.0.0'), base());
        assert.equal(at.get('SymbolPackagePublish/4.9.0'), `${base()}/symbolpackage`);
      }
    });

    it('are published, described and downloaded case-insensitively', async () => {
      const about =
        '<authors>Ada</authors><description>Shines</description><tags>light</tags><dependencies>' +
        '<group targetFramework=".NETStandard2.0"><dependency id="Oil" version="1.0.0" /></group></dependencies>';
      const lamp = await pack('My.Lamp', '1.3.0.17', about);
      assert.deepEqual(says(await push(lamp)), [201, '201 Created']);
      // NuGet appends a slash to the URL.
      assert.equal((await push(await pack('my.lamp', '1.10'), { to: `${base()}/` })).status, 201);
      assert.equal((await push(await pack('MY.LAMP', '2.0.0-RC.1+build'))).status, 201);
      for (const name of ['My.Lamp', 'my.lamp']) {
        const { body } = await get(`download/${name}/index.json`);
        assert.deepEqual(body, { versions: ['1.3.0.17', '1.10.0', '2.0.0-rc.1'] });
      }
      const { body: all } = await get('metadata/my.lamp/index.json');
      const [page] = all.items;
      assert.deepEqual([all.count, page.count, page.lower, page.upper], [1, 3, '1.3.0.17', '2.0.0-rc.1']);
      assert.deepEqual(
        page.items.map(({ catalogEntry }: { catalogEntry: Record<string, string> }) => [
          catalogEntry.id,
          catalogEntry.version,
        ]),
        [
          ['My.Lamp', '1.3.0.17'],
          ['My.Lamp', '1.10.0'],
          ['My.Lamp', '2.0.0-RC.1'],
        ],
      );
      const [first] = page.items;
      const at = `${base()}/metadata/My.Lamp/1.3.0.17.json`;
      const packageContent = `${base()}/download/My.Lamp/1.3.0.17/my.lamp.1.3.0.17.nupkg`;
      const { published, ...entry } = first.catalogEntry;
      assert.ok(Date.parse(published) > 0);
      assert.deepEqual(
        { ...first, catalogEntry: entry },
        {
          '@id': at,
          packageContent,
          catalogEntry: {
            '@id': at,
            id: 'My.Lamp',
            version: '1.3.0.17',
            title: 'My.Lamp',
            authors: 'Ada',
            description: 'Shines',
            summary: 'Shines',
            tags: 'light',
            dependencyGroups: [
              {
                '@id': `${at}#dependencyGroup/.netstandard2.0`,
                '@type': 'PackageDependencyGroup',
                targetFramework: '.NETStandard2.0',
                dependencies: [
                  {
                    '@id': `${at}#dependencyGroup/.netstandard2.0/oil`,
                    '@type': 'PackageDependency',
                    id: 'Oil',
                    range: '1.0.0',
                  },
                ],
              },
            ],
            packageContent,
          },
        },
      );
      for (const document of ['1.3.0.17', '1.3.0.17.json', '01.3.0.17']) {
        assert.deepEqual((await get(`metadata/MY.lamp/${document}`)).body, first);
      }
      const file = await get(packageContent);
      assert.deepEqual([file.bytes, file.headers.get('x-content-type-options')], [lamp, 'nosniff']);
      assert.equal((await get('download/my.lamp/2.0.0-rc.1/my.lamp.2.0.0-rc.1.nupkg')).status, 200);
      const { body } = await place.asOwner(`GET ${place.base}/packages?package_type=nuget`);
      assert.deepEqual(
        body.map(({ name, version }: Record<string, string>) => `${name} ${version}`),
        ['My.Lamp 1.3.0.17', 'My.Lamp 1.10.0', 'My.Lamp 2.0.0-RC.1'],
      );
    });

    it('can be published again, also concurrently, with the latest one served', async () => {
      const again = await pack('My.Lamp', '1.3.0.17', '<authors>Bo</authors>');
      assert.equal((await push(again)).status, 201);
      assert.deepEqual((await get('download/my.lamp/1.3.0.17/my.lamp.1.3.0.17.nupkg')).bytes, again);
      assert.equal((await get('metadata/my.lamp/1.3.0.17')).body.catalogEntry.authors, 'Bo');
      const spellings = ['Race', 'race', 'RACE', 'rAcE'];
      const packed = await Promise.all(spellings.map((name) => pack(name, '1.0.0')));
      const answers = await atOnce(4, (index) => push(packed[index] ?? Buffer.alloc(0)));
      for (const { status, text } of answers) assert.ok(status === 201 || status === 409, text);
      assert.deepEqual((await get('download/race/index')).body, { versions: ['1.0.0'] });
      const { body } = await place.asOwner(`GET ${place.base}/packages?package_name=race`);
      assert.equal(body.length, 1);
      assert.equal(await rows('deleted_package_files'), 0);
    });

    it('are searched by a part of their name', async () => {
      assert.equal((await push(await pack('Lampshade', '0.1.0-beta', '<title>A_shade</title>'))).status, 201);
      const found = async (query: string) => {
        const { body } = await get(`query?${query}`);
        return [body.totalHits, ...body.data.map(({ id, version }: Record<string, string>) => `${id} ${version}`)];
      };
      assert.deepEqual(await found('q=LAMP'), [2, 'Lampshade 0.1.0-beta', 'My.Lamp 1.10.0']);
      assert.deepEqual(await found('q=lamp&prerelease=false'), [1, 'My.Lamp 1.10.0']);
      assert.deepEqual(await found('q=lamp&skip=1&take=1'), [2, 'My.Lamp 1.10.0']);
      assert.deepEqual(await found('q=lamp&skip=-5&take=100000'), [2, 'Lampshade 0.1.0-beta', 'My.Lamp 1.10.0']);
      assert.deepEqual(await found('q=a_p'), [0]);
      assert.equal((await found(''))[0], 3);
      const { body } = await get('query?q=my.lamp');
      const [one] = body.data;
      assert.deepEqual(one.versions[0], {
        '@id': `${base()}/metadata/My.Lamp/1.3.0.17.json`,
        version: '1.3.0.17',
        downloads: 0,
      });
      assert.equal(one.versions.length, 3);
      assert.equal((await get('query?take=many')).status, 400);
    });

    it('have symbol packages', async () => {
      const symbols = await pack('my.lamp', '1.10.0');
      const to = `${base()}/symbolpackage`;
      assert.equal((await push(symbols, { to })).status, 201);
      assert.equal((await push(await pack('none', '1.0.0'), { to })).status, 404);
      assert.deepEqual((await get('download/my.lamp/1.10.0/my.lamp.1.10.0.snupkg')).bytes, symbols);
      assert.notDeepEqual((await get('download/my.lamp/1.10.0/my.lamp.1.10.0.nupkg')).bytes, symbols);
      assert.equal((await get('download/none/index')).status, 404);
    });

    it('are deleted by users with permission', async () => {
      const remove = async (path: string, token: string) =>
        (await fetch(`${base()}/${path}`, { method: 'DELETE', headers: basic(token) })).status;
      assert.equal(await remove('race/1.0.0', place.developer.token), 403);
      assert.equal(await remove('race/1.0.0', stranger), 404);
      assert.equal(await remove('race/9.0.0', place.owner.token), 404);
      assert.equal(await remove('RACE/1.0', place.owner.token), 204);
      assert.equal((await get('metadata/race/index')).status, 404);
      assert.equal((await get('download/race/1.0.0/race.1.0.0.nupkg')).status, 404);
    });

    it('are rejected if invalid, without leftovers', async () => {
      const { server, reporter, guest, asOwner } = place;
      const before = [await rows('packages'), await rows('package_files'), await rows('nuget_versions')];
      const bad = (text: string) => [400, `400 Bad request - ${text}`];
      const good = await pack('bad', '1.0.0');
      assert.equal((await push(Buffer.from('no archive'))).status, 400);
      assert.deepEqual(says(await push(await zipOf({ 'a/b.nuspec': '' }))), bad('The package has no manifest'));
      const invalid = bad('The manifest of the package is invalid');
      assert.deepEqual(says(await push(await pack('ba..d', '1.0.0'))), invalid);
      assert.deepEqual(says(await push(await pack('bad', 'latest'))), invalid);
      const bomb = await zipOf({ 'bad.nuspec': '<package>'.padEnd(100 * 1024 ** 2) });
      assert.deepEqual(
        says(await push(bomb)),
        bad(`The package cannot be unpacked: it unpacks to more than ${256 * 1024} bytes`),
      );
      assert.deepEqual(says(await push(good, { field: 'other' })), [400, 'package is missing']);
      const json = await asOwner(`PUT ${place.base}/packages/nuget`, { json: { package: 'x' } });
      assert.deepEqual([json.status, json.body.error], [400, 'package is missing']);
      assert.equal((await push(good, { headers: basic(reporter.token) })).status, 403);
      assert.equal((await push(good, { headers: basic('glpat-nonsense') })).status, 401);
      assert.equal((await push(good, { headers: basic(stranger) })).status, 404);
      const file = 'download/my.lamp/1.10.0/my.lamp.1.10.0.nupkg';
      for (const path of [
        'index.json',
        'query',
        'metadata/my.lamp/index',
        'metadata/my.lamp/1.10.0',
        'download/my.lamp/index',
        file,
      ]) {
        assert.equal((await get(path, basic(stranger))).status, 404, path);
        assert.equal((await get(path, basic(guest.token))).status, 403, path);
        const response = await get(path, {});
        assert.deepEqual([response.status, response.headers.has('www-authenticate')], [401, true], path);
      }
      for (const path of [
        'metadata/none/index',
        'metadata/..%2fx/index',
        'metadata/my.lamp/9.0.0',
        'metadata/my.lamp/x',
      ]) {
        assert.equal((await get(path)).status, 404, path);
      }
      assert.equal((await get('download/my.lamp/1.10.0/..%2fx')).status, 404);
      assert.equal((await get('download/my.lamp/1.10.0')).status, 400);
      const limit = (nuget_max_file_size: number) =>
        server.must('PUT /application/plan_limits', { json: { plan_name: 'default', nuget_max_file_size } });
      await limit(100);
      assert.deepEqual(says(await push(good)), bad('File is too large'));
      await limit(500 * 1024 ** 2);
      await asOwner(`PUT ${place.base}`, { json: { package_registry_access_level: 'disabled' } });
      assert.equal((await get('index.json')).status, 403);
      assert.equal((await push(good)).status, 403);
      await asOwner(`PUT ${place.base}`, { json: { package_registry_access_level: 'enabled' } });
      assert.deepEqual([await rows('packages'), await rows('package_files'), await rows('nuget_versions')], before);
      assert.equal(await rows('deleted_package_files'), 0);
      assert.deepEqual(readdirSync(join(server.running.services.config.data, 'tmp', 'uploads')), []);
    });

    it('are found in their group by users with access', async () => {
      const { server, owner, reporter } = place;
      const own = { token: owner.token };
      const group = await server.must('POST /groups', { ...own, json: { name: 'g', path: 'sharps' } });
      const inside = async (path: string) =>
        (await server.must('POST /projects', { ...own, json: { path, namespace_id: group.id } })).id as number;
      const [one, two] = [await inside('one'), await inside('two')];
      const headers = basic(owner.token);
      assert.equal((await push(await pack('Shared', '1.0.0'), { to: base(one), headers })).status, 201);
      assert.equal((await push(await pack('Shared', '2.0.0'), { to: base(two), headers })).status, 201);
      const { token } = await server.must(`POST /groups/${group.id}/deploy_tokens`, {
        ...{ ...own, json: { name: 'd', scopes: ['read_package_registry'] } },
      });
      const at = `${server.url}/api/v4/groups/${group.id}/-/packages/nuget`;
      for (const who of [headers, basic(token)]) {
        const { body: index } = await get(`${at}/index.json`, who);
        assert.ok(index.resources.every((resource: Record<string, string>) => resource['@id']?.startsWith(`${at}/`)));
        const { body } = await get(`${at}/metadata/shared/index.json`, who);
        assert.deepEqual(
          body.items[0].items.map((item: Record<string, string>) => item.packageContent),
          [
            `${base(one)}/download/Shared/1.0.0/shared.1.0.0.nupkg`,
            `${base(two)}/download/Shared/2.0.0/shared.2.0.0.nupkg`,
          ],
        );
        assert.equal((await get(body.items[0].items[1].packageContent, who)).status, 200);
        assert.equal((await get(`${at}/query?q=share`, who)).body.data[0].version, '2.0.0');
      }
      for (const path of ['index.json', 'metadata/shared/index', 'query']) {
        assert.equal((await get(`${at}/${path}`, basic(reporter.token))).status, 404);
        assert.equal((await get(`${at}/${path}`, {})).status, 401);
      }
      await server.must(`PUT /groups/${group.id}`, { ...own, json: { visibility: 'public' } });
      await server.must(`PUT /projects/${one}`, { ...own, json: { visibility: 'public' } });
      const { body } = await get(`${at}/metadata/shared/index`, {});
      assert.equal(body.items[0].count, 1);
      assert.equal((await get(`${at}/metadata/shared/2.0.0`, {})).status, 401);
      assert.equal((await get(`${at}/metadata/shared/2.0.0`)).status, 404);
    });

    it('are subject to package protection rules, case-insensitively', async () => {
      const rule = {
        package_name_pattern: 'Kept*',
        package_type: 'nuget',
        minimum_access_level_for_push: 'maintainer',
      };
      const made = await place.asOwner(`POST ${place.base}/packages/protection/rules`, { json: rule });
      assert.equal(made.status, 201, made.text);
      assert.equal((await push(await pack('Kept', '1.0.0'))).status, 403);
      assert.equal((await push(await pack('kEPT', '1.0.0'))).status, 403);
      assert.equal((await push(await pack('kept', '1.0.0'), { headers: basic(place.owner.token) })).status, 201);
    });
  });
});
