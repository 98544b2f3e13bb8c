import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { newFirst } from '../../src/web/review/test-box.ts';
import { RunnerClient } from '../ci/runner-client.ts';
import { Browser, rootPassword } from '../support/browser.ts';
import { addUser } from '../support/cast.ts';
import { forEachEngine } from '../support/engines.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('failures compared with the target branch', () => {
  const failure = (name: string, suite_name = 'unit') => ({ suite_name, classname: 'c', name });
  const [a, b] = [failure('a'), failure('b')];
  const named = (found: ReturnType<typeof newFirst>) => found.map(({ failure: { name }, isNew }) => [name, isNew]);

  it('are new if they pass there, and come first', () => {
    assert.deepEqual(named(newFirst([a, b], [a])), [
      ['b', true],
      ['a', false],
    ]);
    assert.deepEqual(named(newFirst([a], [failure('a', 'browser')])), [['a', true]]);
    assert.deepEqual(named(newFirst([a], [])), [['a', true]]);
  });

  it('are not new without a report there', () => {
    assert.deepEqual(named(newFirst([a, b], undefined)), [
      ['a', false],
      ['b', false],
    ]);
  });
});

const configuration = 'unit: {script: make, coverage: "/Lines: (\\\\d+)/"}\nsmoke: {script: make}\n';

function reportOf(passed: number, failed: readonly string[]): string {
  const good = Array.from({ length: passed }, (_, n) => `<testcase name="good-${n}" classname="C" time="0.5"/>`);
  const bad = failed.map((name) => {
    const said = `it broke &lt;b&gt; ${'long '.repeat(1000)}end`;
    return `<testcase name="${name}" classname="C" file="a.js" time="2"><failure>${said}</failure></testcase>`;
  });
  return `<?xml version="1.0"?>\n<testsuite>${[...good, ...bad].join('')}<testcase name="later"><skipped/></testcase></testsuite>`;
}

forEachEngine((engine) => {
  describe('test report pages', () => {
    let server: TestServer;
    let browser: Browser;
    let runner: RunnerClient;
    const url = '/projects/root%2Flab';
    const home = '/root/lab';

    const openPage = (path: string, who = browser) => who.page(path);
    const settled = () => server.running.services.queue.drain();
    /** Runs pending jobs with the given reports by job name. */
    const run = async (reports: Readonly<Record<string, string>>) => {
      await settled();
      for (;;) {
        const answer = await runner.ask();
        if (answer.status !== 201) break;
        const job = answer.body;
        const report = reports[job.job_info.name];
        if (report !== undefined) {
          const form = new FormData();
          form.set('file', new Blob([Uint8Array.from(gzipSync(report))]), 'junit.xml.gz');
          const sent = await server.api(`POST /jobs/${job.id}/artifacts?artifact_type=junit&artifact_format=gzip`, {
            token: null,
            headers: { 'job-token': job.token },
            body: form,
          });
          assert.equal(sent.status, 201, sent.text);
        }
        await runner.patch(job, 0, 'Lines: 87\n');
        await runner.report(job, { state: 'success' });
        await settled();
      }
    };
    const commit = (branch: string, file_path: string, content: string, start_branch?: string) =>
      server.must(`POST ${url}/repository/commits`, {
        json: { branch, start_branch, commit_message: 'x', actions: [{ action: 'create', file_path, content }] },
      });
    const pipelineOf = async (ref: string) => (await server.must(`GET ${url}/pipelines?ref=${ref}`))[0].id;

    before(async () => {
      server = await startTestServer(engine);
      browser = new Browser(server);
      await browser.signIn('root', rootPassword);
      runner = await RunnerClient.create(server, { runner_type: 'instance_type' });
      await server.must('POST /projects', { json: { name: 'lab', visibility: 'public' } });
      await commit('main', '.gitlab-ci.yml', configuration);
      await run({ unit: reportOf(2, ['old']) });
      await commit('topic', 'a.txt', 'x', 'main');
      await server.must(`POST ${url}/merge_requests`, {
        json: { source_branch: 'topic', target_branch: 'main', title: 'Topic' },
      });
      await run({ unit: reportOf(25, ['old', 'young <i>'.replace('<i>', '&lt;i&gt;')]), smoke: 'no < xml' });
    });

    it('show totals, suites, and failures first', async () => {
      const page = `${home}/-/pipelines/${await pipelineOf('topic')}`;
      assert.match(await openPage(page), new RegExp(`href="${page}/test_report">Tests`));
      const text = await openPage(`${page}/test_report`);
      assert.match(text, /<strong>28<\/strong>[\s\S]*<strong>2<\/strong>[\s\S]*<strong>1<\/strong>/);
      assert.match(text, /unit<\/strong>[\s\S]*2 failed[\s\S]*28 tests/);
      assert.match(text, /smoke<\/strong>[\s\S]*JUnit XML parsing failed/);
      assert.match(
        text,
        /<strong>old<\/strong>[\s\S]*<strong>young &lt;i&gt;<\/strong>[\s\S]*<strong>later<\/strong>[\s\S]*good-0/,
      );
      assert.match(text, /it broke &lt;b&gt;/);
      assert.ok(!text.includes('long end'), 'long output must be truncated');
      assert.match(text, /page=2">Next/);
      assert.match(await openPage(`${page}/test_report?page=2`), /good-24/);
    });

    it('filter by suite and status', async () => {
      const page = `${home}/-/pipelines/${await pipelineOf('topic')}/test_report`;
      const failed = await openPage(`${page}?suite=unit&status=failed`);
      assert.match(failed, /<strong>old</);
      assert.doesNotMatch(failed, /good-|<h2>Suites/);
      assert.match(await openPage(`${page}?suite=nothing`), /No test fits\.[\s\S]*Show all suites/);
      assert.match(await openPage(`${page}?status=nonsense`), /good-0/);
    });

    it('show a test case with its whole output', async () => {
      const page = `${home}/-/pipelines/${await pipelineOf('topic')}/test_report`;
      const [, address = ''] = /href="([^"]*\/case\?suite=unit[^"]*)"/.exec(await openPage(page)) ?? [];
      const text = await openPage(address.replaceAll('&amp;', '&'));
      assert.match(text, /<h1>old<\/h1>[\s\S]*unit · C · a\.js · 2 s[\s\S]*long end/);
      for (const wrong of [
        '',
        '?suite=unit',
        '?suite=unit&position=999',
        '?suite=x&position=1',
        '?suite=unit&position=x',
      ]) {
        assert.equal((await browser.open(`${page}/case${wrong}`)).status, 404, wrong);
      }
      assert.equal((await browser.open(`${home}/-/pipelines/999999/test_report`)).status, 404);
    });

    it('are summarized in the merge request with new failures', async () => {
      const text = await openPage(`${home}/-/merge_requests/1`);
      assert.match(text, /25 passed, 2 failed, 1 of them not on the target branch, 1 skipped\./);
      assert.match(text, />young &lt;i&gt;<\/a><span[^>]*>new<[\s\S]*>old<\/a><span class="end/);
      await openPage(`${home}/-/merge_requests/1`, new Browser(server));
    });

    it('show coverage of pipeline, job and merge request', async () => {
      const id = await pipelineOf('topic');
      const jobs = await server.must(`GET ${url}/pipelines/${id}/jobs`);
      const unit = jobs.find(({ name }: { name: string }) => name === 'unit');
      assert.match(await openPage(`${home}/-/pipelines/${id}`), /coverage 87\.00%/);
      assert.match(await openPage(`${home}/-/jobs/${unit.id}`), /coverage 87%/);
      assert.match(await openPage(`${home}/-/merge_requests/1`), /coverage 87\.00%/);
    });

    it('explain how to add a report', async () => {
      await commit('bare', 'b.txt', 'x', 'main');
      await run({});
      const id = await pipelineOf('bare');
      assert.match(await openPage(`${home}/-/pipelines/${id}/test_report`), /No test report\. A job sends one/);
      assert.deepEqual(await server.must(`GET ${url}/pipelines/${id}/test_failures`), []);
      assert.doesNotMatch(await openPage(`${home}/-/pipelines/${id}`), /coverage null/);
    });

    it('use an API that filters by suite, status and position, and requires pipeline access', async () => {
      const id = await pipelineOf('topic');
      const cases = `${url}/pipelines/${id}/test_cases`;
      const first = await server.api(`GET ${cases}?per_page=5`);
      assert.deepEqual([first.body.length, first.headers.get('x-total')], [5, '28']);
      const { name, suite_name, position } = first.body[0];
      assert.deepEqual([name, suite_name, position], ['old', 'unit', 26]);
      const same = await server.must(`GET ${cases}?suite=unit&position=${position}`);
      assert.deepEqual(same, [first.body[0]]);
      const failures = await server.must(`GET ${url}/pipelines/${id}/test_failures`);
      assert.deepEqual(
        failures.map((one: { name: string; position: number }) => [one.name, one.position]),
        [
          ['old', 26],
          ['young <i>', 27],
        ],
      );
      assert.equal((await server.api(`GET ${cases}?status=perhaps`)).status, 400);
      const other = await addUser(server);
      await server.must(`PUT ${url}`, { json: { visibility: 'private' } });
      const stranger = new Browser(server);
      await stranger.signIn(other.username, 'long enough 4 you');
      assert.equal((await stranger.open(`${home}/-/pipelines/${id}/test_report`)).status, 404);
      for (const path of ['test_cases', 'test_failures']) {
        assert.equal((await server.api(`GET ${url}/pipelines/${id}/${path}`, { token: null })).status, 404);
      }
    });
  });
});
