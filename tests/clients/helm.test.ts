import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { atEnd } from '../support/at-end.ts';
import { forEachEngine } from '../support/engines.ts';
import { rootToken, startTestServer, type TestServer } from '../support/server.ts';

const isInstalled = spawnSync('helm', ['version']).status === 0;

forEachEngine((engine) => {
  describe('helm', { skip: isInstalled ? false : 'helm is not installed' }, () => {
    let server: TestServer;
    let registry: string;
    let home: string;

    before(async () => {
      server = await startTestServer(engine);
      const { id } = await server.must('POST /projects', { json: { name: 'charts' } });
      registry = `${server.url}/api/v4/projects/${id}/packages/helm`;
      home = mkdtempSync(join(tmpdir(), 'hearth-helm-'));
      atEnd(() => rmSync(home, { recursive: true, force: true }));
    });

    function helm(...args: string[]) {
      const env = { PATH: process.env.PATH, HOME: home };
      const child = spawn('helm', args, { cwd: home, env, stdio: ['ignore', 'pipe', 'pipe'] });
      let out = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (out += chunk));
      return new Promise<{ code: number | null; out: string }>((resolve, reject) => {
        child.once('error', reject);
        child.once('close', (code) => resolve({ code, out }));
      });
    }

    async function must(...args: string[]): Promise<string> {
      const { code, out } = await helm(...args);
      assert.equal(code, 0, `helm ${args.join(' ')}: ${out}`);
      return out;
    }

    /** Packages a version of the chart and uploads it like `helm cm-push`. */
    async function publish(version: string, channel = 'stable'): Promise<Buffer> {
      await must('package', 'lamp', '--version', version, '--app-version', '1.10');
      const packed = readFileSync(join(home, `lamp-${version}.tgz`));
      rmSync(join(home, `lamp-${version}.tgz`));
      const body = new FormData();
      body.append('chart', new Blob([Uint8Array.from(packed)]), `lamp-${version}.tgz`);
      const headers = { authorization: `Basic ${Buffer.from(`me:${rootToken}`).toString('base64')}` };
      const sent = await fetch(`${registry}/api/${channel}/charts`, { method: 'POST', headers, body });
      assert.equal(sent.status, 201, await sent.text());
      return packed;
    }

    it('finds, pulls and depends on charts of a project', async () => {
      await must('create', 'lamp');
      await publish('1.0.0');
      const newest = await publish('1.2.0+build.7');
      await publish('2.0.0-rc.1');
      await publish('3.0.0', 'edge');
      const signedIn = ['--username', 'me', '--password', rootToken];
      await must('repo', 'add', 'house', `${registry}/stable`, ...signedIn);
      const found = await must('search', 'repo', 'house/lamp', '--versions', '--devel', '--output', 'json');
      assert.deepEqual(
        JSON.parse(found).map(({ version, app_version }: Record<string, string>) => [version, app_version]),
        [
          ['2.0.0-rc.1', '1.10'],
          ['1.2.0+build.7', '1.10'],
          ['1.0.0', '1.10'],
        ],
      );
      await must('pull', 'house/lamp');
      assert.deepEqual(readFileSync(join(home, 'lamp-1.2.0+build.7.tgz')), newest);
      assert.match(await must('show', 'chart', 'house/lamp', '--version', '1.0.0'), /version: 1\.0\.0/);
      await must('pull', 'lamp', '--repo', `${registry}/edge`, ...signedIn);
      await must('create', 'room');
      const dependency = `\ndependencies:\n- {name: lamp, version: ^1.0.0, repository: "${registry}/stable"}\n`;
      writeFileSync(join(home, 'room', 'Chart.yaml'), `apiVersion: v2\nname: room\nversion: 1.0.0${dependency}`);
      assert.match(await must('dependency', 'update', 'room'), /Downloading lamp/);
    });

    it('reports errors', async () => {
      const wrong = await helm('repo', 'add', 'other', `${registry}/stable`, '--username', 'me', '--password', 'x');
      assert.notEqual(wrong.code, 0);
      assert.match(wrong.out, /401/);
      const missing = await helm('pull', 'house/lamp', '--version', '9.9.9');
      assert.match(missing.out, /not found/);
    });
  });
});
