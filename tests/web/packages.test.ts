import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { installLines } from '../../src/web/ci/package-kinds.ts';
import { Browser, rootPassword } from '../support/browser.ts';
import { addUser } from '../support/cast.ts';
import { forEachEngine } from '../support/engines.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

describe('package install commands', () => {
  const registry = 'https://hearth.example/api/v4/projects/1/packages';
  const cases: readonly (readonly [kind: string, name: string, file: string | undefined, lines: readonly string[]])[] =
    [
      [
        'npm',
        '@house/lamp',
        'x.tgz',
        [`npm config set --location=project @house:registry ${registry}/npm/`, 'npm install @house/lamp@1.0'],
      ],
      [
        'maven',
        'com/example/lamp',
        'lamp-1.0.jar',
        [
          `<repository><id>hearth</id><url>${registry}/maven</url></repository>`,
          '<dependency><groupId>com.example</groupId><artifactId>lamp</artifactId><version>1.0</version></dependency>',
        ],
      ],
      ['npm', 'lamp', 'x', [`npm config set --location=project registry ${registry}/npm/`, 'npm install lamp@1.0']],
      [
        'pypi',
        'lamp',
        'lamp-1.0.zip',
        [
          'export PIP_INDEX_URL="https://__token__:$TOKEN@hearth.example/api/v4/projects/1/packages/pypi/simple"',
          'pip install "lamp==1.0"',
        ],
      ],
      [
        'helm',
        'lamp',
        'lamp-1.0.tgz',
        [
          `helm repo add --username me --password "$TOKEN" hearth "${registry}/helm/$CHANNEL"`,
          'helm pull hearth/lamp --version 1.0',
        ],
      ],
      [
        'generic',
        'lamp',
        'linux/lamp.bin',
        ['curl --header "Private-Token: $TOKEN" --remote-name \\', `  ${registry}/generic/lamp/1.0/linux/lamp.bin`],
      ],
      [
        'nuget',
        'My.Lamp',
        'my.lamp.1.0.nupkg',
        [
          `dotnet nuget add source ${registry}/nuget/index.json --name hearth --username me --password "$TOKEN" --store-password-in-clear-text`,
          'dotnet add package My.Lamp --version 1.0 --source hearth',
        ],
      ],
      [
        'conan',
        'lamp',
        'conanfile.py',
        [
          `conan remote add hearth ${registry}/conan`,
          'conan remote login hearth me --password "$TOKEN"',
          'conan install --requires lamp/1.0 --remote hearth',
        ],
      ],
      [
        'rubygems',
        'lamp',
        'lamp-1.0.gem',
        [
          `bundle config set ${registry}/rubygems/ "me:$TOKEN"`,
          `bundle add lamp --version 1.0 --source ${registry}/rubygems`,
        ],
      ],
      [
        'terraform_module',
        'lamp/local',
        'lamp-local-1.0.tgz',
        ['module "lamp" {', '  source  = "hearth.example/acme/lamp/local"', '  version = "1.0"', '}'],
      ],
      [
        'debian',
        'lamp',
        'lamp_1.0_amd64.deb',
        [
          'curl --header "Private-Token: $TOKEN" https://hearth.example/api/v4/projects/1/debian_distributions/$CODENAME/key.asc | sudo tee /etc/apt/keyrings/hearth.asc',
          `echo "machine ${registry}/debian login me password $TOKEN" | sudo tee /etc/apt/auth.conf.d/hearth.conf`,
          `echo "deb [signed-by=/etc/apt/keyrings/hearth.asc] ${registry}/debian $CODENAME main" | sudo tee /etc/apt/sources.list.d/hearth.list`,
          'sudo apt-get update && sudo apt-get install lamp',
        ],
      ],
      ['generic', 'lamp', undefined, []],
      ['golang', 'lamp', 'x', []],
      ['composer', 'house/lamp', undefined, []],
    ];
  for (const [kind, name, file, lines] of cases) {
    it(`exist for ${kind} and ${name}${file === undefined ? ' without a file' : ''}`, () => {
      assert.deepEqual(
        installLines({ package_type: kind, name, version: '1.0' }, { registry, top: 'acme' }, file),
        lines,
      );
    });
  }

  it('exist for Composer if there is a group', () => {
    const group = 'https://hearth.example/api/v4/group/2/-/packages';
    const lamp = { package_type: 'composer', name: 'house/lamp', version: '1.0.0' };
    assert.deepEqual(installLines(lamp, { registry, groupRegistry: group, top: 'acme' }), [
      `composer config repositories.hearth composer ${group}/composer/packages.json`,
      'composer require "house/lamp:1.0.0"',
    ]);
  });
});

forEachEngine((engine) => {
  describe('package pages', () => {
    let server: TestServer;
    let browser: Browser;
    let reader: Browser;
    let readerId: number;
    const page = '/root/ship/-/packages';
    const api = '/projects/root%2Fship/packages';
    const openPage = (path: string, who = browser) => who.page(path);
    const publish = (path: string) =>
      server.must(`PUT ${api}/generic/${path}`, {
        body: 'bytes',
        headers: { 'content-type': 'application/octet-stream' },
      });
    const idOf = async (name: string) => (await server.must(`GET ${api}?package_name=${name}`))[0].id;

    before(async () => {
      server = await startTestServer(engine);
      browser = new Browser(server);
      await browser.signIn('root', rootPassword);
      const user = await addUser(server);
      readerId = user.id;
      reader = new Browser(server);
      await reader.signIn(user.username, 'long enough 4 you');
      await server.must('POST /projects', { json: { name: 'ship', visibility: 'public' } });
    });

    it('show an empty state and a tab view', async () => {
      assert.match(await openPage(page), /No packages yet\./);
      assert.match(await openPage('/root/ship/-/releases'), /href="\/root\/ship\/-\/packages">Packages</);
    });

    it('are linked for users with read access', async () => {
      const shown = async (who: Browser) => {
        const text = await openPage('/root/kept/-/releases', who);
        return ['packages', 'container_registry', 'issues'].filter((part) => text.includes(`"/root/kept/-/${part}"`));
      };
      const kept = await server.must('POST /projects', { json: { name: 'kept', visibility: 'public' } });
      assert.deepEqual(await shown(reader), ['packages', 'container_registry', 'issues']);
      const parts = ['package_registry', 'container_registry', 'issues'];
      const level = (one: string) => Object.fromEntries(parts.map((part) => [`${part}_access_level`, one]));
      await server.must(`PUT /projects/${kept.id}`, { json: level('private') });
      assert.deepEqual(await shown(reader), []);
      assert.deepEqual(await shown(browser), ['packages', 'container_registry', 'issues']);
      await server.must(`POST /projects/${kept.id}/members`, { json: { user_id: readerId, access_level: 10 } });
      assert.deepEqual(await shown(reader), ['issues'], 'a guest');
      await server.must(`PUT /projects/${kept.id}/members/${readerId}`, { json: { access_level: 20 } });
      assert.deepEqual(await shown(reader), ['packages', 'container_registry', 'issues'], 'a reporter');
      await server.must(`PUT /projects/${kept.id}`, { json: level('disabled') });
      assert.deepEqual(await shown(browser), []);
    });

    it('list packages newest first, filtered by name and type', async () => {
      for (const path of ['hull/1.0/hull.bin', 'mast/2.0/mast.bin']) await publish(path);
      assert.match(
        await openPage(page, reader),
        /mast<\/strong> 2\.0[\s\S]*Generic[\s\S]*<time[\s\S]* by <a href="\/root">[\s\S]*hull<\/strong> 1\.0/,
      );
      const named = await openPage(`${page}?package_name=ul`);
      assert.match(named, /hull<\/strong>/);
      assert.doesNotMatch(named, /mast<\/strong>/);
      assert.match(await openPage(`${page}?package_type=generic&package_name=`), /hull<\/strong>/);
      assert.match(await openPage(`${page}?package_type=npm`), /No package fits\./);
      assert.match(await openPage(`${page}?package_type=nonsense`), /hull<\/strong>/);
    });

    it('paginate packages', async () => {
      for (let n = 0; n < 20; n += 1) await publish(`rope/0.${n}/rope`);
      const first = await openPage(`${page}?package_name=rope&package_type=generic`);
      assert.doesNotMatch(first, /rel="next"/);
      assert.match(await openPage(page), /href="\/root\/ship\/-\/packages\?page=2">Next/);
      assert.match(await openPage(`${page}?page=2`), /hull<\/strong>/);
    });

    it('show why a Debian upload was rejected', async () => {
      const { id } = await server.must('POST /projects', { json: { name: 'rejecting', visibility: 'public' } });
      await server.must(`PUT /projects/${id}/packages/debian/bad.changes`, {
        body: 'nonsense',
        headers: { 'content-type': 'application/octet-stream' },
      });
      const problem = /bad\.changes: it is malformed/;
      await until(async () => problem.test(await openPage('/root/rejecting/-/packages')));
      const query = 'package_type=debian&include_versionless=true';
      const [{ id: incoming }] = await server.must(`GET /projects/${id}/packages?${query}`);
      assert.match(await openPage(`/root/rejecting/-/packages/${incoming}`, reader), problem);
    });

    it('show files with checksums, install commands and other versions', async () => {
      await publish('hull/1.0/linux/hull.so');
      await publish('hull/1.1/hull.bin');
      const { id } = (await server.must(`GET ${api}?package_name=hull&package_version=1.0`))[0];
      const text = await openPage(`${page}/${id}`, reader);
      assert.match(text, /hull 1\.0<\/h1>/);
      for (const algorithm of ['md5', 'sha1', 'sha256']) assert.match(text, new RegExp(hash(algorithm, 'bytes')));
      assert.match(text, /5 B/);
      assert.match(
        text,
        /curl --header &quot;Private-Token: \$TOKEN&quot; [\s\S]*generic\/hull\/1\.0\/linux\/hull\.so</,
      );
      assert.match(text, /Other versions<\/h2>[\s\S]*>1\.1</);
      const links = [...text.matchAll(/href="([^"]+\/download)"/g)].map(([, href = '']) => href);
      assert.equal(links.length, 2);
      for (const link of links) assert.equal((await reader.open(link)).text, 'bytes');
      for (const none of [`${page}/999999`, '/root/nowhere/-/packages']) {
        assert.equal((await browser.open(none)).status, 404, none);
      }
    });

    it('delete a package after confirmation, with permission', async () => {
      const id = await idOf('mast');
      const one = `${page}/${id}`;
      assert.match(await openPage(one), /Type <code>mast<\/code> to delete/);
      assert.doesNotMatch(await openPage(one, reader), /Delete/);
      assert.equal((await reader.fill(page, `${one}/remove`, { confirm: 'mast' })).status, 403);
      assert.equal((await browser.post(`${one}/remove`, { confirm: 'mast' })).status, 422);
      const wrong = await browser.fill(one, `${one}/remove`, { confirm: 'Mast' });
      assert.equal(wrong.status, 422);
      assert.match(wrong.text, /nothing was deleted/);
      const gone = await browser.fill(one, `${one}/remove`, { confirm: 'mast' });
      assert.deepEqual([gone.status, gone.headers.get('location')], [303, page]);
      assert.equal((await browser.open(one)).status, 404);
    });

    it('respond with 404 if packages are disabled or the project is inaccessible', async () => {
      await server.must('POST /projects', { json: { name: 'hidden', visibility: 'private' } });
      assert.equal((await reader.open('/root/hidden/-/packages')).status, 404);
      await server.must('PUT /projects/root%2Fhidden', { json: { package_registry_access_level: 'disabled' } });
      assert.notEqual((await browser.open('/root/hidden/-/packages')).status, 200);
      assert.doesNotMatch(await openPage('/root/hidden/-/releases'), /-\/packages"/);
    });

    it('of a group and its subgroups are listed together, by kind and name', async () => {
      const group = await server.must('POST /groups', { json: { name: 'Docks', path: 'docks', visibility: 'public' } });
      const inner = await server.must('POST /groups', {
        json: { name: 'Inner', path: 'inner', parent_id: group.id, visibility: 'public' },
      });
      const list = '/groups/docks/-/packages';
      assert.match(await openPage(list), /No packages yet/);
      for (const [name, namespace_id, visibility] of [
        ['Crane', group.id, 'public'],
        ['Hoist', inner.id, 'private'],
      ]) {
        const project = await server.must('POST /projects', { json: { name, namespace_id, visibility } });
        await server.must(`PUT /projects/${project.id}/packages/generic/${name}-kit/1.0/file.bin`, {
          body: 'bytes',
          headers: { 'content-type': 'application/octet-stream' },
        });
      }
      const visitor = new Browser(server);
      assert.match(await openPage('/docks', visitor), /href="\/groups\/docks\/-\/packages"/);
      assert.match(
        await openPage(list),
        /href="\/docks\/inner\/hoist\/-\/packages\/\d+"[\s\S]*Hoist-kit[\s\S]*href="\/docks\/crane"/,
      );
      for (const who of [reader, visitor]) {
        const text = await openPage(list, who);
        assert.match(text, /Crane-kit/);
        assert.doesNotMatch(text, /Hoist/);
      }
      assert.doesNotMatch(await openPage(`${list}?package_name=crane`), /Hoist-kit/);
      assert.match(await openPage(`${list}?package_type=npm`), /No package fits/);
      await server.must(`PUT /groups/${inner.id}`, { json: { visibility: 'private' } });
      assert.equal((await visitor.open('/groups/docks/inner/-/packages')).status === 200, false);
      assert.equal((await reader.open('/groups/docks/inner/-/packages')).status, 404);
    });
  });
});
