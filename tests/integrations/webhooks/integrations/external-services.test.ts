import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { githubAddress } from '../../../../src/integrations/webhooks/external-services/github.ts';
import { RunnerClient } from '../../../ci/runner-client.ts';
import { forEachEngine } from '../../../support/engines.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { type Receiver, startReceiver } from '../receiver.ts';

describe('GitHub repositories', () => {
  for (const [url, expected] of [
    ['https://github.com/acme/app', 'https://api.github.com/repos/acme/app'],
    ['https://www.github.com/acme/app.git', 'https://api.github.com/repos/acme/app'],
    ['https://git.acme.example:8443/a.b/c-d/', 'https://git.acme.example:8443/api/v3/repos/a.b/c-d'],
    ['https://github.com/acme', undefined],
    ['https://github.com/acme/app/tree/main', undefined],
    ['https://token@github.com/acme/app', undefined],
    ['ssh://git@github.com/acme/app', undefined],
    ['acme/app', undefined],
  ] as const) {
    it(`are found at ${url}`, () => assert.equal(githubAddress(url), expected));
  }
});

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

forEachEngine((engine) => {
  describe('integrations with external services', () => {
    let server: TestServer;
    let receiver: Receiver;
    let group: { id: number };
    let project: { id: number };
    let runner: RunnerClient;
    let count = 0;

    before(async () => {
      server = await startTestServer(engine, ['--allow-local-egress']);
      receiver = await startReceiver();
      group = await server.must('POST /groups', { json: { name: 'Team', path: 'team' } });
      project = await server.must('POST /projects', {
        json: { name: 'App', namespace_id: group.id, initialize_with_readme: true },
      });
    });

    const at = (slug: string) => `/projects/${project.id}/integrations/${slug}`;
    const set = (slug: string, json: object) => server.must(`PUT ${at(slug)}`, { json });
    const commit = (content = `${++count}`, branch = 'main') =>
      server.must(`POST /projects/${project.id}/repository/files/f${++count}`, {
        json: { branch, content, commit_message: `Change ${count}` },
      });
    const stored = async () =>
      JSON.stringify(await server.running.services.db.read.selectFrom('webhook_deliveries').selectAll().execute());

    it('send messages to a Matrix room, each in a transaction of its own', async () => {
      const made = await set('matrix', {
        hostname: `${receiver.url}/`,
        token: 'syt_very=secret',
        room: '!q:a.example',
      });
      assert.deepEqual(made.properties, {
        notify_only_broken_pipelines: false,
        branches_to_be_notified: 'default',
        room: '!q:a.example',
        hostname: `${receiver.url}/`,
      });
      const prefix = '/_matrix/client/v3/rooms/!q%3Aa.example/send/m.room.message/';
      await server.must(`POST /projects/${project.id}/issues`, { json: { title: 'A <b>', description: 'Now' } });
      const sent = () => receiver.received.filter(({ path }) => path.startsWith(prefix));
      await server.running.services.queue.drain();
      const [first = assert.fail()] = sent();
      assert.deepEqual([first.method, first.headers.authorization], ['PUT', 'Bearer syt_very=secret']);
      assert.equal(first.body.msgtype, 'm.text');
      assert.equal(first.body.body, 'Administrator opened issue #1 A <b> in team/app');
      assert.equal(first.body.format, 'org.matrix.custom.html');
      assert.match(first.body.formatted_body, /opened issue <a href="[^"]+">#1 A &lt;b&gt;<\/a> in .*<br>Now$/);
      assert.deepEqual(await server.must(`POST ${at('matrix')}/test`), { message: '201 Created' });
      assert.equal(new Set(sent().map(({ path }) => path)).size, 2);
      assert.equal(/very=secret/.test(await stored()), false, 'the token is not logged');
      const other = await set('matrix', { room: '#other:a.example' });
      assert.equal(other.properties.room, '#other:a.example', 'the token is kept for the same server');
      const away = await server.api(`PUT ${at('matrix')}`, { json: { hostname: 'https://elsewhere.example' } });
      assert.deepEqual([away.status, away.body], [400, { error: 'token is missing' }]);
      await server.must(`DELETE ${at('matrix')}`);
    });

    it('pass pushes on to Jenkins', async () => {
      const made = await set('jenkins', {
        jenkins_url: `${receiver.url}/jenkins/`,
        project_name: 'folder/job/my app',
        username: 'ann',
        password: 'pa ss',
        merge_requests_events: false,
        enable_ssl_verification: false,
      });
      assert.deepEqual(made.properties, {
        jenkins_url: `${receiver.url}/jenkins/`,
        project_name: 'folder/job/my app',
        username: 'ann',
        enable_ssl_verification: false,
      });
      assert.deepEqual([made.push_events, made.tag_push_events, made.merge_requests_events], [true, true, false]);
      await commit();
      const [pushed = assert.fail()] = await receiver.arrived('/jenkins/project/folder/job/my%20app');
      assert.deepEqual([pushed.body.object_kind, pushed.body.ref], ['push', 'refs/heads/main']);
      assert.equal(pushed.headers['x-gitlab-event'], 'Push Hook');
      assert.equal(pushed.headers.authorization, basic('ann:pa ss'));
      assert.deepEqual(await server.must(`POST ${at('jenkins')}/test`), { message: '201 Created' });
      const log = await stored();
      assert.equal(log.includes('pa ss') || log.includes(basic('ann:pa ss')), false);
      await server.must(`DELETE ${at('jenkins')}`);
    });

    it('pass events on to Datadog and Packagist, with their keys in the URL, and nowhere else', async () => {
      await set('datadog', {
        api_key: 'dd0123',
        api_url: `${receiver.url}/dd`,
        datadog_service: 'my app',
        datadog_env: 'ci',
        datadog_tags: 'team:a\n\nkey:b\n',
        note_events: false,
      });
      await set('packagist', { username: 'ann', token: 'tok-1', server: receiver.url, tag_push_events: false });
      await commit();
      const [event = assert.fail()] = await receiver.arrived(
        '/dd?dd-api-key=dd0123&service=my%20app&env=ci&tags=team%3Aa%2Ckey%3Ab',
      );
      assert.equal(event.body.object_kind, 'push');
      const [update = assert.fail()] = await receiver.arrived('/api/update-package?apiToken=tok-1&username=ann');
      assert.match(update.body.project.git_http_url, /team\/app\.git$/);
      const shown = await server.must(`GET ${at('datadog')}`);
      assert.deepEqual(
        [shown.job_events, shown.pipeline_events, shown.note_events, shown.issues_events],
        [true, true, false, false],
      );
      assert.equal(/dd0123|tok-1/.test(JSON.stringify(shown) + (await stored())), false);
      for (const slug of ['datadog', 'packagist']) await server.must(`DELETE ${at(slug)}`);
    });

    it('set the status of commits on GitHub', async () => {
      await set('github', { token: 'ghp_hush', repository_url: `${receiver.url}/acme/app.git` });
      const before = await server.api(`POST ${at('github')}/test`);
      assert.deepEqual([before.status, before.body], [422, { message: 'Ensure the project has CI pipelines.' }]);
      runner = await RunnerClient.create(server, { runner_type: 'instance_type', run_untagged: true });
      await server.must(`POST /projects/${project.id}/repository/files/.gitlab-ci.yml`, {
        json: { branch: 'main', content: 'build: { script: make }', commit_message: 'Build' },
      });
      await server.running.services.queue.drain();
      const [{ id, sha } = assert.fail()] = await server.must(`GET /projects/${project.id}/pipelines`);
      const path = `/api/v3/repos/acme/app/statuses/${sha}`;
      await runner.report(await runner.take(), { state: 'failed' });
      const failed = await receiver.waitFor(path, ({ state }) => state === 'failure');
      assert.equal(failed.headers.authorization, 'Bearer ghp_hush');
      assert.deepEqual(failed.body, {
        state: 'failure',
        target_url: `${server.url}/team/app/-/pipelines/${id}`,
        description: 'Pipeline failed',
        context: `ci/gitlab/${new URL(server.url).host}`,
      });
      assert.ok(receiver.at(path).some(({ body }) => body.state === 'pending'));
      await set('github', { static_context: false });
      assert.deepEqual(await server.must(`POST ${at('github')}/test`), { message: '201 Created' });
      assert.equal(receiver.at(path).at(-1)?.body.context, 'ci/gitlab/main');
      await server.must(`DELETE ${at('github')}`);
    });

    it('give jobs the variables of a Harbor registry', async () => {
      await server.must(`PUT /groups/${group.id}/integrations/harbor`, {
        json: { url: `${receiver.url}/`, project_name: 'images', username: 'robot$app', password: 'Hush-hush1' },
      });
      await server.must(`POST /projects/${project.id}/pipeline`, { json: { ref: 'main' } });
      await server.running.services.queue.drain();
      const job = await runner.take();
      const variables = job.variables as { key: string; value: string; masked: boolean; public: boolean }[];
      const host = new URL(receiver.url).host;
      const harbor = variables.filter(({ key }) => key.startsWith('HARBOR_'));
      assert.deepEqual(Object.fromEntries(harbor.map(({ key, value }) => [key, value])), {
        HARBOR_URL: receiver.url,
        HARBOR_HOST: host,
        HARBOR_OCI: `oci://${host}`,
        HARBOR_PROJECT: 'images',
        HARBOR_USERNAME: 'robot$app',
        HARBOR_PASSWORD: 'Hush-hush1',
      });
      assert.deepEqual(
        harbor.filter(({ masked }) => masked).map((each) => [each.key, each.public]),
        [['HARBOR_PASSWORD', false]],
      );
      assert.deepEqual(await server.must(`POST ${at('harbor')}/test`), { message: '201 Created' });
      const [checked = assert.fail()] = receiver.at('/api/v2.0/projects?project_name=images');
      assert.deepEqual([checked.method, checked.headers.authorization], ['HEAD', basic('robot$app:Hush-hush1')]);
      await runner.report(job, { state: 'success' });
      await set('harbor', { active: false, url: receiver.url, project_name: 'x', username: 'x', password: 'x' });
      await server.must(`POST /projects/${project.id}/pipeline`, { json: { ref: 'main' } });
      await server.running.services.queue.drain();
      const without = (await runner.take()).variables as { key: string }[];
      assert.equal(
        without.some(({ key }) => key.startsWith('HARBOR_')),
        false,
      );
    });

    it('reject invalid settings', async () => {
      for (const [slug, json, body] of [
        ['matrix', { room: '!a:b' }, { error: 'token is missing' }],
        ['matrix', { room: '!a:b', token: 'a\r\nX-Evil: 1' }, { message: { token: ['is invalid'] } }],
        ['jenkins', { project_name: 'a' }, { error: 'jenkins_url is missing' }],
        ['jenkins', { jenkins_url: 'ftp://ci.example', project_name: 'a' }, undefined],
        ['jenkins', { jenkins_url: 'https://a:b@ci.example', project_name: 'a' }, undefined],
        ['datadog', { api_key: 'a&b' }, { message: { api_key: ['is invalid'] } }],
        ['datadog', { api_key: 'a', datadog_site: 'evil.example/#' }, { message: { datadog_site: ['is invalid'] } }],
        ['datadog', { api_key: 'a', datadog_tags: 'one two' }, undefined],
        ['packagist', { username: 'a' }, { error: 'token is missing' }],
        [
          'github',
          { token: 'a', repository_url: 'https://github.com/acme' },
          { message: { repository_url: ['must be the URL of a repository'] } },
        ],
        ['harbor', { url: 'https://h.example', project_name: 'a', username: 'a' }, { error: 'password is missing' }],
      ] as const) {
        const answer = await server.api(`PUT ${at(slug)}`, { json });
        assert.equal(answer.status, 400, `${slug} ${JSON.stringify(json)}: ${JSON.stringify(answer.body)}`);
        if (body) assert.deepEqual(answer.body, body);
      }
    });
  });
});
