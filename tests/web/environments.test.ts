import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { actionsFor } from '../../src/web/ci/deployments.ts';
import { byFolder } from '../../src/web/ci/environments.ts';
import { RunnerClient } from '../ci/runner-client.ts';
import { Browser, browserOfMember, rootPassword } from '../support/browser.ts';
import { forEachEngine } from '../support/engines.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('environment folders', () => {
  const cases: readonly (readonly [names: readonly string[], folders: readonly (readonly string[])[]])[] = [
    [[], []],
    [['a', 'b'], [['', 'a', 'b']]],
    [
      ['review/a', 'live', 'qa/x/y', 'review/b', 'test'],
      [
        ['', 'live', 'test'],
        ['review', 'review/a', 'review/b'],
        ['qa', 'qa/x/y'],
      ],
    ],
  ];
  for (const [names, folders] of cases) {
    it(`group ${names.join(' ') || 'no environments'}`, () => {
      const found = byFolder(names.map((name) => ({ name }))).map(([folder, list]) => [
        folder,
        ...list.map(({ name }) => name),
      ]);
      assert.deepEqual(found, folders);
    });
  }
});

describe('deployment actions', () => {
  const deployment = (id: number, status: string, job: string | null, pipeline = id) => ({
    id,
    status,
    deployable: job === null ? null : { id: id * 10, name: 'ship', status: job, pipeline: { id: pipeline } },
  });
  const cases: readonly (readonly [string, ReturnType<typeof deployment>[], Record<number, string>])[] = [
    ['redeploy the current deployment', [deployment(1, 'success', 'success')], { 1: 'Deploy again' }],
    [
      'roll back to an older deployment',
      [deployment(1, 'success', 'success'), deployment(0, 'success', 'success')],
      { 0: 'Roll back to this', 1: 'Deploy again' },
    ],
    ['retry a failed deployment', [deployment(2, 'failed', 'failed')], { 2: 'Try again' }],
    ['start a manual deployment', [deployment(2, 'created', 'manual')], { 2: 'Deploy' }],
    ['offer nothing for a blocked deployment', [deployment(2, 'blocked', 'manual')], {}],
    ['offer nothing for a running deployment', [deployment(2, 'running', 'running')], {}],
    ['offer nothing without a job', [deployment(2, 'success', null)], {}],
    [
      'use only the newest attempt of a job',
      [deployment(3, 'running', 'running', 7), deployment(2, 'failed', 'failed', 7)],
      {},
    ],
  ];
  for (const [title, deployments, texts] of cases) {
    it(title, () => {
      const found = [...actionsFor(deployments, 1)].map(([id, { text }]) => [id, text] as const);
      assert.deepEqual(Object.fromEntries(found), texts);
    });
  }
});

const configuration = `
deploy:
  script: make deploy
  environment: {name: staging, url: "https://staging.example.com"}
ship:
  script: make ship
  environment: {name: production}
`;

forEachEngine((engine) => {
  describe('environment pages', () => {
    let server: TestServer;
    let browser: Browser;
    let developer: Browser;
    let outsider: Browser;
    let runner: RunnerClient;
    const url = '/projects/root%2Fport';
    const page = '/root/port/-/environments';

    const openPage = (path: string, who = browser) => who.page(path);
    const settled = () => server.running.services.queue.drain();
    const idOf = async (name: string) =>
      (await server.must(`GET ${url}/environments?name=${encodeURIComponent(name)}`))[0].id;
    const person = (level?: number) => browserOfMember(server, url, level);

    before(async () => {
      server = await startTestServer(engine);
      browser = new Browser(server);
      await browser.signIn('root', rootPassword);
      await server.must('POST /projects', { json: { name: 'port', visibility: 'public' } });
      developer = await person(30);
      outsider = await person();
      runner = await RunnerClient.create(server, { runner_type: 'instance_type' });
    });

    it('show an empty state and a tab view', async () => {
      assert.match(await openPage(page), /No environment yet\./);
      assert.match(await openPage(`${page}?state=stopped`), /No environment is stopped\./);
      assert.match(await openPage('/root/port/-/pipelines'), /href="\/root\/port\/-\/environments">Environments</);
      assert.doesNotMatch(await openPage('/root/port/-/pipelines', new Browser(server)), /-\/environments"/);
      const stranger = await new Browser(server).open(page);
      assert.match(stranger.headers.get('location') ?? '', /^\/users\/sign_in/);
    });

    it('create an environment, and show validation errors', async () => {
      const wrong = await developer.fill(`${page}/new`, page, { name: 'a<b', external_url: 'https://a.example' });
      assert.equal(wrong.status, 422);
      assert.match(wrong.text, /name can contain only letters[\s\S]*value="a&lt;b"[\s\S]*https:\/\/a\.example/);
      const made = await developer.fill(`${page}/new`, page, {
        name: 'review/login',
        external_url: 'https://a.example',
      });
      assert.deepEqual([made.status, made.headers.get('location')], [303, `${page}/${await idOf('review/login')}`]);
      assert.doesNotMatch(await openPage(page, outsider), /New environment/);
      assert.equal((await outsider.fill(page, page, { name: 'mine' })).status, 403);
    });

    it('filter by state, name and folder', async () => {
      await server.must(`POST ${url}/environments`, { json: { name: 'live' } });
      const text = await openPage(page, outsider);
      assert.match(
        text,
        />live<\/strong>[\s\S]*<h2><a href="[^"]*search=review%2F[^"]*"><code>review\/<\/code>[\s\S]*>review\/login<\/strong>/,
      );
      assert.match(text, /href="https:\/\/a\.example"[^>]*>Open</);
      const found = await openPage(`${page}?search=review/`);
      assert.match(found, /review\/login<\/strong>/);
      assert.doesNotMatch(found, />live<\/strong>/);
      assert.match(await openPage(`${page}?search=nowhere`), /No environment fits\./);
      assert.match(await openPage(`${page}?search=a`), /Type 3 characters or more\.[\s\S]*>live</);
      assert.match(await openPage(`${page}?state=nonsense`), />live</);
    });

    it('update, stop and delete an environment', async () => {
      const one = `${page}/${await idOf('review/login')}`;
      for (const button of ['Edit', 'Stop']) assert.match(await openPage(one, developer), new RegExp(`>${button}<`));
      assert.doesNotMatch(await openPage(one, outsider), />(Edit|Stop|Delete)</);
      const bad = await developer.fill(`${one}/edit`, `${one}/edit`, { external_url: 'javascript:alert(1)', tier: '' });
      assert.equal(bad.status, 422);
      const saved = await developer.fill(`${one}/edit`, `${one}/edit`, {
        external_url: 'https://b.example',
        tier: 'testing',
        description: 'for the <b>door</b>',
      });
      assert.equal(saved.status, 303);
      assert.match(await openPage(one), /testing[\s\S]*for the &lt;b&gt;door/);
      assert.equal((await developer.fill(one, `${one}/remove`, {})).status, 403);
      assert.equal((await outsider.fill(one, `${one}/stop`, {})).status, 403);
      assert.equal((await developer.fill(one, `${one}/stop`, {})).status, 303);
      assert.match(await openPage(one, developer), />Delete</);
      assert.match(await openPage(`${page}?state=stopped`), /review\/login<\/strong>/);
      const gone = await developer.fill(one, `${one}/remove`, {});
      assert.equal(gone.headers.get('location'), `${page}?state=stopped`);
      assert.equal((await browser.open(one)).status, 404);
    });

    it('show deployments, linked from job and merge request, and redeploy', async () => {
      const rule = { name: 'production', deploy_access_levels: [{ access_level: 40 }], required_approval_count: 1 };
      await server.must(`POST ${url}/protected_environments`, { json: rule });
      const commit = (branch: string, file_path: string, content: string, start_branch?: string) =>
        server.must(`POST ${url}/repository/commits`, {
          json: {
            branch,
            start_branch,
            commit_message: `Add ${file_path}`,
            actions: [{ action: 'create', file_path, content }],
          },
        });
      await commit('main', '.gitlab-ci.yml', configuration);
      await settled();
      const job = await runner.take();
      await runner.report(job, { state: 'success' });
      await settled();
      const one = `${page}/${await idOf('staging')}`;
      const text = await openPage(one, developer);
      assert.match(text, /badge-success">success[\s\S]*main[\s\S]*Add \.gitlab-ci\.yml[\s\S]*>deploy</);
      assert.match(await openPage(one), />Deploy again</);
      // The branch is protected.
      for (const who of [developer, outsider]) assert.doesNotMatch(await openPage(one, who), />Deploy again</);
      assert.match(
        await openPage(`/root/port/-/jobs/${job.id}`),
        /Deployed to <a href="[^"]*\/-\/environments\/\d+">staging</,
      );
      await commit('topic', 'a.txt', 'x', 'main');
      const request = { source_branch: 'topic', target_branch: 'main', title: 'Topic' };
      const { sha } = await server.must(`POST ${url}/merge_requests`, { json: request });
      const done = { environment: 'review/topic', sha, ref: 'topic', tag: false, status: 'success' };
      await server.must(`POST ${url}/deployments`, { json: done });
      await settled();
      assert.match(await openPage('/root/port/-/merge_requests/1'), /Deployed to <a href="[^"]*">review\/topic<\/a>/);
      await server.must(`DELETE ${url}/protected_branches/main`);
      const again = await developer.fill(one, `/root/port/-/jobs/${job.id}/retry`, {});
      assert.match(again.headers.get('location') ?? '', /\/-\/jobs\/\d+$/);
      await settled();
      assert.match(await openPage(one, developer), /badge-created/);
      assert.equal((await openPage(one, developer)).match(/>(Deploy again|Roll back to this)</g), null);
    });

    it('approve deployments to a protected environment', async () => {
      const one = `${page}/${await idOf('production')}`;
      assert.match(await openPage(page), /Waiting for approval[\s\S]*production/);
      assert.match(await openPage(one), /Deployed by: Maintainers\. Approvals: 1\./);
      const seen = await openPage(one, developer);
      assert.match(seen, /Deployment is restricted\.[\s\S]*Waiting for 1 approval/);
      assert.doesNotMatch(seen, />(Edit|Stop|Approve|Reject|Deploy)</);
      const [waiting] = await server.must(`GET ${url}/deployments?status=blocked&sort=desc`);
      const to = `${one}/deployments/${waiting.id}/approval`;
      const refused = await developer.fill(one, to, { status: 'approved' });
      assert.equal(refused.status, 422);
      assert.match(refused.text, /have permission to review this deployment/);
      const long = await browser.fill(one, to, { status: 'approved', comment: 'x'.repeat(300) });
      assert.equal(long.status, 422);
      assert.equal((await browser.fill(one, to, { status: 'maybe' })).status, 422);
      assert.equal((await browser.fill(one, to, { status: 'approved', comment: 'go' })).status, 303);
      assert.match(await openPage(one), /action="[^"]*\/play"[\s\S]*>Deploy</);
      assert.equal((await browser.fill(one, `${one}/deployments/999999/approval`, { status: 'approved' })).status, 404);
    });

    it('paginate deployments', async () => {
      for (let n = 0; n < 21; n += 1) await server.must(`POST ${url}/environments`, { json: { name: `many-${n}` } });
      assert.match(await openPage(page), /\?page=2">Next/);
      assert.match(await openPage(`${page}?page=2`), />many-20</);
    });

    it('respond with 404 if environments are disabled or the project is inaccessible', async () => {
      await server.must('POST /projects', { json: { name: 'hidden', visibility: 'private' } });
      assert.equal((await outsider.open('/root/hidden/-/environments')).status, 404);
      await server.must('PUT /projects/root%2Fhidden', { json: { environments_access_level: 'disabled' } });
      assert.notEqual((await browser.open('/root/hidden/-/environments')).status, 200);
      assert.doesNotMatch(await openPage('/root/hidden/-/pipelines'), /-\/environments"/);
    });
  });
});
