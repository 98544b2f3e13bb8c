import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { RunnerClient } from '../ci/runner-client.ts';
import { Browser, rootPassword } from '../support/browser.ts';
import { forEachEngine } from '../support/engines.ts';
import { hostile } from '../support/hostile-texts.ts';
import { OpenPage } from '../support/open-page.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

forEachEngine((engine) => {
  describe('live updates', () => {
    let server: TestServer;
    let browser: Browser;
    const url = '/projects/root%2Flive';

    before(async () => {
      server = await startTestServer(engine);
      browser = new Browser(server);
      await browser.signIn('root', rootPassword);
      await server.must('POST /projects', { json: { name: 'live', initialize_with_readme: true } });
      await server.must(`POST ${url}/repository/files/.gitlab-ci.yml`, {
        json: { branch: 'main', commit_message: 'CI', content: 'build: {script: echo}' },
      });
      await server.running.services.queue.drain();
    });

    it('stream a growing job log and its end', async () => {
      const runner = await RunnerClient.create(server, { runner_type: 'instance_type' });
      const job = await runner.take();
      const first = 'section_start:1:a\r\u001b[0KSection\nfirst\n';
      await runner.patch(job, 0, `${first}half a `);
      const path = `/root/live/-/jobs/${job.id}`;
      const page = (await browser.open(path)).text;
      assert.match(page, /first<\/span>\n<\/details>/);
      assert.doesNotMatch(page, /half a/);
      const cursor = /data-live-cursor="(\d+)"/.exec(page)?.[1];
      assert.equal(cursor, `${first.length}`);
      const open = await OpenPage.open(server, `${path}?live=${cursor}`, browser.cookie);
      assert.match(open.response.headers.get('content-type') ?? '', /^text\/event-stream/);
      await open.heard(/target="job-state"[\s\S]*badge-running/);
      await runner.patch(job, first.length + 7, `line ${hostile.element}\n`);
      const more = await open.heard(/action="append"/);
      assert.match(
        more.data ?? '',
        /target="section-1"><template><span id="L3"><a href="#L3" aria-label="3"><\/a>half a line marker1 &lt;img/,
      );
      assert.doesNotMatch(more.data ?? '', /<img|<script/);
      // Continues there after a lost connection.
      open.close();
      const again = await OpenPage.open(server, path, browser.cookie, { 'last-event-id': more.id ?? '' });
      await runner.patch(job, first.length + 7 + `line ${hostile.element}\n`.length, 'without an end');
      await runner.report(job, { state: 'success' });
      assert.match((await again.heard(/without an end/)).data ?? '', /target="section-1"[\s\S]*id="L4"/);
      await again.heard(/event over/);
      const { pipeline } = await server.must(`GET ${url}/jobs/${job.id}`);
      const whole = await OpenPage.open(server, `/root/live/-/pipelines/${pipeline.id}`, browser.cookie);
      await whole.heard(/target="pipeline-state"[\s\S]*badge-success/);
      await server.must(`POST ${url}/jobs/${job.id}/retry`);
      await whole.heard(/target="pipeline-jobs"[\s\S]*badge-pending/);
      whole.close();
    });

    it('reload an empty project after the first push', async () => {
      await server.must('POST /projects', { json: { name: 'hollow', visibility: 'public' } });
      const stranger = await OpenPage.open(server, '/root/hollow', undefined);
      assert.equal(stranger.response.status, 204);
      const page = (await browser.open('/root/hollow')).text;
      assert.match(page, /git push --set-upstream origin main/);
      assert.doesNotMatch(page, />SSH</, 'no SSH URL without an SSH server');
      const open = await OpenPage.open(server, '/root/hollow', browser.cookie);
      await server.must('POST /projects/root%2Fhollow/repository/files/a.txt', {
        json: { branch: 'main', commit_message: 'First', content: 'a' },
      });
      await open.heard(/action="go" to="\/root\/hollow"/);
      open.close();
    });

    it('show comments and states of issues and merge requests', async () => {
      await server.must(`POST ${url}/issues`, { json: { title: 'Talked about' } });
      const issue = await OpenPage.open(server, '/root/live/-/issues/1', browser.cookie);
      await issue.heard(/target="issue-talk"/);
      await server.must(`POST ${url}/issues/1/notes`, { json: { body: hostile.element } });
      assert.doesNotMatch((await issue.heard(/target="issue-talk"[\s\S]*marker1/)).data ?? '', /<script/);
      await server.must(`PUT ${url}/issues/1`, { json: { state_event: 'close' } });
      await issue.heard(/target="issue-head"[\s\S]*badge-closed/);
      issue.close();
      await server.must(`POST ${url}/repository/files/new.txt`, {
        json: { branch: 'new', start_branch: 'main', commit_message: 'New', content: 'new' },
      });
      const request = { source_branch: 'new', target_branch: 'main', title: 'New' };
      await server.must(`POST ${url}/merge_requests`, { json: request });
      await server.running.services.queue.drain();
      const open = await OpenPage.open(server, '/root/live/-/merge_requests/1', browser.cookie);
      await open.heard(/target="request-merge"/);
      await server.must(`POST ${url}/merge_requests/1/notes`, { json: { body: 'Said meanwhile' } });
      await open.heard(/target="request-talk"[\s\S]*Said meanwhile/);
      await server.must(`PUT ${url}/merge_requests/1`, { json: { state_event: 'close' } });
      await open.heard(/target="request-head"[\s\S]*badge-closed/);
      open.close();
    });

    it('show notes, links and children of epics', async () => {
      await server.must('POST /groups', { json: { name: 'Crew', path: 'crew' } });
      for (const title of ['Course', 'Ports'])
        await server.must('POST /groups/crew/epics', { json: { title, description: hostile.element } });
      const { id } = await server.must('GET /groups/crew/epics/1');
      const open = await OpenPage.open(server, '/groups/crew/-/epics/1', browser.cookie);
      await open.heard(/target="epic-talk"/);
      await server.must(`POST /groups/crew/epics/${id}/notes`, { json: { body: hostile.element } });
      assert.doesNotMatch((await open.heard(/target="epic-talk"[\s\S]*marker1/)).data ?? '', /<script/);
      await server.must('POST /groups/crew/epics/1/epics', { json: { title: 'Straits' } });
      await open.heard(/target="epic-epics"[\s\S]*Straits/);
      await server.must('PUT /groups/crew/epics/1', { json: { state_event: 'close' } });
      await open.heard(/target="epic-head"[\s\S]*badge-closed/);
      open.close();
      const strange = await OpenPage.open(server, '/groups/crew/-/epics/1');
      assert.equal(strange.response.status, 404);
    });

    it('show deployments and test results', async () => {
      const { id } = await server.must(`POST ${url}/environments`, { json: { name: 'harbour' } });
      const list = await OpenPage.open(server, '/root/live/-/environments', browser.cookie);
      const one = await OpenPage.open(server, `/root/live/-/environments/${id}`, browser.cookie);
      await list.heard(/target="environments"[\s\S]*No deployments yet/);
      await one.heard(/target="environment-about"/);
      const [{ id: sha }] = await server.must(`GET ${url}/repository/commits`);
      const deployed = { environment: 'harbour', sha, ref: 'main', tag: false, status: 'running' };
      const deployment = await server.must(`POST ${url}/deployments`, { json: deployed });
      await one.heard(/target="environment-about"[\s\S]*badge-running/);
      await server.must(`PUT ${url}/deployments/${deployment.id}`, { json: { status: 'success' } });
      await one.heard(/target="environment-about"[\s\S]*badge-success/);
      await list.heard(/target="environments"(?![\s\S]*No deployments yet)/);
      list.close();
      one.close();
      const runner = await RunnerClient.create(server, { runner_type: 'instance_type' });
      await server.must(`POST ${url}/pipeline`, { json: { ref: 'main' } });
      const job = await runner.take();
      const { pipeline } = await server.must(`GET ${url}/jobs/${job.id}`);
      const tests = await OpenPage.open(server, `/root/live/-/pipelines/${pipeline.id}/test_report`, browser.cookie);
      await tests.heard(/target="test-report"[\s\S]*No test report/);
      const report = gzipSync('<testsuite><testcase name="floats" classname="hull"/></testsuite>');
      const body = new FormData();
      body.set('file', new Blob([Uint8Array.from(report)]), 'junit.xml.gz');
      const kept = `POST /jobs/${job.id}/artifacts?artifact_type=junit&artifact_format=gzip`;
      await server.must(kept, { token: null, headers: { 'job-token': job.token }, body });
      await runner.report(job, { state: 'success' });
      await tests.heard(/target="test-report"[\s\S]*floats/);
      tests.close();
    });

    it('require read access, and end on static pages', async () => {
      const [job] = await server.must(`GET ${url}/jobs`);
      const path = `/root/live/-/jobs/${job.id}`;
      const strange = await OpenPage.open(server, path);
      assert.equal(strange.response.status, 404);
      const still = await OpenPage.open(server, '/explore', browser.cookie);
      assert.equal(still.response.status, 204);
      const nowhere = await OpenPage.open(server, '/no/such/page', browser.cookie);
      assert.equal(nowhere.response.status, 204);
    });

    it('end after signing out', async () => {
      const other = new Browser(server);
      await other.signIn('root', rootPassword);
      const [pipeline] = await server.must(`GET ${url}/pipelines`);
      const open = await OpenPage.open(server, `/root/live/-/pipelines/${pipeline.id}`, other.cookie);
      await open.heard(/pipeline-state/);
      await other.fill('/', '/users/sign_out', {});
      await server.must(`POST ${url}/pipelines/${pipeline.id}/cancel`);
      await assert.rejects(open.heard(/badge-canceled/), /ended without/);
    });

    it('limit the streams per user', async () => {
      const [pipeline] = await server.must(`GET ${url}/pipelines`);
      const path = `/root/live/-/pipelines/${pipeline.id}`;
      const pages: OpenPage[] = [];
      for (let count = 0; count < 13; count += 1) pages.push(await OpenPage.open(server, path, browser.cookie));
      assert.deepEqual(
        pages.map(({ response }) => response.status),
        [...Array(12).fill(200), 204],
      );
      for (const page of pages) page.close();
    });

    it('limit concurrent requests for streams', async () => {
      await server.must(`POST ${url}/issues`, { json: { title: 'Watched by many' } });
      const [issue] = await server.must(`GET ${url}/issues`);
      const other = new Browser(server);
      await other.signIn('root', rootPassword);
      const path = `/root/live/-/issues/${issue.iid}`;
      const wait = () => OpenPage.open(server, path, other.cookie);
      // Streams of the previous test end once the server has noticed.
      await until(async () => {
        const page = await wait();
        page.close();
        return page.response.status === 200;
      });
      const pages = await Promise.all(Array.from({ length: 40 }, wait));
      const open = pages.filter(({ response }) => response.status === 200);
      assert.ok(open.length > 0 && open.length <= 12, `${open.length} streams are open`);
      for (const page of pages) page.close();
    });
  });
});
