import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { maxEntries } from '../../../src/ci/artifacts/archive/metadata.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';
import { RunnerClient } from '../runner-client.ts';
import { forgedZip } from './hostile-zip.ts';
import { zipOf } from './zip.ts';

const hostile = ['encrypted', 'truncated', 'bomb', 'liar', 'crowd', 'link', 'elsewhere', 'deep'] as const;
const configuration = `
stages: [build, test]
${hostile.map((name) => `${name}: {stage: build, script: make, artifacts: {paths: [out/]}}`).join('\n')}
after: {stage: test, script: make}
`;
const megabyte = 1024 * 1024;

forEachEngine((engine) => {
  describe('hostile archives', () => {
    let fixture: ProjectWithRoles;
    let runner: RunnerClient;
    const jobs = new Map<string, { id: number; token: string }>();
    const archives = new Map<string, Buffer>();

    const jobOf = (name: string) => jobs.get(name) ?? assert.fail(name);
    const upload = async (name: string, bytes: Buffer) => {
      archives.set(name, bytes);
      const { id, token } = jobOf(name);
      const form = new FormData();
      form.set('file', new Blob([Uint8Array.from(bytes)]), 'artifacts.zip');
      const answer = await fixture.server.api(`POST /jobs/${id}/artifacts`, {
        token: null,
        headers: { 'job-token': token },
        body: form,
      });
      return answer.status;
    };
    const tree = async (name: string) => {
      const { status, body } = await fixture.asOwner(
        `GET ${fixture.base}/jobs/${jobOf(name).id}/artifacts/tree?recursive=true`,
      );
      return status === 200 ? body.map(({ path }: { path: string }) => path) : [status, body.message];
    };
    const single = (name: string, path: string) =>
      fetch(
        `${fixture.server.url}/api/v4${fixture.base}/jobs/${jobOf(name).id}/artifacts/${encodeURIComponent(path)}`,
        {
          headers: { 'private-token': fixture.owner.token },
        },
      );
    const statusOf = async (name: string, path: string) => {
      const response = await single(name, path);
      await response.arrayBuffer().catch(() => undefined);
      return response.status;
    };

    before(async () => {
      const source = new GitClient();
      await source.init();
      await source.commit({ '.gitlab-ci.yml': configuration }, 'root [skip ci]');
      fixture = await projectWithRoles(engine, 'attacked', source);
      const runnerOptions = { runner_type: 'project_type', project_id: fixture.project.id };
      runner = await RunnerClient.create(fixture.server, runnerOptions, fixture.owner.token);
      await fixture.asOwner(`POST ${fixture.base}/pipeline`, { json: { ref: 'main' } });
      await fixture.server.running.services.queue.drain();
      for (const _ of hostile) {
        const job = await runner.take();
        jobs.set(job.job_info.name, job);
      }
    });

    it('that are encrypted are listed and downloadable as a whole, but not by file', async () => {
      // The first twelve bytes are the encryption header.
      const content = Buffer.from('twelve bytes and what is hidden');
      const bytes = forgedZip([{ path: 'out/secret', content, size: content.length - 12, encrypted: true }]);
      assert.equal(await upload('encrypted', bytes), 201);
      assert.deepEqual(await tree('encrypted'), ['out/', 'out/secret']);
      assert.equal(await statusOf('encrypted', 'out/secret'), 404);
    });

    it('that are truncated are rejected and leave nothing behind', async () => {
      const whole = await zipOf({ 'out/a': 'a'.repeat(1000) });
      assert.equal(await upload('truncated', whole.subarray(0, whole.length - 30)), 400);
      assert.deepEqual(await tree('truncated'), [404, '404 Artifacts Not Found']);
      assert.equal(await statusOf('truncated', 'out/a'), 404);
    });

    it('that expand a thousandfold are streamed instead of buffered', async () => {
      const size = 64 * megabyte;
      const bytes = await zipOf({ 'out/zeros': Buffer.alloc(size) });
      assert.ok(bytes.length < megabyte);
      assert.equal(await upload('bomb', bytes), 201);
      assert.deepEqual(await tree('bomb'), ['out/', 'out/zeros']);
      let received = 0;
      for await (const chunk of (await single('bomb', 'out/zeros')).body ?? []) received += chunk.length;
      assert.equal(received, size);
    });

    it('that state a false file size do not crash the server', async () => {
      const bytes = forgedZip([{ path: 'out/liar', content: Buffer.alloc(1000), size: 10 }]);
      const status = await upload('liar', bytes);
      assert.ok(status === 201 || status === 400, `${status}`);
      assert.ok((await statusOf('liar', 'out/liar')) < 500);
      assert.equal((await fixture.asOwner(`GET ${fixture.base}`)).status, 200);
    });

    it('with too many entries are stored and readable, but not browsable', async () => {
      const many = Array.from({ length: maxEntries + 1 }, (_, index) => ({ path: `f${index}` }));
      assert.equal(await upload('crowd', forgedZip(many)), 201);
      assert.deepEqual(await tree('crowd'), [404, '404 Artifacts metadata Not Found']);
      // The second lookup uses the cached directory.
      for (const _ of [1, 2]) {
        assert.equal(await statusOf('crowd', 'f9'), 200);
        assert.equal(await statusOf('crowd', `f${maxEntries}`), 200);
        assert.equal(await statusOf('crowd', 'none'), 404);
      }
    });

    it('with symbolic links do not expose the link target', async () => {
      const bytes = forgedZip([{ path: 'out/link', content: Buffer.from('/etc/passwd'), mode: 0o120777 }]);
      assert.equal(await upload('link', bytes), 201);
      assert.equal(await statusOf('link', 'out/link'), 404);
    });

    it('with unsafe paths do not show or serve them', async () => {
      const paths = ['/etc/passwd', '../up', 'a/../../b', './c', 'good', 'nul\0l', ''];
      const entries = paths.map((path) => ({ path, content: Buffer.from('x') }));
      assert.equal(await upload('elsewhere', forgedZip(entries)), 201);
      assert.deepEqual(await tree('elsewhere'), ['good']);
      for (const path of ['/etc/passwd', '../up', 'a/../../b', './c', 'b', 'etc/passwd']) {
        assert.equal(await statusOf('elsewhere', path), 404, path);
      }
    });

    it('with a few paths of thousands of folders are stored, but not browsable', async () => {
      const entries = Array.from({ length: 10 }, (_, index) => ({ path: `${index}/${'a/'.repeat(30_000)}f` }));
      assert.equal(await upload('deep', forgedZip(entries)), 201);
      assert.deepEqual(await tree('deep'), [404, '404 Artifacts metadata Not Found']);
    });

    it('are passed unchanged to later jobs', async () => {
      for (const job of jobs.values()) await runner.report(job, { state: 'success' });
      await fixture.server.running.services.queue.drain();
      const after = await runner.take();
      assert.equal(after.job_info.name, 'after');
      const headers = { 'job-token': after.token };
      for (const { id, name, artifacts_file } of after.dependencies) {
        if (name === 'truncated') assert.equal(artifacts_file, undefined);
        if (!artifacts_file) continue;
        const response = await fetch(`${fixture.server.url}/api/v4/jobs/${id}/artifacts`, { headers });
        const bytes = Buffer.from(await response.arrayBuffer());
        assert.ok(bytes.equals(archives.get(name) ?? Buffer.alloc(0)), name);
      }
      assert.ok(after.dependencies.length >= hostile.length - 1);
    });
  });
});
