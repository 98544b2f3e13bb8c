import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { atEnd } from '../support/at-end.ts';
import { forEachEngine } from '../support/engines.ts';
import { rootToken, startTestServer, type TestServer } from '../support/server.ts';

const isInstalled = spawnSync('npm', ['--version']).status === 0;

interface Ended {
  readonly code: number | null;
  readonly out: string;
}

forEachEngine((engine) => {
  describe('npm', { skip: isInstalled ? false : 'npm is not installed' }, () => {
    let server: TestServer;
    let registry: string;
    const name = '@root/greeting';

    before(async () => {
      server = await startTestServer(engine);
      // Without requests to the public registry.
      await server.must('PUT /application/settings', { json: { npm_package_requests_forwarding: false } });
      const { id } = await server.must('POST /projects', { json: { name: 'greeting' } });
      registry = `${server.url}/api/v4/projects/${id}/packages/npm/`;
    });

    /** Creates a folder with a `package.json` whose npm only uses this registry. */
    function folder(manifest: object, at = registry): string {
      const made = mkdtempSync(join(tmpdir(), 'hearth-npm-'));
      atEnd(() => rmSync(made, { recursive: true, force: true }));
      writeFileSync(join(made, 'package.json'), JSON.stringify(manifest));
      writeFileSync(join(made, 'index.js'), "module.exports = 'hello';\n");
      const tokens = [registry, at].map((one) => `${one.replace(/^http:/, '')}:_authToken=${rootToken}`);
      writeFileSync(join(made, '.npmrc'), [`registry=${at}`, ...tokens, 'audit=false', ''].join('\n'));
      return made;
    }

    function npm(cwd: string, ...args: string[]): Promise<Ended> {
      const flags = ['--cache', join(cwd, '.cache'), '--no-update-notifier', '--no-fund', '--fetch-retries=0'];
      const env = { PATH: process.env.PATH, HOME: cwd };
      const child = spawn('npm', [...args, ...flags], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
      let out = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (out += chunk));
      return new Promise((resolve, reject) => {
        child.once('error', reject);
        child.once('close', (code) => resolve({ code, out }));
      });
    }

    async function must(cwd: string, ...args: string[]): Promise<string> {
      const { code, out } = await npm(cwd, ...args);
      assert.equal(code, 0, `npm ${args.join(' ')}: ${out}`);
      return out;
    }

    it('publishes and installs', async () => {
      const source = folder({ name, version: '1.0.0', main: 'index.js', scripts: { postinstall: 'true' } });
      assert.equal((await must(source, 'whoami')).trim(), 'root');
      await must(source, 'ping');
      await must(source, 'publish');
      const again = await npm(source, 'publish');
      assert.notEqual(again.code, 0);
      writeFileSync(join(source, 'package.json'), JSON.stringify({ name, version: '1.1.0', main: 'index.js' }));
      await must(source, 'publish', '--tag', 'next');
      const user = folder({ name: 'user', version: '1.0.0' });
      await must(user, 'install', name);
      const installed = JSON.parse(readFileSync(join(user, 'node_modules', name, 'package.json'), 'utf8'));
      assert.equal(installed.version, '1.0.0');
      const lock = JSON.parse(readFileSync(join(user, 'package-lock.json'), 'utf8')).packages[`node_modules/${name}`];
      assert.ok(lock.resolved.startsWith(registry) && lock.integrity.startsWith('sha512-'), JSON.stringify(lock));
      assert.equal(lock.hasInstallScript, true);
      rmSync(join(user, 'node_modules'), { recursive: true });
      await must(user, 'ci');
      assert.equal(readFileSync(join(user, 'node_modules', name, 'index.js'), 'utf8'), "module.exports = 'hello';\n");
      assert.match(await must(user, 'view', name, 'versions', '--json'), /1\.1\.0/);
      assert.match(await must(user, 'view', name, 'time', '--json'), /"1\.1\.0": "\d{4}-/);
      const young = await npm(user, 'install', `${name}@next`, '--before', '2020-01-01');
      assert.match(young.out, /ENOVERSIONS/);
    });

    it('changes tags and warns about deprecated versions', async () => {
      const user = folder({ name: 'user', version: '1.0.0' });
      assert.deepEqual((await must(user, 'dist-tag', 'ls', name)).trim().split('\n'), ['latest: 1.0.0', 'next: 1.1.0']);
      await must(user, 'dist-tag', 'add', `${name}@1.1.0`, 'stable');
      await must(user, 'dist-tag', 'rm', name, 'next');
      assert.match(await must(user, 'dist-tag', 'ls', name), /stable: 1\.1\.0/);
      await must(user, 'deprecate', `${name}@1.0.0`, 'greet with 1.1');
      assert.match(await must(user, 'install', `${name}@1.0.0`), /deprecated .*greet with 1\.1/);
      await must(user, 'deprecate', `${name}@1.0.0`, '');
      assert.equal((await must(user, 'view', `${name}@1.0.0`, 'deprecated')).trim(), '');
    });

    it('installs a scoped package from the instance registry', async () => {
      const user = folder({ name: 'user', version: '1.0.0' }, `${server.url}/api/v4/packages/npm/`);
      await must(user, 'install', `${name}@stable`);
      const installed = JSON.parse(readFileSync(join(user, 'node_modules', name, 'package.json'), 'utf8'));
      assert.equal(installed.version, '1.1.0');
    });

    it('unpublishes a version and then the whole package', async () => {
      const user = folder({ name: 'user', version: '1.0.0' });
      await must(user, 'unpublish', `${name}@1.0.0`);
      assert.equal((await must(user, 'view', name, 'versions', '--json')).includes('1.0.0'), false);
      await must(user, 'unpublish', name, '--force');
      assert.notEqual((await npm(user, 'view', name)).code, 0);
    });
  });
});
