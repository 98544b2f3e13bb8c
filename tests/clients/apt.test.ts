import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { changes, deb, dsc } from '../ci/packages/debian-files.ts';
import { atEnd } from '../support/at-end.ts';
import { forEachEngine } from '../support/engines.ts';
import { rootToken, startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const isInstalled = spawnSync('apt-get', ['--version']).status === 0 && spawnSync('gpgv', ['--version']).status === 0;
const headers = { authorization: `Basic ${Buffer.from(`me:${rootToken}`).toString('base64')}` };

forEachEngine((engine) => {
  describe('apt', { skip: isInstalled ? false : 'apt-get or gpgv is not installed' }, () => {
    let server: TestServer;
    let project: number;
    let group: number;
    const api = () => `${server.url}/api/v4`;

    before(async () => {
      server = await startTestServer(engine);
      group = (await server.must('POST /groups', { json: { name: 'lamps', path: 'lamps' } })).id;
      project = (await server.must('POST /projects', { json: { name: 'lamp', namespace_id: group } })).id;
      await server.must(`POST /projects/${project}/debian_distributions`, { json: { codename: 'sid' } });
      await server.must(`POST /groups/${group}/-/debian_distributions`, { json: { codename: 'sid' } });
    });

    const idle = () =>
      until(async () => {
        const jobs = server.db.read.selectFrom('jobs').select('id').where('kind', 'like', 'packages.%-debian');
        return (await jobs.where('state', 'in', ['pending', 'running']).execute()).length === 0;
      });

    async function put(name: string, content: Buffer, query = ''): Promise<void> {
      const url = `${api()}/projects/${project}/packages/debian/${name}${query}`;
      const sent = await fetch(url, { method: 'PUT', headers, body: Uint8Array.from(content) });
      assert.equal(sent.status, 201, await sent.text());
    }

    /** An apt of its own, whose only source is a repository signed by a key. */
    async function aptFor(repository: string, keyOf: string) {
      const root = mkdtempSync(join(tmpdir(), 'hearth-apt-'));
      atEnd(() => rmSync(root, { recursive: true, force: true }));
      for (const folder of ['lists/partial', 'archives/partial', 'auth', 'parts', 'got']) {
        mkdirSync(join(root, folder), { recursive: true });
      }
      const key = await fetch(`${api()}${keyOf}/debian_distributions/sid/key.asc`, { headers });
      writeFileSync(join(root, 'key.asc'), await key.text());
      writeFileSync(join(root, 'status'), '');
      writeFileSync(join(root, 'auth', 'hearth.conf'), `machine ${server.url} login me password ${rootToken}\n`);
      const source = `[arch=amd64 signed-by=${root}/key.asc] ${repository} sid main\n`;
      writeFileSync(join(root, 'sources.list'), `deb ${source}deb-src ${source}`);
      const settings = {
        'Dir::State::status': 'status',
        'Dir::State::lists': 'lists',
        'Dir::Cache': '.',
        'Dir::Cache::archives': 'archives',
        'Dir::Etc::sourcelist': 'sources.list',
        'Dir::Etc::sourceparts': 'parts',
        'Dir::Etc::trusted': 'none',
        'Dir::Etc::trustedparts': 'parts',
        'Dir::Etc::netrcparts': 'auth',
      };
      const lines = Object.entries(settings).map(([name, path]) => `${name} "${join(root, path)}";\n`);
      const more =
        'APT::Architecture "amd64"; APT::Sandbox::User ""; Debug::NoLocking "1"; Acquire::Languages "none";\n';
      writeFileSync(join(root, 'apt.conf'), `${lines.join('')}${more}`);
      const env = { PATH: process.env.PATH, HOME: root, LC_ALL: 'C', APT_CONFIG: join(root, 'apt.conf') };
      const run = (...args: string[]) => {
        const child = spawn('apt-get', args, { cwd: join(root, 'got'), env, stdio: ['ignore', 'pipe', 'pipe'] });
        let out = '';
        for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (out += chunk));
        return new Promise<{ code: number | null; out: string }>((resolve, reject) => {
          child.once('error', reject);
          child.once('close', (code) => resolve({ code, out }));
        });
      };
      const must = async (...args: string[]) => {
        const { code, out } = await run(...args);
        assert.equal(code, 0, `apt-get ${args.join(' ')}: ${out}`);
        assert.doesNotMatch(out, /^[WE]:/m, out);
        return out;
      };
      return { run, must, read: (file: string) => readFileSync(join(root, 'got', file)) };
    }

    it('updates, and downloads packages and sources of a project and of a group', async () => {
      const lamp = deb({ Package: 'lamp', Version: '1:1.0~rc1+b-1', Architecture: 'all' });
      const tarball = Buffer.from('the source');
      const source = dsc('lamp', '1:1.0~rc1+b-1', { 'lamp_1.0~rc1+b.orig.tar.gz': tarball });
      await put('lamp_1.0~rc1+b-1_all.deb', lamp, '?distribution=sid&component=main');
      const files = { 'lamp_1.0~rc1+b.orig.tar.gz': tarball, 'lamp_1.0~rc1+b-1.dsc': source };
      for (const [name, content] of Object.entries(files)) await put(name, content);
      await put('lamp_source.changes', changes('lamp', '1:1.0~rc1+b-1', files));
      await idle();
      for (const [repository, keyOf] of [
        [`${api()}/projects/${project}/packages/debian`, `/projects/${project}`],
        [`${api()}/groups/${group}/-/packages/debian`, `/groups/${group}/-`],
      ] as const) {
        const apt = await aptFor(repository, keyOf);
        await apt.must('update');
        await apt.must('download', 'lamp');
        assert.deepEqual(apt.read('lamp_1%3a1.0~rc1+b-1_all.deb'), lamp);
        await apt.must('source', '--download-only', 'lamp');
        assert.deepEqual(apt.read('lamp_1.0~rc1+b.orig.tar.gz'), tarball);
      }
    });

    it('rejects a release signed by another key', async () => {
      const apt = await aptFor(`${api()}/projects/${project}/packages/debian`, `/groups/${group}/-`);
      const { code, out } = await apt.run('update', '--error-on=any');
      assert.notEqual(code, 0);
      assert.match(out, /NO_PUBKEY|not signed|public key is not available/);
    });
  });
});
