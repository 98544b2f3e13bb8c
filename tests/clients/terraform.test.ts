import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { atEnd } from '../support/at-end.ts';
import { addUser } from '../support/cast.ts';
import { forEachEngine } from '../support/engines.ts';
import { rootToken, startTestServer, type TestServer } from '../support/server.ts';

const isInstalled = spawnSync('terraform', ['version']).status === 0;

/** A built-in resource of Terraform, which needs no downloads. */
const configuration = (value: string) => `
terraform {
  backend "http" {}
}
resource "terraform_data" "thing" {
  input = "${value}"
}
output "thing" {
  value = terraform_data.thing.output
}
`;

forEachEngine((engine) => {
  describe('terraform', { skip: isInstalled ? false : 'terraform is not installed' }, () => {
    let server: TestServer;
    let address: string;

    before(async () => {
      server = await startTestServer(engine);
      const { id } = await server.must('POST /projects', { json: { name: 'infrastructure' } });
      address = `${server.url}/api/v4/projects/${id}/terraform/state/production`;
    });

    function folder(value: string): string {
      const made = mkdtempSync(join(tmpdir(), 'hearth-terraform-'));
      atEnd(() => rmSync(made, { recursive: true, force: true }));
      writeFileSync(join(made, 'main.tf'), configuration(value));
      return made;
    }

    function terraform(cwd: string, args: readonly string[], token = rootToken) {
      const env = {
        PATH: process.env.PATH,
        HOME: cwd,
        CHECKPOINT_DISABLE: '1',
        TF_IN_AUTOMATION: '1',
        TF_HTTP_ADDRESS: address,
        TF_HTTP_LOCK_ADDRESS: `${address}/lock`,
        TF_HTTP_LOCK_METHOD: 'POST',
        TF_HTTP_UNLOCK_ADDRESS: `${address}/lock`,
        TF_HTTP_UNLOCK_METHOD: 'DELETE',
        TF_HTTP_USERNAME: 'anybody',
        TF_HTTP_PASSWORD: token,
        TF_HTTP_RETRY_MAX: '0',
      };
      const child = spawn('terraform', [...args, '-no-color'], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
      let out = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (out += chunk));
      return new Promise<{ code: number | null; out: string }>((resolve, reject) => {
        child.once('error', reject);
        child.once('close', (code) => resolve({ code, out }));
      });
    }

    async function must(cwd: string, ...args: string[]): Promise<string> {
      const { code, out } = await terraform(cwd, args);
      assert.equal(code, 0, `terraform ${args.join(' ')}: ${out}`);
      return out;
    }

    const apply = ['apply', '-auto-approve', '-input=false'];

    it('stores the state and reads it from another folder', async () => {
      const first = folder('one');
      await must(first, 'init', '-input=false');
      assert.match(await must(first, ...apply), /1 added[\s\S]*thing = "one"/);
      const second = folder('two');
      await must(second, 'init', '-input=false');
      assert.match(await must(second, ...apply), /1 changed[\s\S]*thing = "two"/);
      assert.match(await must(first, 'state', 'list'), /terraform_data\.thing/);
      const { serial } = await server.must(`GET ${address.slice(`${server.url}/api/v4`.length)}`);
      assert.ok(serial > 1);
    });

    it('waits for a lock and can force unlock it', async () => {
      const cwd = folder('three');
      await must(cwd, 'init', '-input=false');
      const lock = {
        ID: 'held-elsewhere',
        Operation: 'OperationTypeApply',
        Info: '',
        Who: 'x',
        Version: '1',
        Path: '',
      };
      const lockAt = `${address.slice(`${server.url}/api/v4`.length)}/lock`;
      await server.must(`POST ${lockAt}`, { json: { ...lock, Created: new Date().toISOString() } });
      const refused = await terraform(cwd, apply);
      assert.equal(refused.code, 1);
      assert.match(refused.out, /already locked: ID=held-elsewhere/);
      await server.must(`DELETE ${lockAt}`);
      assert.match(await must(cwd, ...apply), /thing = "three"/);
      assert.match(await must(cwd, 'destroy', '-auto-approve', '-input=false'), /1 destroyed/);
    });

    it('is rejected without a role', async () => {
      const { token } = await addUser(server);
      const cwd = folder('four');
      const refused = await terraform(cwd, ['init', '-input=false'], token);
      // Outsiders do not see the project and get an empty state; only the first write fails.
      const written = refused.code === 0 ? await terraform(cwd, apply, token) : refused;
      assert.equal(written.code, 1);
      assert.match(written.out, /Error/);
    });
  });
});
