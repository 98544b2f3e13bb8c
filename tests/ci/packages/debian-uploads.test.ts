import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { sweepIncoming } from '../../../src/ci/packages/debian/uploads/sweep.ts';
import { atOnce } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';
import { addPerson } from '../../support/scene.ts';
import { plainTar } from '../../support/tar.ts';
import { until } from '../../support/until.ts';
import { ar, changes, controlText, deb, debWith, dsc, member, signed } from './debian-files.ts';

const squeezedControl = Buffer.from(
  '/Td6WFoAAATm1rRGAgAhARwAAAAQz1jM4Af/AJ1dABcLyOfZ5dHD1ZV9QtvcDlxs1kDPXj+uj/ZoJAk/+EPmWaDK6zq4Ou5f13B6o+O8IEseY0rMBi5LuwoBAeHR3QZxPuYeKDiKS1LlHXANVMs6GKhNErcArDaLJwAqwjiST+d5YUsREEhtaNdt3b6YykCiQW2VGyD3vsB8ZZDtID3D/TG/WentBSpuAyiB4fTIQeyS19NovLVoIakNqAAAAAAARgvJNuKiSyoAAbkBgBAAAJuqjzKxxGf7AgAAAAAEWVo=',
  'base64',
);
/** A mebibyte of zeros. */
const zerosXz = Buffer.from(
  '/Td6WFoAAATm1rRGAgAhARwAAAAQz1jM7///ANldAABv/f//o7f/Rz5IFXI5YVG4kijmo4YH+e7kHoLTL8U6PAFLsX7JiopNL6MN2X+m44wjEVPgWRjFdYrid/i2lH8MasDedElk4ulcU7IE2PdEDKtfDW1G6eXDdoi3llestk3haR1v+0uIEGxCy4g/XACP0E6vJiiUcR89jyThcJ6nI1/sKMuF0ZWYin4qkfIndfcZwAaYTZj92K/VkA/EJVP49ZE2MQWlsO5vwXBNRwzRkRGqrWAdus6xJxhcWYbpZlJYvul2rFnk5VsFCPnH2q38+1Iq9+SVJQAAAAAAwva6PqJwa2AAAfUBgIBAAHmXf0exxGf7AgAAAAAEWVo=',
  'base64',
);
const basic = (token: string, name = 'anybody') => ({
  authorization: `Basic ${Buffer.from(`${name}:${token}`).toString('base64')}`,
});
const minute = 60_000;
const day = 24 * 60 * minute;

forEachEngine((engine) => {
  describe('Debian uploads', () => {
    let place: ProjectWithRoles;
    let stranger: string;
    const base = () => `${place.server.url}/api/v4/projects/${place.project.id}/packages/debian`;

    async function put(
      name: string,
      content: Buffer,
      query = '',
      headers: Record<string, string> = basic(place.developer.token),
    ) {
      const body = Uint8Array.from(content);
      const answer = await fetch(`${base()}/${name}${query}`, { method: 'PUT', headers, body });
      const said = (await answer.json()) as { readonly message?: string; readonly error?: string };
      return { status: answer.status, body: said, headers: answer.headers };
    }
    async function get(path: string, headers: Record<string, string> = basic(place.reporter.token)) {
      const answer = await fetch(`${base()}/${path}`, { headers });
      return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()), headers: answer.headers };
    }
    const jobs = () =>
      place.server.db.read
        .selectFrom('jobs')
        .select('id')
        .where('kind', '=', 'packages.process-debian')
        .where('state', 'in', ['pending', 'running'])
        .execute();
    const processed = () => until(async () => (await jobs()).length === 0);

    /** Uploads files and then the list of them, and waits until they are processed. */
    async function upload(files: Readonly<Record<string, Buffer>>, name: string, list: Buffer): Promise<void> {
      for (const [file, content] of [...Object.entries(files), [name, list] as const]) {
        const { status, body } = await put(file, content);
        assert.deepEqual([status, body], [201, { message: '201 Created' }]);
      }
      await processed();
    }
    const packages = async (query = '') =>
      (await place.asOwner(`GET ${place.base}/packages?package_type=debian&include_versionless=true${query}`)).body;
    const filesOf = async (id: number): Promise<string[]> =>
      (await place.asOwner(`GET ${place.base}/packages/${id}/package_files`)).body.map(
        ({ file_name }: { file_name: string }) => file_name,
      );
    const incoming = async () => {
      const rows = place.server.db.read.selectFrom('packages').selectAll();
      return rows.where('name', '=', 'incoming').where('version', 'is', null).executeTakeFirst();
    };
    const entries = () => place.server.db.read.selectFrom('debian_files').selectAll().orderBy('file_name').execute();
    const problem = async () => {
      const found = await incoming();
      return found?.status === 'error' ? found.status_message : undefined;
    };
    const measured = async () => {
      const { statistics } = (await place.asOwner(`GET ${place.base}?statistics=true`)).body;
      const rows = await place.server.db.read.selectFrom('package_files').select('size').execute();
      return [statistics.packages_size, rows.reduce((sum, { size }) => sum + Number(size), 0)];
    };

    before(async () => {
      place = await projectWithRoles(engine, 'archive');
      stranger = (await addPerson(place.server, 'stranger')).token;
      const json = { codename: 'sid', suite: 'unstable', components: ['main', 'contrib'] };
      assert.equal((await place.asDeveloper(`POST ${place.base}/debian_distributions`, { json })).status, 201);
    });

    it('wait as incoming files until a .changes lists them', async () => {
      const tarball = Buffer.from('the source');
      const binary = deb({
        Package: 'lamp-tools',
        Source: 'lamp',
        Version: '1:1.0-1',
        Architecture: 'amd64',
        SHA256: 'forged',
      });
      const files = {
        'lamp_1.0.orig.tar.gz': tarball,
        'lamp_1.0-1.dsc': signed(dsc('lamp', '1:1.0-1', { 'lamp_1.0.orig.tar.gz': tarball })),
        'lamp-tools_1.0-1_amd64.deb': binary,
      };
      for (const [name, content] of Object.entries(files)) assert.equal((await put(name, content)).status, 201);
      assert.deepEqual(await packages(), []);
      const [waiting] = await packages('&status=processing');
      assert.deepEqual([waiting.name, waiting.version, waiting.status], ['incoming', null, 'processing']);
      assert.deepEqual(await filesOf(waiting.id), Object.keys(files));
      assert.equal((await get('pool/sid/l/lamp/1:1.0-1/lamp-tools_1.0-1_amd64.deb')).status, 404);

      const list = signed(changes('lamp', '1:1.0-1', files, { distribution: 'unstable', section: 'contrib/misc' }));
      await upload({}, 'lamp_1.0-1_amd64.changes', list);
      const [found, ...others] = await packages();
      assert.deepEqual([others, found.name, found.version, found.status], [[], 'lamp', '1:1.0-1', 'default']);
      assert.equal(found.creator.id, place.developer.user.id);
      assert.deepEqual(await filesOf(found.id), [...Object.keys(files), 'lamp_1.0-1_amd64.changes']);
      assert.equal(await incoming(), undefined);
      const shown = (await entries()).map((row) => [row.kind, row.component, row.architecture]);
      assert.deepEqual(shown, [
        ['deb', 'contrib', 'amd64'],
        ['dsc', 'contrib', 'source'],
        ['changes', 'contrib', ''],
        ['other', 'contrib', ''],
      ]);
      const [entry, source] = await entries();
      assert.equal(
        entry?.paragraph,
        'Maintainer: A <a@example.com>\nDescription: shines\n brightly\nPackage: lamp-tools\nSource: lamp\nVersion: 1:1.0-1\n' +
          `Architecture: amd64\nSize: ${binary.length}\nMD5sum: ${hash('md5', binary)}\nSHA256: ${hash('sha256', binary)}\n`,
      );
      assert.match(
        source?.paragraph ?? '',
        /^Package: lamp\n[\s\S]*\nSection: contrib\/misc\nPriority: optional\nFiles:\n [0-9a-f]{32} \d+ lamp_1.0-1.dsc\n [0-9a-f]{32} 10 lamp_1.0.orig.tar.gz\nChecksums-Sha256:\n/,
      );
      const [size, sum] = await measured();
      assert.equal(size, sum);
      for (const distribution of ['sid', 'unstable']) {
        for (const [name, content] of Object.entries(files)) {
          const sent = await get(`pool/${distribution}/l/lamp/1%3a1.0-1/${name}`);
          assert.deepEqual([sent.status, sent.bytes], [200, content]);
        }
      }
      for (const path of ['bookworm/l/lamp', 'sid/x/lamp', 'sid/l/lamp-tools', 'sid/libl/lamp']) {
        assert.equal((await get(`pool/${path}/1:1.0-1/lamp-tools_1.0-1_amd64.deb`)).status, 404, path);
      }
    });

    it('add binary packages of further architectures, and revisions with the same upstream files', async () => {
      const all = deb({ Package: 'lamp-doc', Source: 'lamp', Version: '1:1.0-1', Architecture: 'all' }, '.zst');
      await upload(
        { 'lamp-doc_1.0-1_all.deb': all },
        'lamp_1.0-1_all.changes',
        changes('lamp', '1:1.0-1', { 'lamp-doc_1.0-1_all.deb': all }),
      );
      assert.equal((await packages()).length, 1);
      assert.equal((await get('pool/sid/l/lamp/1:1.0-1/lamp-doc_1.0-1_all.deb')).status, 200);
      const diff = Buffer.from('the packaging');
      const tarball = Buffer.from('the source');
      const sources = { 'lamp_1.0.orig.tar.gz': tarball, 'lamp_1.0-2.debian.tar.xz': diff };
      const listed = { 'lamp_1.0-2.debian.tar.xz': diff, 'lamp_1.0-2.dsc': dsc('lamp', '1:1.0-2', sources) };
      await upload(listed, 'lamp_1.0-2_source.changes', changes('lamp', '1:1.0-2', listed));
      assert.equal(await problem(), undefined);
      assert.deepEqual(
        (await packages()).map(({ version }: { version: string }) => version),
        ['1:1.0-1', '1:1.0-2'],
      );
      assert.deepEqual((await get('pool/sid/l/lamp/1:1.0-2/lamp_1.0.orig.tar.gz')).bytes, tarball);
    });

    it('can be repeated unchanged, but not with other content', async () => {
      const one = deb({ Package: 'again', Version: '1', Architecture: 'all' }, '');
      const other = deb({ Package: 'again', Version: '1', Architecture: 'all', Section: 'x' }, '');
      const list = changes('again', '1', { 'again_1_all.deb': one });
      for (let count = 0; count < 2; count += 1) await upload({ 'again_1_all.deb': one }, 'again_1_all.changes', list);
      const [found] = await packages('&package_name=again');
      assert.deepEqual(await filesOf(found.id), ['again_1_all.deb', 'again_1_all.changes']);
      assert.equal(await incoming(), undefined);
      await upload(
        { 'again_1_all.deb': other },
        'again_2_all.changes',
        changes('again', '1', { 'again_1_all.deb': other }),
      );
      assert.equal(
        await problem(),
        'again_2_all.changes: again_1_all.deb is in the distribution already, with other content',
      );
      assert.deepEqual((await get('pool/sid/a/again/1/again_1_all.deb')).bytes, one);
      await place.asOwner(`DELETE ${place.base}/packages/${(await incoming())?.id}`);
    });

    it('publish the latest of several files with one name, sent concurrently', async () => {
      const contents = Array.from({ length: 4 }, (_, n) =>
        deb({ Package: 'raced', Version: '1', Architecture: 'all', Section: `s${n}` }),
      );
      const sent = await atOnce(4, (n) => put('raced_1_all.deb', contents[n] ?? Buffer.alloc(0)));
      assert.ok(sent.every(({ status }) => status === 201));
      const id = (await incoming())?.id ?? 0;
      const rows = await place.server.db.read
        .selectFrom('package_files')
        .select('sha256')
        .where('package_id', '=', id)
        .orderBy('id')
        .execute();
      assert.equal(rows.length, 4);
      const last = contents.find((content) => hash('sha256', content) === rows.at(-1)?.sha256) ?? Buffer.alloc(0);
      const list = changes('raced', '1', { 'raced_1_all.deb': last });
      await atOnce(3, () => put('raced_1_all.changes', list));
      await processed();
      assert.equal(await problem(), undefined);
      assert.deepEqual((await get('pool/sid/r/raced/1/raced_1_all.deb')).bytes, last);
      const [found, ...more] = await packages('&package_name=raced');
      assert.deepEqual([more.length, await filesOf(found.id)], [0, ['raced_1_all.deb', 'raced_1_all.changes']]);
      assert.equal(await incoming(), undefined);
      const [size, sum] = await measured();
      assert.equal(size, sum);
    });

    it('add binary packages to a distribution and component that the uploader chooses', async () => {
      const kinds = [
        ['direct_2_amd64.deb', debWith('.xz', squeezedControl)],
        ['direct-udeb_2_all.udeb', deb({ Package: 'direct-udeb', Version: '2', Architecture: 'all' }, '.zst')],
        [
          'direct-dbg_2_all.ddeb',
          deb({ Package: 'direct-dbg', Source: 'direct (2)', Version: '2+b1', Architecture: 'all' }),
        ],
      ] as const;
      for (const [name, content] of kinds) {
        assert.equal((await put(name, content, '?distribution=unstable&component=contrib')).status, 201, name);
      }
      await processed();
      assert.equal(await problem(), undefined);
      const added = (await entries()).filter(({ file_name }) => file_name.startsWith('direct'));
      assert.deepEqual(
        added.map(({ kind, component, architecture }) => `${kind} ${component} ${architecture}`).toSorted(),
        ['ddeb contrib all', 'deb contrib amd64', 'udeb contrib all'],
      );
      assert.equal((await get('pool/sid/s/squeezed/1.0/direct_2_amd64.deb')).status, 200);
      assert.equal((await get('pool/sid/d/direct/2/direct-dbg_2_all.ddeb')).status, 200);
      const refused = async (name: string, query: string) => {
        const { status, body } = await put(name, Buffer.from('x'), query);
        return [status, body.message ?? body.error];
      };
      const incomplete = 'distribution, component provide all or none of parameters';
      assert.deepEqual(await refused('a.deb', '?distribution=sid'), [400, incomplete]);
      assert.deepEqual(await refused('a.deb', '?component=main'), [400, incomplete]);
      assert.deepEqual(await refused('a.deb', '?distribution=none&component=main'), [
        404,
        '404 Distribution Not Found',
      ]);
      assert.deepEqual(await refused('a.deb', '?distribution=sid&component=none'), [
        400,
        '400 Bad request - The distribution has no such component',
      ]);
      assert.equal((await refused('a.dsc', '?distribution=sid&component=main'))[0], 400);
      assert.equal((await refused('..%2f..%2fetc%2fpasswd', ''))[0], 400);
      assert.equal((await refused('a%20b.deb', ''))[0], 400);
    });

    it('are rejected with the reason, which the incoming package shows', async () => {
      const binary = deb({ Package: 'bad', Version: '1', Architecture: 'amd64' });
      const only = { 'bad_1_amd64.deb': binary };
      const list = (name: string, more: object = {}) => changes(name, '1', only, more);
      const foreign = deb({ Package: 'bad', Version: '1', Architecture: 'riscv64' });
      const lying = Buffer.from(list('bad').toString().replace(hash('sha256', binary), '0'.repeat(64)));
      const short = Buffer.from(list('bad').toString().replaceAll(` ${binary.length} `, ' 3 '));
      const source = { 'bad_1.tar.gz': Buffer.from('source') };
      const lone = { 'bad_1.dsc': dsc('bad', '1', source) };
      const cases: readonly (readonly [Readonly<Record<string, Buffer>>, Buffer, RegExp])[] = [
        [{}, list('bad'), /bad_1_amd64.deb is missing/],
        [only, lying, /the checksums of bad_1_amd64.deb are not the listed ones/],
        [only, short, /the size of bad_1_amd64.deb is not the listed one/],
        [only, list('good'), /bad_1_amd64.deb: it belongs to bad/],
        [only, list('bad', { distribution: 'forky' }), /the project has no distribution forky/],
        [only, list('bad', { section: 'non-free/misc' }), /the distribution has no component non-free/],
        [
          { 'bad_1.deb': foreign },
          changes('bad', '1', { 'bad_1.deb': foreign }),
          /the distribution has no architecture riscv64/,
        ],
        [lone, changes('bad', '1', lone), /bad_1.dsc: bad_1.tar.gz is missing/],
        [{}, Buffer.from('nonsense'), /it is malformed/],
        [{}, Buffer.alloc(3 * 1024 ** 2, 'A: b\n'), /it is larger than/],
      ];
      for (const [files, changesFile, reason] of cases) {
        await upload(files, 'bad_1_amd64.changes', changesFile);
        assert.match((await problem()) ?? '', reason);
      }
      const [shown] = await packages('&status=error');
      assert.deepEqual([shown.name, shown.status], ['incoming', 'error']);
      assert.match(shown.status_message, /^bad_1_amd64.changes: it is larger/);
      const page = await fetch(`${place.server.url}/api/v4${place.base}/packages/${shown.id}`, {
        headers: basic(place.reporter.token),
      });
      assert.equal(((await page.json()) as { readonly status_message?: string }).status_message, shown.status_message);
      assert.deepEqual((await packages('&package_name=bad')).length, 0);
      assert.equal((await place.asOwner(`DELETE ${place.base}/packages/${shown.id}`)).status, 204);
      const [size, sum] = await measured();
      assert.equal(size, sum);
    });

    it('are rejected if the package is malformed or a bomb', async () => {
      const fields = { Package: 'evil', Version: '1', Architecture: 'all' };
      const long = plainTar({ control: controlText({ ...fields, X: 'x'.repeat(300 * 1024) }) });
      const format = member('debian-binary', Buffer.from('2.0\n'));
      const cases: readonly (readonly [Buffer, RegExp])[] = [
        [Buffer.from(''), /it is truncated/],
        [Buffer.from('not an archive'), /it is not a Debian package/],
        [ar(format), /it is truncated/],
        [ar(member('debian-binary', Buffer.from('3.0\n'))), /not a Debian package of format 2/],
        [ar(format, member('data.tar', Buffer.alloc(10))), /"data.tar" where its control archive should be/],
        [ar(format, member('control.tar.bz2', Buffer.alloc(10))), /"control.tar.bz2" where/],
        [ar(format, member('control.tar', Buffer.alloc(10), 99)), /it is truncated/],
        [ar(format, member('control.tar', Buffer.alloc(10), 999_999_999)), /"control.tar" in it is too large/],
        [ar(format, ...Array.from({ length: 11 }, () => member('_x', Buffer.alloc(1)))), /it has no control archive/],
        [debWith('.gz', Buffer.from('not gzip')), /its control archive cannot be unpacked/],
        [debWith('.xz', Buffer.from('not xz')), /its control archive cannot be unpacked: it is not an xz file/],
        [debWith('.gz', gzipSync(Buffer.alloc(64 * 1024 ** 2))), /its control archive cannot be unpacked/],
        [debWith('.zst', zstdCompressSync(Buffer.alloc(64 * 1024 ** 2))), /its control archive cannot be unpacked/],
        [debWith('.xz', zerosXz), /its control archive has no control file/],
        [debWith('', long), /its control archive cannot be unpacked: it unpacks to more than/],
        [debWith('', plainTar({ 'other/control': controlText(fields) })), /it has no control file|has no control file/],
        [debWith('', plainTar({ control: 'nonsense' })), /its control file is malformed/],
        [deb({ ...fields, Package: '../evil' }), /its field Package is missing or invalid/],
        [deb({ ...fields, Version: '../1' }), /its field Version is missing or invalid/],
        [deb({ ...fields, Source: '../../evil' }), /its field Source is missing or invalid/],
        [deb({ ...fields, Architecture: '../all' }), /its field Architecture is missing or invalid/],
        [deb({ ...fields, Architecture: 'mips' }), /the distribution has no architecture mips/],
      ];
      for (const [content, reason] of cases) {
        assert.equal((await put('evil_1_all.deb', content, '?distribution=sid&component=main')).status, 201);
        await processed();
        assert.match((await problem()) ?? '', reason);
      }
      assert.equal((await packages('&package_name=evil')).length, 0);
    });

    it('of a distribution deleted meanwhile are rejected, and its packages stay', async () => {
      const { server, asDeveloper, asOwner, base: project } = place;
      const json = { codename: 'brief' };
      assert.equal((await asDeveloper(`POST ${project}/debian_distributions`, { json })).status, 201);
      const [one, other] = ['1', '2'].map((Version) => deb({ Package: 'brief', Version, Architecture: 'all' }));
      const query = '?distribution=brief&component=main';
      assert.equal((await put('brief_1_all.deb', one ?? Buffer.alloc(0), query)).status, 201);
      await processed();
      assert.equal((await get('pool/brief/b/brief/1/brief_1_all.deb')).status, 200);
      await server.undisturbed(async () => {
        assert.equal((await put('brief_2_all.deb', other ?? Buffer.alloc(0), query)).status, 201);
        assert.equal((await asOwner(`DELETE ${project}/debian_distributions/brief`)).status, 202);
      });
      await processed();
      assert.equal(await problem(), 'brief_2_all.deb: the distribution was deleted');
      assert.equal((await get('pool/brief/b/brief/1/brief_1_all.deb')).status, 404);
      const [kept] = await packages('&package_name=brief');
      assert.deepEqual([kept.version, await filesOf(kept.id)], ['1', ['brief_1_all.deb']]);
    });

    it('are made by Developers and their jobs, and downloaded by Reporters', async () => {
      const { reporter, guest, developer, server } = place;
      const statusOf = async (headers: Record<string, string>) =>
        (await put('role.dsc', Buffer.from('x'), '', headers)).status;
      const { token: deploy } = await server.must(`POST ${place.base}/deploy_tokens`, {
        json: { name: 'robot', scopes: ['write_package_registry'] },
      });
      assert.deepEqual(
        [
          await statusOf(basic(developer.token)),
          await statusOf({ 'private-token': developer.token }),
          await statusOf(basic(deploy)),
          await statusOf({ 'deploy-token': deploy }),
          await statusOf(basic(reporter.token)),
          await statusOf(basic(stranger)),
          await statusOf({}),
        ],
        [201, 201, 201, 201, 403, 404, 401],
      );
      const authorize = async (token: string | null) =>
        (await server.api(`PUT ${place.base}/packages/debian/a.deb/authorize`, { token })).status;
      assert.deepEqual(
        [await authorize(developer.token), await authorize(reporter.token), await authorize(null)],
        [200, 403, 401],
      );
      const path = 'pool/sid/l/lamp/1:1.0-1/lamp-tools_1.0-1_amd64.deb';
      const [allowed, deployed, refused, unknown, anonymous] = [
        await get(path),
        await get(path, basic(deploy)),
        await get(path, basic(guest.token)),
        await get(path, basic(stranger)),
        await get(path, {}),
      ];
      assert.deepEqual(
        [allowed.status, deployed.status, refused.status, unknown.status, anonymous.status],
        [200, 200, 403, 404, 401],
      );
      assert.match(anonymous.headers.get('www-authenticate') ?? '', /^Basic /);
    });

    it('that no .changes claims are removed after a day', async () => {
      assert.equal((await put('left_1.dsc', Buffer.from('x'))).status, 201);
      const { services } = place.server.running;
      await sweepIncoming(services, undefined, Date.now() + day - minute);
      assert.ok((await filesOf((await incoming())?.id ?? 0)).includes('left_1.dsc'));
      await sweepIncoming(services, undefined, Date.now() + day + minute);
      assert.equal(await incoming(), undefined);
      const [size, sum] = await measured();
      assert.equal(size, sum);
    });
  });
});
