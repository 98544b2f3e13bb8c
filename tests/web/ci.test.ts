import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { zipOf } from '../ci/artifacts/zip.ts';
import { RunnerClient } from '../ci/runner-client.ts';
import { Browser, browserOfMember, rootPassword } from '../support/browser.ts';
import { addUser } from '../support/cast.ts';
import { forEachEngine } from '../support/engines.ts';
import { assertHarmless, hostile } from '../support/hostile-texts.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const configuration = `
stages: [build, check]
make: {stage: build, script: make, artifacts: {paths: [out/]}}
other: {stage: build, script: make}
verify: {stage: check, script: make, needs: [make]}
ship: {stage: check, script: make, when: manual, needs: []}
`;

forEachEngine((engine) => {
  describe('pipeline pages', () => {
    let server: TestServer;
    let browser: Browser;
    let pipeline: { id: number };
    const url = '/projects/root%2Fworksite';
    const home = '/root/worksite';

    before(async () => {
      server = await startTestServer(engine);
      browser = new Browser(server);
      await browser.signIn('root', rootPassword);
      await server.must('POST /projects', { json: { name: 'worksite', visibility: 'public' } });
      await server.must(`POST ${url}/repository/commits`, {
        json: {
          branch: 'main',
          commit_message: 'Build',
          actions: [{ action: 'create', file_path: '.gitlab-ci.yml', content: configuration }],
        },
      });
      await server.running.services.queue.drain();
      [pipeline] = await server.must(`GET ${url}/pipelines`);
    });

    const openPage = (path: string, who: Browser = browser) => who.page(path);

    const submit = async (page: string, to: string, fields: Record<string, string>) => {
      const redirected = await browser.send(page, to, fields);
      await server.running.services.queue.drain();
      return redirected;
    };

    it('draw the needs graph and play manual jobs', async () => {
      const needs = await server.must(`GET ${url}/pipelines/${pipeline.id}/needs`);
      const byName = new Map(needs.map((job: { name: string; needs: unknown }) => [job.name, job.needs]));
      assert.deepEqual([byName.get('make'), byName.get('verify')], [null, ['make']]);
      const page = `${home}/-/pipelines/${pipeline.id}`;
      const text = await openPage(page);
      assert.match(text, /<svg[\s\S]*>build<\/text>[\s\S]*>check<\/text>[\s\S]*class="need"/);
      const [, play = ''] = /action="([^"]*\/jobs\/\d+\/play)"/.exec(text) ?? [];
      assert.notEqual(play, '', 'there must be a button for the manual job');
      await openPage(page, new Browser(server));
    });

    it('filter pipelines by status, ref and user', async () => {
      const list = `${home}/-/pipelines`;
      const lists = async (query: string) => (await openPage(`${list}?${query}`)).includes(`${list}/${pipeline.id}"`);
      const { status } = await server.must(`GET ${url}/pipelines/${pipeline.id}`);
      for (const query of [`status=${status}`, 'ref=main', 'username=root', `status=&ref=&username=`])
        assert.equal(await lists(query), true, query);
      for (const query of ['status=canceled', 'ref=other', 'username=nobody'])
        assert.equal(await lists(query), false, query);
      const text = await openPage(`${list}?status=canceled&ref=${encodeURIComponent(hostile.attribute)}`);
      assert.match(text, /<option value="canceled" selected>[\s\S]*marker2[\s\S]*No matching pipelines/);
    });

    it('browse artifacts: directories, files and missing paths', async () => {
      const runner = await RunnerClient.create(server, { runner_type: 'instance_type' });
      const first = await runner.take();
      const name = (await server.must(`GET ${url}/jobs/${first.id}`)).name;
      const job = name === 'make' ? first : await runner.take();
      const archive = await zipOf({ 'out/deep/a.txt': hostile.element, 'out/b.bin': 'x\u0000y', 'top.md': 'top' });
      const form = new FormData();
      form.set('file', new Blob([Uint8Array.from(archive)]), 'artifacts.zip');
      const headers = { 'job-token': job.token };
      const query = '?artifact_type=archive&artifact_format=zip&expire_in=1+week';
      const uploaded = await server.api(`POST /jobs/${job.id}/artifacts${query}`, { token: null, headers, body: form });
      assert.equal(uploaded.status, 201, uploaded.text);
      await runner.report(job, { state: 'success' });
      await server.running.services.queue.drain();
      const page = `${home}/-/jobs/${job.id}`;
      assert.match(await openPage(page), /artifacts\/browse/);
      const root = await openPage(`${page}/artifacts/browse`);
      assert.match(root, /artifacts\/browse\/out"[\s\S]*artifacts\/file\/top\.md"/);
      assert.match(await openPage(`${page}/artifacts/browse/out`), /browse\/out\/deep"[\s\S]*file\/out\/b\.bin"/);
      assert.match(await openPage(`${page}/artifacts/file/out/deep/a.txt`), /marker1 &lt;img/);
      assert.match(await openPage(`${page}/artifacts/file/out/b.bin`), /binary file/);
      assert.equal((await browser.open(`${page}/artifacts/file/out/none.txt`)).status, 404);
      await submit(`${page}/artifacts/browse`, `${page}/artifacts/keep`, {});
      assert.equal((await server.must(`GET ${url}/jobs/${job.id}`)).artifacts_expire_at, null);
      assert.match(
        (await new Browser(server).open(`${page}/artifacts/browse`)).headers.get('location') ?? '',
        /sign_in/,
      );
    });

    it('run a pipeline with variables', async () => {
      const form = `${home}/-/pipelines/new`;
      assert.match(await openPage(form), /name="ref" required value="main"/);
      const created = await submit(form, `${home}/-/pipelines`, { ref: 'main', variables: 'COLOUR=red\r\nSIZE=a=b' });
      const id = created.split('/').at(-1);
      const variables = await server.must(`GET ${url}/pipelines/${id}/variables`);
      assert.deepEqual(
        variables.map(({ key, value }: { key: string; value: string }) => [key, value]),
        [
          ['COLOUR', 'red'],
          ['SIZE', 'a=b'],
        ],
      );
      const wrong = await browser.fill(form, `${home}/-/pipelines`, { ref: hostile.attribute });
      assert.equal(wrong.status, 422, wrong.text);
      assertHarmless(wrong.text, form);
    });

    it('start a manual job with variables, and mark jobs that are allowed to fail', async () => {
      const config = `
ship: {script: make, when: manual, allow_failure: false}
try: {script: make, allow_failure: true}
`;
      const actions = [{ action: 'update', file_path: '.gitlab-ci.yml', content: config }];
      await server.must(`POST ${url}/repository/commits`, {
        json: { branch: 'by-hand', start_branch: 'main', commit_message: 'By hand', actions },
      });
      await server.running.services.queue.drain();
      const [{ id }] = await server.must(`GET ${url}/pipelines?ref=by-hand`);
      const jobs: { id: number; name: string }[] = await server.must(`GET ${url}/pipelines/${id}/jobs`);
      const job = (name: string) => `${home}/-/jobs/${jobs.find((one) => one.name === name)?.id}`;
      const waiting = await openPage(job('ship'));
      assert.match(waiting, /is a manual job/);
      assert.doesNotMatch(waiting, /no log yet/i);
      await submit(job('ship'), `${job('ship')}/play`, { variables: 'WHERE=here = there\n' });
      const runner = await RunnerClient.create(server, { runner_type: 'instance_type' });
      const taken = new Map<string, Awaited<ReturnType<RunnerClient['take']>>>();
      for (;;) {
        const { status, body } = await runner.ask();
        if (status !== 201) break;
        taken.set(`${home}/-/jobs/${body.id}`, body);
      }
      const given = taken.get(job('ship')).variables.find(({ key }: { key: string }) => key === 'WHERE');
      assert.equal(given?.value, 'here = there');
      await runner.report(taken.get(job('try')), { state: 'failed', failure_reason: 'script_failure' });
      await server.running.services.queue.drain();
      assert.match(
        await openPage(job('try')),
        /failed \(allowed to fail\)[\s\S]*Script failure\. This job is allowed to fail/,
      );
      assert.match(await openPage(`${home}/-/pipelines/${id}`), /badge-allowed_to_fail/);
      assert.match(await openPage(`${home}/-/jobs`), new RegExp(`test · by-hand[\\s\\S]*Pipeline ${id}<`));
    });

    it('filter jobs by status and ref', async () => {
      const list = `${home}/-/jobs`;
      const [job] = await server.must(`GET ${url}/jobs?ref=main&scope=manual`);
      const lists = async (query: string) => (await openPage(`${list}?${query}`)).includes(`${list}/${job.id}"`);
      for (const query of ['status=manual', 'ref=main', 'status=manual&ref=main', 'status=&ref='])
        assert.equal(await lists(query), true, query);
      for (const query of ['status=canceled', 'ref=other', 'status=manual&ref=other'])
        assert.equal(await lists(query), false, query);
      const text = await openPage(`${list}?status=canceled&ref=${encodeURIComponent(hostile.attribute)}`);
      assert.match(text, /<option value="canceled" selected>[\s\S]*marker2[\s\S]*No matching jobs/);
      assert.equal((await browser.open(`${list}?status=nonsense`)).status, 400);
    });

    it('erase finished jobs and delete finished pipelines', async () => {
      const { id } = await server.must(`POST ${url}/pipeline?ref=by-hand`);
      await server.running.services.queue.drain();
      const jobs: { id: number; name: string }[] = await server.must(`GET ${url}/pipelines/${id}/jobs`);
      const page = `${home}/-/jobs/${jobs.find(({ name }) => name === 'try')?.id}`;
      const pipelinePage = `${home}/-/pipelines/${id}`;
      assert.doesNotMatch(await openPage(page), />Erase</);
      assert.doesNotMatch(await openPage(pipelinePage), />Delete</);
      const runner = await RunnerClient.create(server, { runner_type: 'instance_type' });
      const taken = await runner.take();
      assert.equal(`${home}/-/jobs/${taken.id}`, page);
      await runner.patch(taken, 0, 'the secret\n');
      await runner.report(taken, { state: 'success' });
      await submit(pipelinePage, `${pipelinePage}/cancel`, {});
      const reporter = await browserOfMember(server, url, 20);
      const developer = await browserOfMember(server, url, 30);
      for (const who of [reporter, developer]) assert.doesNotMatch(await openPage(page, who), />Erase</);
      for (const who of [new Browser(server), reporter, developer])
        assert.doesNotMatch(await openPage(pipelinePage, who), />Delete</);
      assert.equal((await developer.fill(page, `${page}/erase`, {})).status, 403);
      assert.equal((await developer.fill(page, `${pipelinePage}/remove`, {})).status, 403);
      assert.match(await openPage(page), /the secret[\s\S]*>Erase<|>Erase<[\s\S]*the secret/);
      assert.equal(await submit(page, `${page}/erase`, {}), page);
      const erased = await openPage(page);
      assert.match(erased, /log and artifacts were erased/);
      assert.doesNotMatch(erased, /the secret|>Erase</);
      assert.equal((await browser.fill(page, `${page}/erase`, {})).status, 403);
      assert.match(await openPage(pipelinePage), />Delete</);
      assert.equal(await submit(pipelinePage, `${pipelinePage}/remove`, {}), `${home}/-/pipelines`);
      assert.match(await openPage(`${home}/-/pipelines`), /has been deleted/);
      for (const gone of [page, pipelinePage]) assert.equal((await browser.open(gone)).status, 404);
    });

    it('manage freeze periods', async () => {
      const page = `${home}/-/settings/freeze_periods`;
      assert.match(await openPage(page), /No freeze period/);
      const fields = { freeze_start: '0 23 * * 5', freeze_end: '0 7 * * 1', cron_timezone: 'UTC' };
      await submit(page, page, fields);
      assert.match(await openPage(page), /0 23 \* \* 5[\s\S]*0 7 \* \* 1[\s\S]*UTC/);
      const wrong = await browser.fill(page, page, { ...fields, freeze_end: hostile.attribute });
      assert.equal(wrong.status, 422, wrong.text);
      assertHarmless(wrong.text, page);
      const [period] = await server.must(`GET ${url}/freeze_periods`);
      const edit = `${page}/edit?id=${period.id}`;
      await submit(edit, edit, { ...fields, cron_timezone: 'Europe/Berlin' });
      assert.match(await openPage(page), /Europe\/Berlin/);
      await submit(page, `${page}/act`, { action: 'remove', id: `${period.id}` });
      assert.match(await openPage(page), /No freeze period/);
    });

    it('manage schedules', async () => {
      const page = `${home}/-/pipeline_schedules`;
      assert.match(await openPage(page), /No schedule/);
      const fields = {
        description: hostile.element,
        ref: 'main',
        cron: '0 4 * * 1',
        cron_timezone: 'UTC',
        active: 'true',
      };
      await submit(page, page, fields);
      assert.match(await openPage(page), /marker1[\s\S]*0 4 \* \* 1/);
      const wrong = await browser.fill(page, page, { ...fields, cron: 'whenever' });
      assert.equal(wrong.status, 422, wrong.text);
      const [schedule] = await server.must(`GET ${url}/pipeline_schedules`);
      const edit = `${page}/edit?id=${schedule.id}`;
      assert.match(await openPage(edit), /value="0 4 \* \* 1"/);
      await submit(edit, edit, { ...fields, cron: '0 5 * * *', active: '' });
      const changed = await server.must(`GET ${url}/pipeline_schedules/${schedule.id}`);
      assert.deepEqual([changed.cron, changed.active], ['0 5 * * *', false]);
      const user = await addUser(server);
      const other = new Browser(server);
      await other.signIn(user.username, 'long enough 4 you');
      const refused = await other.fill('/', `${page}/act`, { action: 'remove', id: String(schedule.id) });
      assert.ok(refused.status === 403 || refused.status === 404, `${refused.status}`);
      await submit(page, `${page}/act`, { action: 'remove', id: String(schedule.id) });
      assert.match(await openPage(page), /No schedule/);
    });
  });
});
