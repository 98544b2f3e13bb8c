import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { atEnd } from '../support/at-end.ts';
import { forEachEngine } from '../support/engines.ts';
import { rootToken, startTestServer, type TestServer } from '../support/server.ts';
import { packedTar } from '../support/tar.ts';

const isInstalled = spawnSync('terraform', ['version']).status === 0;

forEachEngine((engine) => {
  describe('terraform with modules', { skip: isInstalled ? false : 'terraform is not installed' }, () => {
    let server: TestServer;

    before(async () => {
      server = await startTestServer(engine);
      const { id } = await server.must('POST /projects', { json: { name: 'modules' } });
      for (const version of ['1.0.0', '1.2.0', '2.0.0-rc.1']) {
        const body = packedTar({ 'main.tf': `output "version" {\n  value = "${version}"\n}\n` });
        const to = `${server.url}/api/v4/projects/${id}/packages/terraform/modules/lamp/local/${version}/file`;
        const headers = { 'private-token': rootToken };
        assert.equal((await fetch(to, { method: 'PUT', headers, body: Uint8Array.from(body) })).status, 201);
      }
    });

    /** Creates a folder with a configuration that requires a version of the module. */
    function folder(version: string, token = rootToken): string {
      const made = mkdtempSync(join(tmpdir(), 'hearth-terraform-modules-'));
      atEnd(() => rmSync(made, { recursive: true, force: true }));
      const source = `source = "hearth.test/root/lamp/local"\n  version = "${version}"`;
      const output = 'output "version" {\n  value = module.lamp.version\n}\n';
      writeFileSync(join(made, 'main.tf'), `module "lamp" {\n  ${source}\n}\n${output}`);
      // Terraform only discovers services over TLS, so the content of the discovery document is configured.
      const services = `services = { "modules.v1" = "${server.url}/api/v4/packages/terraform/modules/v1/" }`;
      const credentials = token === '' ? '' : `credentials "hearth.test" {\n  token = "${token}"\n}\n`;
      writeFileSync(join(made, 'terraform.rc'), `host "hearth.test" {\n  ${services}\n}\n${credentials}`);
      return made;
    }

    function terraform(cwd: string, ...args: string[]) {
      const configuration = { TF_CLI_CONFIG_FILE: join(cwd, 'terraform.rc'), TF_REGISTRY_DISCOVERY_RETRY: '0' };
      const env = {
        PATH: process.env.PATH,
        HOME: cwd,
        CHECKPOINT_DISABLE: '1',
        TF_IN_AUTOMATION: '1',
        ...configuration,
      };
      const child = spawn('terraform', [...args, '-no-color'], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
      let out = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (out += chunk));
      return new Promise<{ code: number | null; out: string }>((resolve, reject) => {
        child.once('error', reject);
        child.once('close', (code) => resolve({ code, out }));
      });
    }

    it('resolves the requested version', async () => {
      for (const [asked, got] of [
        ['~> 1.0', '1.2.0'],
        ['1.0.0', '1.0.0'],
        ['2.0.0-rc.1', '2.0.0-rc.1'],
      ] as const) {
        const cwd = folder(asked);
        const began = await terraform(cwd, 'init', '-input=false');
        assert.equal(began.code, 0, began.out);
        const applied = await terraform(cwd, 'apply', '-auto-approve', '-input=false');
        assert.match(applied.out, new RegExp(`version = "${got}"`));
      }
    });

    it('reports errors', async () => {
      const nobody = await terraform(folder('1.0.0', ''), 'init', '-input=false');
      assert.match(nobody.out, /401 Unauthorized/);
      const missing = await terraform(folder('9.0.0'), 'init', '-input=false');
      assert.match(missing.out, /newest available\s+version is 1\.2\.0/);
    });
  });
});
