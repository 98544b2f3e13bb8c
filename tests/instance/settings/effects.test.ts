import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { RunnerClient } from '../../ci/runner-client.ts';
import { startReceiver } from '../../integrations/webhooks/receiver.ts';
import { Browser, rootPassword, tokenIn } from '../../support/browser.ts';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { rootToken, startTestServer, type TestServer } from '../../support/server.ts';
import { sshKeyPair } from '../../support/ssh-keys.ts';

const day = 86_400_000;

forEachEngine((engine) => {
  describe('effects of application settings', () => {
    let server: TestServer;

    before(async () => {
      server = await startTestServer(engine, ['--root-password', rootPassword]);
    });

    const set = (json: object) => server.must('PUT /application/settings', { json });

    it('limit the lifetime of SSH keys', async () => {
      const key = (expires_at?: number) => ({
        json: {
          title: 'laptop',
          key: sshKeyPair().public,
          ...(expires_at !== undefined && { expires_at: new Date(expires_at).toISOString() }),
        },
      });
      await set({ max_ssh_key_lifetime: 30 });
      assert.equal((await server.api('POST /user/keys', key(Date.now() + 29 * day))).status, 201);
      for (const [expires, problem] of [
        [Date.now() + 31 * day, 'has greater than the maximum allowed lifetime of 30 days'],
        [undefined, 'has no expiration date but the maximum allowed lifetime is 30 days'],
        [Date.now() - day, 'has expired'],
      ] as const) {
        const refused = await server.api('POST /user/keys', key(expires));
        assert.deepEqual([refused.status, refused.body], [400, { message: { key: [problem] } }]);
      }
      assert.equal((await server.must('GET /user/keys')).length, 1);
      await set({ max_ssh_key_lifetime: null });
      assert.equal((await server.api('POST /user/keys', key())).status, 201);
      const wrong = await server.api('PUT /application/settings', { json: { max_ssh_key_lifetime: 366 } });
      assert.equal(wrong.status, 400);
    });

    it('disable personal access tokens, which can be undone on the pages', async () => {
      const user = await addUser(server);
      const project = await server.must('POST /projects', { json: { name: 'tokens', initialize_with_readme: true } });
      const bot = await server.must(`POST /projects/${project.id}/access_tokens`, {
        json: { name: 'bot', scopes: ['api'], access_level: 40, expires_at: '2027-01-01' },
      });
      const git = (token: string) =>
        fetch(`${server.url}/${project.path_with_namespace}.git/info/refs?service=git-upload-pack`, {
          headers: { authorization: `Basic ${Buffer.from(`x:${token}`).toString('base64')}` },
        }).then(({ status }) => status);
      assert.equal(await git(rootToken), 200);
      await set({ disable_personal_access_tokens: true });
      assert.equal((await server.api('GET /user', { token: user.token })).status, 401);
      assert.equal((await server.api('GET /user')).status, 401);
      assert.equal(await git(rootToken), 401);
      assert.equal((await server.api(`GET /projects/${project.id}`, { token: bot.token })).status, 200);
      assert.equal(await git(bot.token), 200);

      const browser = new Browser(server);
      await browser.signIn('root', rootPassword);
      const csrf = tokenIn((await browser.open('/-/user_settings/profile')).text);
      const asRoot = (method: string, path: string, json: object) =>
        fetch(`${server.url}/api/v4${path}`, {
          method,
          headers: { cookie: browser.cookie ?? '', 'x-csrf-token': csrf, 'content-type': 'application/json' },
          body: JSON.stringify(json),
        }).then(({ status }) => status);
      const attributes = { name: 'more', scopes: ['api'] };
      assert.equal(await asRoot('POST', `/users/${user.id}/personal_access_tokens`, attributes), 403);
      assert.equal(await asRoot('PUT', '/application/settings', { disable_personal_access_tokens: false }), 200);
      assert.equal((await server.api('GET /user', { token: user.token })).status, 200);
    });

    it('set the HTTP clone URL root', async () => {
      const project = await server.must('POST /projects', { json: { name: 'cloned', initialize_with_readme: true } });
      const addresses = async () => {
        const { http_url_to_repo: own, web_url } = await server.must(`GET /projects/${project.id}`);
        const snippet = await server.must('POST /snippets', {
          json: { title: 'S', visibility: 'private', files: [{ file_path: 'a', content: 'a' }] },
        });
        return [own, web_url, snippet.http_url_to_repo.replace(/\d+/, 'N')];
      };
      for (const wrong of [
        'git.example.com',
        'ftp://git.example.com',
        'https://user@git.example.com',
        'https://x/?y',
      ]) {
        const refused = await server.api('PUT /application/settings', { json: { custom_http_clone_url_root: wrong } });
        assert.deepEqual(
          [refused.status, refused.body],
          [400, { message: { custom_http_clone_url_root: ['is invalid'] } }],
        );
      }
      await set({ custom_http_clone_url_root: 'https://git.example.com/forge/' });
      assert.deepEqual(await addresses(), [
        'https://git.example.com/forge/root/cloned.git',
        `${server.url}/root/cloned`,
        'https://git.example.com/forge/snippets/N.git',
      ]);
      const runner = await RunnerClient.create(server, { runner_type: 'project_type', project_id: project.id });
      await server.must(`POST /projects/${project.id}/repository/files/.gitlab-ci.yml`, {
        json: { branch: 'main', commit_message: 'CI', content: 'job: {script: make}' },
      });
      await server.running.services.queue.drain();
      const job = await runner.take();
      const expected = `https://gitlab-ci-token:${job.token}@git.example.com/forge/root/cloned.git`;
      const variable = job.variables.find(({ key }: { key: string }) => key === 'CI_REPOSITORY_URL');
      assert.deepEqual([job.git_info.repo_url, variable.value], [expected, expected]);
      await set({ custom_http_clone_url_root: '' });
      assert.equal((await addresses())[0], `${server.url}/root/cloned.git`);
    });

    it('limit requests for a raw file in total', async () => {
      const attributes = { name: 'popular', visibility: 'public', initialize_with_readme: true };
      const { path_with_namespace: path } = await server.must('POST /projects', { json: attributes });
      const raw = (file: string) => fetch(`${server.url}/${path}/-/raw/main/${file}`);
      await set({ raw_blob_request_limit: 2 });
      const answers = await Promise.all([raw('README.md'), raw('README.md'), raw('README.md')]);
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 429]);
      const late = answers.find(({ status }) => status === 429);
      assert.equal(late?.headers.get('retry-after'), '60');
      assert.match((await late?.text()) ?? '', /You cannot access the raw file. Please wait a minute./);
      assert.equal((await raw('other.md')).status, 404, 'another file is counted separately');
      await set({ raw_blob_request_limit: 0 });
      assert.equal((await raw('README.md')).status, 200);
    });

    it('reject writes in maintenance mode', async () => {
      const project = await server.must('POST /projects', {
        json: { name: 'kept', initialize_with_readme: true, wiki_access_level: 'enabled' },
      });
      const client = new GitClient();
      const url = `${server.url.replace('//', `//root:${rootToken}@`)}/${project.path_with_namespace}`;
      await client.git('clone', '-q', `${url}.git`, '.');
      await client.commit({ 'a.txt': 'a' });
      await set({ maintenance_mode: true, maintenance_mode_message: 'Back at noon' });
      for (const call of [
        'POST /projects?name=x',
        `PUT /projects/${project.id}?name=x`,
        `DELETE /projects/${project.id}`,
      ]) {
        const refused = await server.api(call);
        assert.deepEqual(
          [refused.status, refused.body],
          [403, { message: 'You cannot perform write operations on a read-only instance' }],
        );
      }
      assert.equal((await server.must(`GET /projects/${project.id}`)).name, 'kept');
      const pushed = await client.run('push', 'origin', 'HEAD');
      assert.notEqual(pushed.code, 0);
      assert.match(pushed.stderr, /403|Back at noon/);
      assert.notEqual((await client.run('push', `${url}.wiki.git`, 'HEAD')).code, 0);
      assert.equal((await client.run('fetch', 'origin')).code, 0);
      assert.match((await new Browser(server).open('/users/sign_in')).text, /Back at noon/);

      const user = await fetch(`${server.url}/api/v4/application/settings?maintenance_mode=false`, { method: 'PUT' });
      assert.equal(user.status, 403);
      await set({ maintenance_mode: false });
      assert.equal((await client.run('push', 'origin', 'HEAD')).code, 0);
      assert.doesNotMatch((await new Browser(server).open('/users/sign_in')).text, /Back at noon/);
    });

    it('allow webhooks to local addresses, for system hooks or single addresses', async () => {
      const receiver = await startReceiver();
      const { port } = new URL(receiver.url);
      const project = await server.must('POST /projects', { json: { name: 'hooked', initialize_with_readme: true } });
      const hooks = [`/projects/${project.id}/hooks`, '/hooks'];
      const outcomes = async (path: string) =>
        Promise.all(
          hooks.map(async (list) => {
            const { status, body } = await server.api(`POST ${list}`, { json: { url: receiver.url + path } });
            if (status === 201) await server.must(`DELETE ${list}/${body.id}`);
            return status;
          }),
        );
      assert.deepEqual(await outcomes('/none'), [422, 422]);
      await set({ allow_local_requests_from_system_hooks: true });
      assert.deepEqual(await outcomes('/system'), [422, 201]);
      await set({
        allow_local_requests_from_system_hooks: false,
        allow_local_requests_from_web_hooks_and_services: true,
      });
      assert.deepEqual(await outcomes('/web'), [201, 422]);

      const hook = await server.must(`POST /projects/${project.id}/hooks`, { json: { url: `${receiver.url}/sent` } });
      const trial = `POST /projects/${project.id}/hooks/${hook.id}/test/push_events`;
      assert.equal((await server.api(trial)).status, 201);
      await set({ allow_local_requests_from_web_hooks_and_services: false });
      assert.equal((await server.api(trial)).status, 422);
      assert.equal(receiver.at('/sent').length, 1);
      await set({ outbound_local_requests_whitelist: [`127.0.0.1:${port}`] });
      assert.equal((await server.api(trial)).status, 201);
      assert.deepEqual(await outcomes('/listed'), [201, 201]);
      const other = await server.api('POST /hooks', { json: { url: `http://127.0.0.1:${Number(port) + 1}/` } });
      assert.equal(other.status, 422);

      const wrong = await server.api('PUT /application/settings', {
        json: { outbound_local_requests_whitelist: ['not a host'] },
      });
      assert.deepEqual(wrong.body, {
        message: {
          outbound_local_requests_whitelist: ['must hold hosts, addresses and ranges of addresses only'],
        },
      });
      await set({ outbound_local_requests_whitelist: [] });
      assert.equal((await server.api(trial)).status, 422);
    });

    it('throttle pages by user and by address, and sign-in forms', async () => {
      const throttle = (name: string, requests: number) => ({
        [`throttle_${name}_enabled`]: true,
        [`throttle_${name}_requests_per_period`]: requests,
        [`throttle_${name}_period_in_seconds`]: 3600,
      });
      const stranger = new Browser(server);
      const signedIn = new Browser(server);
      await signedIn.signIn('root', rootPassword);
      await set({ ...throttle('unauthenticated_web', 2), rate_limiting_response_text: 'Slowly!' });
      const seen = await stranger.open('/explore');
      assert.deepEqual([seen.status, seen.headers.get('ratelimit-name')], [200, 'throttle_unauthenticated_web']);
      assert.equal((await stranger.open('/explore')).status, 200);
      const refused = await stranger.open('/explore');
      assert.equal(refused.status, 429);
      assert.match(refused.text, /Slowly!/);
      assert.ok(Number(refused.headers.get('retry-after')) > 0);
      assert.equal((await signedIn.open('/explore')).status, 200);

      await set({ throttle_unauthenticated_web_enabled: false, ...throttle('authenticated_web', 1) });
      assert.equal((await signedIn.open('/explore')).status, 200);
      assert.equal((await signedIn.open('/explore')).status, 429);
      assert.equal((await stranger.open('/explore')).status, 200);

      await set({ throttle_authenticated_web_enabled: false, ...throttle('protected_paths', 1) });
      const wrong = await stranger.signIn('root', 'wrong');
      assert.notEqual(wrong.status, 429);
      const again = await stranger.signIn('root', rootPassword);
      assert.deepEqual(
        [again.status, again.headers.get('ratelimit-name')],
        [429, 'throttle_unauthenticated_protected_paths'],
      );
      assert.equal((await stranger.open('/users/sign_in')).status, 200);
      await set({ throttle_protected_paths_enabled: false, rate_limiting_response_text: null });
    });
  });
});
