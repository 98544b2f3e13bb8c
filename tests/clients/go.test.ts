import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { atEnd } from '../support/at-end.ts';
import { forEachEngine } from '../support/engines.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const isInstalled = spawnSync('go', ['version']).status === 0;

forEachEngine((engine) => {
  describe('go', { skip: isInstalled ? false : 'go is not installed' }, () => {
    let server: TestServer;
    let proxy: string;
    // Module paths cannot contain a port.
    const module = '127.0.0.1/root/Lamp';

    before(async () => {
      server = await startTestServer(engine);
      // The go command sends no password over plain HTTP.
      const { id } = await server.must('POST /projects', { json: { path: 'Lamp', visibility: 'public' } });
      proxy = `${server.url}/api/v4/projects/${id}/packages/go`;
      const commit = async (files: Record<string, string>, tags: readonly string[], action = 'create') => {
        const actions = Object.entries(files).map(([file_path, content]) => ({ action, file_path, content }));
        const json = { branch: 'main', commit_message: 'change', actions };
        await server.must(`POST /projects/${id}/repository/commits`, { json });
        for (const tag_name of tags) {
          await server.must(`POST /projects/${id}/repository/tags`, { json: { tag_name, ref: 'main' } });
        }
      };
      const files = {
        'go.mod': `module ${module}\n\ngo 1.19\n`,
        'lamp.go': 'package lamp\n\nfunc On() string { return "on" }\n',
        'sub/go.mod': `module ${module}/sub\n\ngo 1.19\n`,
        'sub/sub.go': 'package sub\n',
      };
      await commit(files, ['v1.0.0', 'v1.1.0', 'sub/v0.3.0']);
      await commit({ 'go.mod': `module ${module}/v2\n\ngo 1.19\n` }, ['v2.0.0'], 'update');
      await commit({ 'more.go': 'package lamp\n' }, []);
    });

    /** Creates a folder with a module without dependencies. */
    function folder(): string {
      const made = mkdtempSync(join(tmpdir(), 'hearth-go-'));
      atEnd(() => rmSync(made, { recursive: true, force: true }));
      writeFileSync(join(made, 'go.mod'), 'module user.example\n\ngo 1.19\n');
      return made;
    }

    async function go(cwd: string, ...args: string[]): Promise<string> {
      const env = {
        ...{ PATH: process.env.PATH, HOME: cwd, GOPATH: join(cwd, 'path'), GOCACHE: join(cwd, 'cache') },
        // Neither other proxies nor the checksum database are used.
        ...{ GOPROXY: proxy, GONOSUMDB: '*', GOTOOLCHAIN: 'local', GOFLAGS: '-modcacherw -mod=mod' },
      };
      const child = spawn('go', args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
      let out = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (out += chunk));
      return new Promise((resolve, reject) => {
        child.once('error', reject);
        child.once('close', (code) =>
          code === 0 ? resolve(out.trim()) : reject(new Error(`go ${args.join(' ')}: ${out}`)),
        );
      });
    }

    it('lists and gets modules, including those in subfolders and of major version 2', async () => {
      const user = folder();
      assert.equal(await go(user, 'list', '-m', '-versions', module), `${module} v1.0.0 v1.1.0`);
      await go(user, 'get', module);
      await go(user, 'get', `${module}/sub@v0.3.0`);
      await go(user, 'get', `${module}/v2`);
      const needed = readFileSync(join(user, 'go.mod'), 'utf8');
      for (const [path, version] of [
        ['', 'v1.1.0'] as const,
        ['/sub', 'v0.3.0'] as const,
        ['/v2', 'v2.0.0'] as const,
      ]) {
        assert.ok(needed.includes(`${module}${path} ${version}`), needed);
      }
      const lamp = readFileSync(join(user, 'path/pkg/mod/127.0.0.1/root/!lamp@v1.1.0/lamp.go'), 'utf8');
      assert.match(lamp, /func On/);
      await go(user, 'mod', 'verify');
    });

    it('gets a branch', async () => {
      const user = folder();
      await go(user, 'get', `${module}/v2@main`);
      assert.match(readFileSync(join(user, 'go.mod'), 'utf8'), /Lamp\/v2 v2\.0\.1-0\.\d{14}-[0-9a-f]{12}/);
    });

    it('reports a missing version', async () => {
      await assert.rejects(go(folder(), 'get', `${module}@v1.9.0`), /404 Not Found/);
    });
  });
});
