import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { inflateRawSync } from 'node:zlib';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient, withCredentials } from '../../support/git-client.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';
import { addPerson } from '../../support/scene.ts';

const basic = (token: string) => ({ authorization: `Basic ${Buffer.from(`any:${token}`).toString('base64')}` });

/** Reads a zip whose local headers contain the sizes. */
function filesIn(zip: Buffer): Record<string, string> {
  const files: Record<string, string> = {};
  for (let at = 0; zip.readUInt32LE(at) === 0x04034b50; ) {
    const [method, packed] = [zip.readUInt16LE(at + 8), zip.readUInt32LE(at + 18)];
    const start = at + 30 + zip.readUInt16LE(at + 26) + zip.readUInt16LE(at + 28);
    const name = zip.toString('utf8', at + 30, at + 30 + zip.readUInt16LE(at + 26));
    const bytes = zip.subarray(start, start + packed);
    files[name] = (method === 8 ? inflateRawSync(bytes) : bytes).toString();
    at = start + packed;
  }
  return files;
}

forEachEngine((engine) => {
  describe('Go modules', () => {
    const client = new GitClient();
    let place: ProjectWithRoles;
    let module: string;
    let stranger: string;

    async function get(rest: string, headers: Record<string, string> = basic(place.reporter.token), of = module) {
      const escaped = of.replace(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`);
      const url = `${place.server.url}/api/v4/projects/${place.project.id}/packages/go/${escaped}/${rest}`;
      const answer = await fetch(url, { headers });
      const bytes = Buffer.from(await answer.arrayBuffer());
      return { status: answer.status, bytes, text: bytes.toString(), headers: answer.headers };
    }
    const listOf = async (of = module) => (await get('@v/list', undefined, of)).text.split('\n').filter(Boolean);
    const push = async () => {
      const { server, owner, project } = place;
      const path = `${owner.user.username}/${project.path}`;
      const url = withCredentials(server.url, path, owner.user.username, owner.token);
      await client.git('push', '-q', '--force', url, 'refs/heads/*:refs/heads/*', 'refs/tags/*:refs/tags/*');
    };

    before(async () => {
      place = await projectWithRoles(engine, 'Lamp');
      stranger = (await addPerson(place.server, 'stranger')).token;
      module = `127.0.0.1/${place.owner.user.username}/Lamp`;
      await client.init();
      await client.commit({ 'old.go': 'package lamp\n' });
      await client.git('tag', 'v0.1.0');
      await client.commit({
        'go.mod': `module ${module}\n\ngo 1.20\n`,
        'lamp.go': 'package lamp\n',
        LICENSE: 'free\n',
        '.gitattributes': '*.md export-ignore\n',
        'README.md': 'read\n',
        'vendor/a/b.go': 'package a\n',
        'vendor/modules.txt': '# a\n',
        'sub/go.mod': `module ${module}/sub\n\ngo 1.24\n`,
        'sub/sub.go': 'package sub\n',
        'sub/vendor/modules.txt': '# a\n',
        'other/go.mod': 'module elsewhere.example/other\n',
      });
      for (const tag of ['v1.0.0', 'v1.1.0-rc.1', 'v2.0.0', 'sub/v0.3.0', 'nonsense', 'v1', 'other/v1.0.0']) {
        await client.git('tag', tag);
      }
      await client.git('tag', '-a', 'v1.0.1', '-m', 'annotated');
      await client.commit({ 'go.mod': `module ${module}/v2\n\ngo 1.20\n` });
      await client.git('tag', 'v2.0.1');
      await push();
    });

    it('list the versions of their tags', async () => {
      assert.deepEqual(await listOf(), ['v1.1.0-rc.1', 'v1.0.1', 'v1.0.0', 'v0.1.0']);
      assert.deepEqual(await listOf(`${module}/v2`), ['v2.0.1']);
      assert.deepEqual(await listOf(`${module}/sub`), ['v0.3.0']);
      assert.deepEqual(await listOf(`${module}/other`), [], 'a different module');
      assert.deepEqual(await listOf(`${module}/none`), []);
      const list = await get('@v/list');
      assert.match(list.headers.get('content-type') ?? '', /^text\/plain/);
    });

    it('provide info and go.mod', async () => {
      const sha = await client.git('rev-parse', 'v1.0.0^{commit}');
      const time = `${new Date(Number(await client.git('show', '-s', '--format=%ct', sha)) * 1000).toISOString().slice(0, 19)}Z`;
      assert.deepEqual(JSON.parse((await get('@v/v1.0.1.info')).text), { Version: 'v1.0.1', Time: time });
      assert.equal(JSON.parse((await get('@latest')).text).Version, 'v1.0.1');
      assert.equal((await get('@v/v1.0.0.mod')).text, `module ${module}\n\ngo 1.20\n`);
      assert.equal((await get('@v/v0.1.0.mod')).text, `module ${module}\n`);
      assert.equal((await get('@v/v2.0.1.mod', undefined, `${module}/v2`)).text, `module ${module}/v2\n\ngo 1.20\n`);
    });

    it('are sent as zips of their own files', async () => {
      const zip = await get('@v/v1.0.0.zip');
      assert.equal(zip.headers.get('content-type'), 'application/zip');
      const top = `${module}@v1.0.0/`;
      assert.deepEqual(
        Object.keys(filesIn(zip.bytes)),
        ['.gitattributes', 'LICENSE', 'README.md', 'go.mod', 'lamp.go', 'old.go', 'vendor/modules.txt'].map(
          (name) => top + name,
        ),
      );
      const sub = filesIn((await get('@v/v0.3.0.zip', undefined, `${module}/sub`)).bytes);
      assert.deepEqual(sub, {
        [`${module}/sub@v0.3.0/go.mod`]: `module ${module}/sub\n\ngo 1.24\n`,
        [`${module}/sub@v0.3.0/sub.go`]: 'package sub\n',
        [`${module}/sub@v0.3.0/LICENSE`]: 'free\n',
      });
      const second = await get('@v/v2.0.1.zip', undefined, `${module}/v2`);
      assert.ok(`${module}/v2@v2.0.1/lamp.go` in filesIn(second.bytes));
      const head = await fetch(
        `${place.server.url}/api/v4/projects/${place.project.id}/packages/go/${module.replace('Lamp', '!lamp')}/@v/v1.0.0.zip`,
        { method: 'HEAD', headers: basic(place.reporter.token) },
      );
      assert.deepEqual([head.status, head.headers.get('content-type')], [200, 'application/zip']);
    });

    it('resolve branches and commits to versions', async () => {
      const of = `${module}/v2`;
      const versionOf = async (revision: string) => JSON.parse((await get(`@v/${revision}.info`, undefined, of)).text);
      const tagged = await client.git('rev-parse', 'main');
      assert.equal((await versionOf('main')).Version, 'v2.0.1');
      assert.equal((await versionOf(tagged)).Version, 'v2.0.1');
      const sha = await client.commit({ 'more.go': 'package lamp\n' });
      await push();
      const { Version, Time } = await versionOf('main');
      assert.equal(Version, `v2.0.2-0.${Time.replace(/\D/g, '')}-${sha.slice(0, 12)}`);
      assert.equal((await versionOf(sha.slice(0, 10))).Version, Version);
      assert.deepEqual(await versionOf(Version), { Version, Time });
      assert.equal((await get(`@v/${Version}.mod`, undefined, of)).status, 200);
      assert.ok(`${of}@${Version}/more.go` in filesIn((await get(`@v/${Version}.zip`, undefined, of)).bytes));
      const wrong = Version.replace(/-0\.\d{4}/, '-0.1999');
      assert.equal((await get(`@v/${wrong}.zip`, undefined, of)).status, 404);
      assert.equal((await get('@v/main.zip', undefined, of)).status, 404);
    });

    it('reject invalid module paths and versions', async () => {
      const asked = [
        '@v/v9.9.9.info',
        '@v/v2.0.0.info',
        '@v/v2.0.1.mod',
        '@v/none.info',
        '@v/v1.0.0.exe',
        '@v/v1.info.zip',
      ];
      for (const rest of [...asked, '@v/..%2f..%2fx.info', '@v/-x.info', '@v/', '@latest/x', '', '@v/v1.0.0%00.zip']) {
        const { status } = await get(rest);
        assert.ok(status === 404 || status === 400, `${rest}: ${status}`);
      }
      for (const other of ['127.0.0.1/x/y', 'example.com/a', `${module}s`, `${module}/../x`, module.toLowerCase()]) {
        assert.equal((await get('@v/list', undefined, other)).status, 404, other);
      }
      assert.equal((await get('@latest', undefined, `${module}/other`)).status, 404);
    });

    it('require access to both packages and code', async () => {
      const { server, reporter, guest, owner, base, asOwner } = place;
      const status = async (headers: Record<string, string>) => {
        const answers = [await get('@v/list', headers), await get('@v/v1.0.0.zip', headers)];
        return answers.map((one) => one.status);
      };
      assert.deepEqual(await status(basic(reporter.token)), [200, 200]);
      assert.deepEqual(await status(basic(guest.token)), [403, 403]);
      assert.deepEqual(await status(basic(stranger)), [404, 404]);
      assert.deepEqual(await status(basic('glpat-nonsense')), [401, 401]);
      const asked = await get('@v/list', {});
      const realm = 'Basic realm="GitLab Packages Registry"';
      assert.deepEqual([asked.status, asked.headers.get('www-authenticate')], [401, realm]);
      const deploy = async (scope: string) => {
        const json = { name: scope, scopes: [scope] };
        return (await server.must(`POST ${base}/deploy_tokens`, { token: owner.token, json })).token as string;
      };
      assert.deepEqual(await status(basic(await deploy('read_repository'))), [200, 200]);
      for (const scope of ['read_package_registry', 'write_package_registry', 'read_registry']) {
        const [list = 0, zip = 0] = await status(basic(await deploy(scope)));
        assert.ok(list >= 401 && zip >= 401, `${scope}: ${list}`);
      }
      await asOwner(`PUT ${base}`, { json: { package_registry_access_level: 'disabled' } });
      assert.deepEqual(await status(basic(reporter.token)), [403, 403]);
      await asOwner(`PUT ${base}`, { json: { package_registry_access_level: 'enabled' } });
      await asOwner(`PUT ${base}`, { json: { visibility: 'public', package_registry_access_level: 'public' } });
      assert.deepEqual(await status({}), [200, 200]);
      await asOwner(`PUT ${base}`, { json: { repository_access_level: 'private' } });
      assert.deepEqual(await status(basic(stranger)), [403, 403]);
      await asOwner(`PUT ${base}`, { json: { repository_access_level: 'enabled' } });
    });

    it('are rejected if they have too many files', async () => {
      const blob = await client.git('rev-parse', 'main:lamp.go');
      let tree = blob;
      for (const mode of ['100644', '40000', '40000']) {
        const entries = Array.from({ length: 50 }, (_, index) =>
          Buffer.concat([Buffer.from(`${mode} ${String(index).padStart(2, '0')}\0`), Buffer.from(tree, 'hex')]),
        );
        writeFileSync(join(client.folder, 'tree'), Buffer.concat(entries));
        tree = await client.git('hash-object', '-t', 'tree', '-w', 'tree');
      }
      const sha = await client.git('commit-tree', '-m', 'many', tree);
      await client.git('tag', 'v0.2.0', sha);
      await push();
      const { status, text } = await get('@v/v0.2.0.zip');
      assert.deepEqual([status, JSON.parse(text).message], [422, 'The module is too large']);
    });

    it('have no versions in an empty project', async () => {
      const { id } = await place.server.must('POST /projects', { token: place.owner.token, json: { path: 'empty' } });
      const empty = `127.0.0.1/${place.owner.user.username}/empty`;
      for (const [rest, status] of [
        ['@v/list', 200] as const,
        ['@latest', 404] as const,
        ['@v/v1.0.0.zip', 404] as const,
      ]) {
        const url = `${place.server.url}/api/v4/projects/${id}/packages/go/${empty}/${rest}`;
        assert.equal((await fetch(url, { headers: basic(place.owner.token) })).status, status, rest);
      }
    });
  });
});
