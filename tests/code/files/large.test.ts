import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { before, describe, it } from 'node:test';
import type { Project } from '../../../src/access/tables.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { addFilledProject } from '../../support/git-project.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('large files', () => {
    const large = randomBytes(3 * 1024 * 1024 + 1);
    const medium = randomBytes(1024 * 1024 + 2);
    let server: TestServer;
    let owner: Person;
    let project: Project;
    const at = (path: string) => `GET /projects/${project.id}/repository/files/${path}`;

    before(async () => {
      server = await startTestServer(engine, ['--large-blob', '2MiB', '--large-blob-rate', '5/1m']);
      owner = await addPerson(server, 'owner');
      const source = new GitClient();
      await source.init();
      await source.commit({ 'large.bin': large, 'medium.bin': medium }, 'large');
      project = await addFilledProject(server, owner, 'large', source, 'public');
    });

    it('are streamed as JSON', async () => {
      const answer = await server.api(`${at('medium.bin')}?ref=main`);
      assert.equal(answer.headers.get('content-length'), String(Buffer.byteLength(answer.text)));
      assert.ok(Buffer.from(answer.body.content, 'base64').equals(medium));
      assert.equal(answer.body.size, medium.length);
      assert.equal(answer.body.content_sha256, createHash('sha256').update(medium).digest('hex'));
      assert.equal(answer.headers.get('x-gitlab-size'), String(medium.length));
    });

    it('are limited to five JSON requests per minute and project, but not as raw files', async () => {
      for (let n = 0; n < 5; n++) {
        const answer = await server.api(`${at('large.bin')}?ref=main`);
        assert.ok(Buffer.from(answer.body.content, 'base64').equals(large));
      }
      const sixth = await server.api(`${at('large.bin')}?ref=main`, { token: owner.token });
      assert.deepEqual(
        [sixth.status, sixth.body.message.error],
        [
          429,
          'The requested blob is over the threshold size of 2097152.\n' +
            "Access this blob using '/projects/:id/repository/files/:file_path/raw' to avoid this error.\n",
        ],
      );
      assert.equal(sixth.headers.get('retry-after'), '60');
      const raw = await fetch(`${server.url}/api/v4${at('large.bin').slice(4)}/raw`);
      assert.equal(raw.headers.get('content-length'), String(large.length));
      assert.ok(Buffer.from(await raw.arrayBuffer()).equals(large));
      assert.equal((await server.api(`${at('medium.bin')}?ref=main`)).status, 200);
    });

    it('are released when the client disconnects', async () => {
      const { counters } = { counters: () => server.running.services.git.counters().processes.transport };
      const controller = new AbortController();
      const response = await fetch(`${server.url}/api/v4${at('large.bin').slice(4)}/raw`, {
        signal: controller.signal,
      });
      await response.body?.getReader().read();
      controller.abort();
      while (counters().running > 0) await new Promise((done) => setImmediate(done));
      assert.equal(counters().running, 0);
    });
  });
});
