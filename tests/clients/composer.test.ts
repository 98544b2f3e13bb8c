import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { atEnd } from '../support/at-end.ts';
import { forEachEngine } from '../support/engines.ts';
import { rootToken, startTestServer, type TestServer } from '../support/server.ts';

const isInstalled =
  spawnSync('composer', ['--version'], { env: { ...process.env, COMPOSER_ALLOW_SUPERUSER: '1' } }).status === 0;

forEachEngine((engine) => {
  describe('composer', { skip: isInstalled ? false : 'composer is not installed' }, () => {
    let server: TestServer;
    let repository: string;

    before(async () => {
      server = await startTestServer(engine);
      const group = await server.must('POST /groups', { json: { name: 'house', path: 'house' } });
      repository = `${server.url}/api/v4/group/${group.id}/-/packages/composer/packages.json`;
      const needs = { lamp: { 'house/shade': '^1.0' }, shade: { php: '>=7.0' } };
      for (const [path, require] of Object.entries(needs)) {
        const { id } = await server.must('POST /projects', { json: { path, namespace_id: group.id } });
        const manifest = { name: `house/${path}`, require, autoload: { 'psr-4': { 'House\\': 'src/' } } };
        const files = {
          'composer.json': JSON.stringify(manifest),
          [`src/${path}.php`]: '<?php\n',
          'tests/test.php': '<?php\n',
          '.gitattributes': '/tests export-ignore\n',
        };
        const actions = Object.entries(files).map(([file_path, content]) => ({ action: 'create', file_path, content }));
        const json = { branch: 'main', commit_message: 'first', actions };
        await server.must(`POST /projects/${id}/repository/commits`, { json });
        await server.must(`POST /projects/${id}/repository/tags`, { json: { tag_name: 'v1.0.0', ref: 'main' } });
        for (const json of [{ tag: 'v1.0.0' }, { branch: 'main' }]) {
          await server.must(`POST /projects/${id}/packages/composer`, { json });
        }
      }
    });

    /** Creates a folder whose Composer only uses the group's registry, optionally with a token. */
    function folder(require: Record<string, string>, token?: string): string {
      const made = mkdtempSync(join(tmpdir(), 'hearth-composer-'));
      atEnd(() => rmSync(made, { recursive: true, force: true }));
      const repositories = [{ 'packagist.org': false }, { type: 'composer', url: repository }];
      const json = { repositories, config: { 'secure-http': false }, require };
      writeFileSync(join(made, 'composer.json'), JSON.stringify(json));
      const logins =
        token === undefined ? {} : { [new URL(server.url).host]: { username: '__token__', password: token } };
      writeFileSync(join(made, 'auth.json'), JSON.stringify({ 'http-basic': logins }));
      return made;
    }

    function composer(cwd: string, ...args: string[]): Promise<{ code: number | null; out: string }> {
      const env = {
        PATH: process.env.PATH,
        HOME: cwd,
        COMPOSER_HOME: join(cwd, '.home'),
        COMPOSER_ALLOW_SUPERUSER: '1',
      };
      const flags = ['--no-interaction', '--no-ansi'];
      const child = spawn('composer', [...args, ...flags], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
      let out = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (out += chunk));
      return new Promise((resolve, reject) => {
        child.once('error', reject);
        child.once('close', (code) => resolve({ code, out }));
      });
    }

    it('installs a release with its dependencies, also from the lock file', async () => {
      const user = folder({ 'house/lamp': '^1.0' }, rootToken);
      const { code, out } = await composer(user, 'install');
      assert.equal(code, 0, out);
      const installed = () => existsSync(join(user, 'vendor/house/lamp/src/lamp.php'));
      assert.ok(installed() && existsSync(join(user, 'vendor/house/shade/src/shade.php')), out);
      assert.equal(existsSync(join(user, 'vendor/house/lamp/tests')), false);
      assert.match(readFileSync(join(user, 'composer.lock'), 'utf8'), /archives\/house\/lamp\.zip\?sha=/);
      rmSync(join(user, 'vendor'), { recursive: true });
      assert.equal((await composer(user, 'install')).code, 0);
      assert.ok(installed());
    });

    it('installs a branch', async () => {
      const user = folder({ 'house/shade': 'dev-main' }, rootToken);
      const { code, out } = await composer(user, 'install');
      assert.equal(code, 0, out);
      assert.match(out, /house\/shade \(dev-main/);
    });

    it('is rejected without a token or with an invalid one', async () => {
      for (const token of [undefined, 'glpat-nonsense']) {
        const { code } = await composer(folder({ 'house/lamp': '^1.0' }, token), 'install');
        assert.notEqual(code, 0);
      }
    });
  });
});
