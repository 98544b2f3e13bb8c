import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { forEachEngine } from '../support/engines.ts';
import { GitClient, withCredentials } from '../support/git-client.ts';
import { rootToken, startTestServer } from '../support/server.ts';

forEachEngine((engine) => {
  describe('commits with dates beyond the calendar range', () => {
    it('do not break any page or endpoint', async () => {
      const server = await startTestServer(engine);
      const { id } = await server.must('POST /projects', { json: { name: 'far', visibility: 'public' } });
      const client = new GitClient();
      await client.init();
      const files = { 'go.mod': 'module x\n', 'README.md': '# far\n', '.gitlab-ci.yml': 'job: {script: "true"}\n' };
      const content = Object.entries(files).map(
        ([name, text]) => `M 100644 inline ${name}\ndata ${text.length}\n${text}\n`,
      );
      const head = 'commit refs/heads/main\ncommitter A <a@example.com> 9223372036854775 +0000\ndata 3\nfar\n';
      const options = { cwd: client.folder, input: head + content.join(''), env: client.env };
      execFileSync('git', ['fast-import', '--quiet', '--force'], options);
      await client.git('push', '-q', withCredentials(server.url, 'root/far', 'root', rootToken), 'main');
      await server.running.services.queue.drain();
      const at = `/projects/${id}`;
      const paths = ['tree/last_commits?ref=main', 'commits/main', 'branches/main', 'branches?sort=updated_desc'];
      for (const path of paths) {
        const { status, text } = await server.api(`GET ${at}/repository/${path}`);
        assert.equal(status, 200, `${path}: ${text}`);
      }
      const page = await fetch(`${server.url}/root/far`, { headers: { accept: 'text/html' } });
      assert.equal(page.status, 200);
      const [pipeline] = await server.must(`GET ${at}/pipelines`);
      assert.equal(pipeline?.ref, 'main');
      assert.equal((await server.api(`GET ${at}/jobs`)).status, 200);
    });
  });
});
