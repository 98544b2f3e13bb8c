import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Browser, rootPassword } from '../../support/browser.ts';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { assertHarmless, hostile } from '../../support/hostile-texts.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { RunnerClient } from '../runner-client.ts';

const coverage =
  '<coverage><sources><source>/builds/root/lab/src</source></sources><packages><package><classes><class filename="a.js"><lines><line number="1" hits="3"/><line number="2" hits="0"/></lines></class></classes></package></packages></coverage>';
const problem = (line: number, severity: string, description: string, path = 'src/a.js') => ({
  description,
  severity,
  check_name: 'no-tea',
  fingerprint: `f${line}`,
  location: { path, lines: { begin: line } },
});

forEachEngine((engine) => {
  describe('code reports', () => {
    let server: TestServer;
    let browser: Browser;
    let pipeline: number;
    let paths: string;
    const url = '/projects/root%2Flab';
    const changes = '/root/lab/-/merge_requests/1/diffs';

    const commit = (branch: string, actions: object[], start?: string) =>
      server.must(`POST ${url}/repository/commits`, {
        json: { branch, commit_message: 'Change it', ...(start && { start_branch: start }), actions },
      });

    before(async () => {
      server = await startTestServer(engine);
      browser = new Browser(server);
      await browser.signIn('root', rootPassword);
      const runner = await RunnerClient.create(server, { runner_type: 'instance_type' });
      await server.must('POST /projects', { json: { name: 'lab', visibility: 'private' } });
      const file = (file_path: string, content: string) => ({ action: 'create', file_path, content });
      await commit('main', [file('README.md', 'lab')]);
      const configuration = file('.gitlab-ci.yml', 'unit: {script: make}\n');
      await commit('more', [file('src/a.js', 'const a = 1;\nconst b = 2;\nconst c = 3;\n'), configuration], 'main');
      await server.must(`POST ${url}/merge_requests`, {
        json: { title: 'More', source_branch: 'more', target_branch: 'main' },
      });
      await server.running.services.queue.drain();
      const job = await runner.take();
      const upload = async (type: string, format: string, content: Buffer) => {
        const form = new FormData();
        form.set('file', new Blob([Uint8Array.from(content)]), 'report');
        const sent = await server.api(
          `POST /jobs/${job.id}/artifacts?artifact_type=${type}&artifact_format=${format}`,
          {
            token: null,
            headers: { 'job-token': job.token },
            body: form,
          },
        );
        assert.equal(sent.status, 201);
      };
      await upload('cobertura', 'gzip', gzipSync(coverage));
      const problems = [
        problem(3, 'minor', hostile.element),
        problem(2, 'critical', 'too hot'),
        problem(1, 'info', 'elsewhere', 'src/b.js'),
      ];
      await upload('codequality', 'raw', Buffer.from(JSON.stringify(problems)));
      await runner.report(job, { state: 'success' });
      await server.running.services.queue.drain();
      [{ id: pipeline }] = await server.must(`GET ${url}/pipelines?ref=more`);
      paths = `${url}/pipelines/${pipeline}`;
    });

    it('returns coverage by file and line', async () => {
      const found = await server.must(`GET ${paths}/coverage_report?paths[]=src/a.js&paths[]=README.md`);
      assert.deepEqual(found, { files: { 'src/a.js': { 1: 3, 2: 0 } }, error: null });
      assert.deepEqual((await server.must(`GET ${paths}/coverage_report?paths[]=README.md`)).files, {});
    });

    it('lists violations by severity, optionally filtered by file', async () => {
      const listed = async (query: string) =>
        (await server.must(`GET ${paths}/code_quality${query}`)).map((one: { line: number }) => one.line);
      assert.deepEqual(await listed(''), [2, 3, 1]);
      assert.deepEqual(await listed('?paths[]=src/a.js'), [2, 3]);
      assert.deepEqual(await listed('?per_page=1&page=2'), [3]);
      const [worst] = await server.must(`GET ${paths}/code_quality`);
      assert.deepEqual(worst, {
        path: 'src/a.js',
        line: 2,
        severity: 'critical',
        description: 'too hot',
        check_name: 'no-tea',
        fingerprint: 'f2',
      });
    });

    it('rejects callers without access and missing or excessive parameters', async () => {
      const stranger = await addUser(server);
      for (const path of ['coverage_report?paths[]=a', 'code_quality']) {
        assert.equal((await server.api(`GET ${paths}/${path}`, { token: stranger.token })).status, 404);
        assert.equal((await server.api(`GET ${paths}/${path}`, { token: null })).status, 404);
        assert.equal((await server.api(`GET ${url}/pipelines/999/${path}`)).status, 404);
      }
      assert.equal((await server.api(`GET ${paths}/coverage_report`)).status, 400);
      const many = Array.from({ length: 101 }, (_, at) => `paths[]=${at}`).join('&');
      assert.equal((await server.api(`GET ${paths}/coverage_report?${many}`)).status, 400);
      assert.equal((await server.api(`GET ${paths}/code_quality?${many}`)).status, 400);
    });

    it('are shown in the diff of a merge request', async () => {
      const { status, text } = await browser.open(changes);
      assert.equal(status, 200);
      assertHarmless(text, changes);
      assert.match(text, /<td class="num reached"[^>]*title="Covered by tests 3 times"><a[^>]*>1</);
      assert.match(text, /<td class="num missed"[^>]*title="Not covered by tests"><a[^>]*>2</);
      assert.match(text, /<td class="num" id="[0-9a-f]{40}_\d+_3">/);
      assert.match(
        text,
        /badge-critical">critical<\/span> too hot <code>no-tea<\/code>[\s\S]*badge-minor[\s\S]*marker1/,
      );
      assert.doesNotMatch(text, /elsewhere/);
      await commit('more', [{ action: 'update', file_path: 'src/a.js', content: 'const z = 0;\n' }]);
      await server.running.services.queue.drain();
      assert.doesNotMatch((await browser.open(changes)).text, /too hot|num missed/);
    });
  });
});
