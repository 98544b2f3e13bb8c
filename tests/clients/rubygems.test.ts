import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { atEnd } from '../support/at-end.ts';
import { forEachEngine } from '../support/engines.ts';
import { rootToken, startTestServer } from '../support/server.ts';

const isInstalled = ['gem', 'bundle'].every((client) => spawnSync(client, ['--version']).status === 0);

forEachEngine((engine) => {
  describe('gem and bundle', { skip: isInstalled ? false : 'RubyGems or Bundler is not installed' }, () => {
    let registry: string;
    let home: string;

    before(async () => {
      const server = await startTestServer(engine);
      const { id } = await server.must('POST /projects', { json: { name: 'gems' } });
      registry = `${server.url}/api/v4/projects/${id}/packages/rubygems`;
      home = mkdtempSync(join(tmpdir(), 'hearth-gem-'));
      atEnd(() => rmSync(home, { recursive: true, force: true }));
      mkdirSync(join(home, 'lib'));
    });

    function run(client: string, args: readonly string[], more: Record<string, string> = {}, cwd = home) {
      const env = { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', ...more };
      const child = spawn(client, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
      let out = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (out += chunk));
      return new Promise<{ code: number | null; out: string }>((resolve, reject) => {
        child.once('error', reject);
        child.once('close', (code) => resolve({ code, out }));
      });
    }

    async function must(client: string, ...args: string[]): Promise<string> {
      const { code, out } = await run(client, args);
      assert.equal(code, 0, `${client} ${args.join(' ')}: ${out}`);
      return out;
    }

    async function build(name: string, version: string, more = '') {
      const lines = `s.name='${name}'; s.version='${version}'; s.summary='Shines'; s.authors=['A']; s.files=['lib/${name}.rb']; ${more}`;
      writeFileSync(join(home, 'lib', `${name}.rb`), `puts '${name} ${version}'\n`);
      writeFileSync(join(home, `${name}.gemspec`), `Gem::Specification.new { |s| ${lines} }\n`);
      await must('gem', 'build', `${name}.gemspec`);
    }
    const push = (file: string, key = rootToken) =>
      run('gem', ['push', file, '--host', registry], { GEM_HOST_API_KEY: key });
    const installed = (at: string) => readdirSync(join(home, at, 'gems')).toSorted();

    it('publish and install', async () => {
      await build('oil', '1.9.0');
      await build('oil', '1.10.0');
      await build('oil', '2.0.0.rc1');
      await build('lamp', '1.0.0', `s.add_dependency 'oil', '~> 1.0', '>= 1.1'`);
      await build('lamp', '1.0.0', `s.platform='java'`);
      for (const file of readdirSync(home).filter((name) => name.endsWith('.gem'))) {
        const { code, out } = await push(file);
        assert.deepEqual([code, /201 Created/.test(out)], [0, true], out);
      }
      const again = await push('oil-1.9.0.gem');
      assert.match(again.out, /already exists/);
      const source = ['--clear-sources', '--source', `${registry.replace('://', `://me:${rootToken}@`)}/`];
      const install = (...args: string[]) => must('gem', 'install', '--no-document', ...source, ...args);
      await install('lamp', '--install-dir', 'one');
      assert.deepEqual(installed('one'), ['lamp-1.0.0', 'oil-1.10.0']);
      await install('oil', '--version', '2.0.0.rc1', '--install-dir', 'two');
      assert.deepEqual(installed('two'), ['oil-2.0.0.rc1']);
      await install('lamp', '--platform', 'java', '--install-dir', 'three');
      assert.deepEqual(installed('three'), ['lamp-1.0.0-java']);
      // RubyGems prefers files in the current folder to any source.
      const elsewhere = mkdtempSync(join(home, 'elsewhere-'));
      const newest = async (at: string, ...args: string[]) => {
        const all = ['install', '--no-document', ...source, 'oil', '--install-dir', join(home, at), ...args];
        const { code, out } = await run('gem', all, {}, elsewhere);
        assert.equal(code, 0, out);
        return installed(at);
      };
      assert.deepEqual(await newest('four'), ['oil-1.10.0']);
      assert.deepEqual(await newest('five', '--prerelease'), ['oil-2.0.0.rc1']);
      assert.match(
        await must('gem', 'list', '--remote', '--all', ...source),
        /lamp \(1\.0\.0 .*java.*\)\noil \(1\.10\.0, 1\.9\.0\)/,
      );
    });

    it('resolve the dependencies of a Gemfile', async () => {
      writeFileSync(join(home, 'Gemfile'), `source '${registry}'\ngem 'lamp'\n`);
      const refused = await run('bundle', ['install']);
      assert.notEqual(refused.code, 0);
      assert.match(refused.out, /[Aa]uthentication is required/);
      await must('bundle', 'config', 'set', '--local', 'path', 'vendor');
      await must('bundle', 'config', 'set', '--local', `${registry}/`, `me:${rootToken}`);
      await must('bundle', 'install');
      assert.match(await must('bundle', 'exec', 'ruby', '-e', `require 'oil'`), /oil 1\.10\.0/);
    });

    it('report errors', async () => {
      const { code, out } = await push('oil-1.9.0.gem', 'glpat-nonsense');
      assert.deepEqual([code === 0, /401|Unauthorized/.test(out)], [false, true], out);
    });
  });
});
