import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { Browser, rootPassword } from '../support/browser.ts';
import { forEachEngine, testDatabasePlace } from '../support/engines.ts';
import { GitClient } from '../support/git-client.ts';
import { OpenPage } from '../support/open-page.ts';
import { ApiClient, rootToken } from '../support/server.ts';
import { ServerPlace } from '../support/server-process.ts';
import { until } from '../support/until.ts';

const developer = 30;

forEachEngine((engine) => {
  describe('two servers sharing a database and a data directory', () => {
    let first: ApiClient;
    let second: ApiClient;
    let project: string;
    let people = 0;

    /** Creates a user with a token. */
    const newUser = async () => {
      const username = `person${++people}`;
      const json = { username, name: username, email: `${username}@example.com`, password: 'correct horse battery' };
      const { id } = await first.must('POST /users', { json });
      const access = { name: 'api', scopes: ['api'] };
      const token = await first.must(`POST /users/${id}/personal_access_tokens`, { json: access });
      return { id: id as number, username, token: token.token as string, tokenId: token.id as number };
    };
    const newDeveloper = async () => {
      const user = await newUser();
      await first.must(`POST ${project}/members`, { json: { user_id: user.id, access_level: developer } });
      return user;
    };
    const statusAtSecond = async (call: string, token: string) => (await second.api(call, { token })).status;

    before(async () => {
      const data = mkdtempSync(join(tmpdir(), 'hearth-nodes-'));
      // Starts with an empty database, so that both servers run the migrations.
      const url = engine === 'postgres' ? (await testDatabasePlace(engine, [])).url : undefined;
      const place = new ServerPlace(data, url);
      const [one, two] = await Promise.all([place.serve(), place.serve()]);
      [first, second] = [new ApiClient(one.line), new ApiClient(two.line)];
      const { id } = await first.must('POST /projects', {
        json: { name: 'shared', initialize_with_readme: true, visibility: 'private' },
      });
      project = `/projects/${id}`;
    });

    it('reject immediately what was revoked at the other', async () => {
      const [revoked, blocked, removed] = [await newDeveloper(), await newDeveloper(), await newDeveloper()];
      for (const { token } of [revoked, blocked, removed]) {
        assert.equal(await statusAtSecond(`GET ${project}`, token), 200);
      }
      await first.must(`DELETE /personal_access_tokens/${revoked.tokenId}`);
      assert.equal(await statusAtSecond(`GET ${project}`, revoked.token), 401);
      await first.must(`POST /users/${blocked.id}/block`);
      assert.equal(await statusAtSecond(`GET ${project}`, blocked.token), 403);
      await first.must(`DELETE ${project}/members/${removed.id}`);
      assert.equal(await statusAtSecond(`GET ${project}`, removed.token), 404);
    });

    it('share sessions until they are ended', async () => {
      const browser = new Browser(first);
      await browser.signIn('root', rootPassword);
      const headers = { cookie: browser.cookie ?? '' };
      const statusThere = async () =>
        (await fetch(`${second.url}/root/shared`, { headers, redirect: 'manual' })).status;
      assert.equal(await statusThere(), 200);
      await browser.send('/root/shared', '/users/sign_out');
      assert.notEqual(await statusThere(), 200);
    });

    it('see settings changed at the other', async () => {
      const shown = async () => (await second.must('GET /application/settings')).signup_enabled;
      await shown();
      await first.must('PUT /application/settings', { json: { signup_enabled: false } });
      await until(async () => (await shown()) === false);
    });

    it('enforce a branch protection created at the other', async () => {
      const { token } = await newDeveloper();
      const commit = (branch: string, file: string) => ({
        token,
        json: {
          branch,
          start_branch: 'main',
          commit_message: file,
          actions: [{ action: 'create', file_path: file, content: '' }],
        },
      });
      const { start_branch: _, ...again } = commit('guarded', 'b').json;
      assert.equal((await second.api(`POST ${project}/repository/commits`, commit('guarded', 'a'))).status, 201);
      await first.must(`POST ${project}/protected_branches`, { json: { name: 'guarded', push_access_level: 40 } });
      assert.equal((await second.api(`POST ${project}/repository/commits`, { token, json: again })).status, 403);
    });

    it('see feature flags and deploy tokens changed at the other', async () => {
      await first.must(`POST ${project}/feature_flags`, { json: { name: 'tea', version: 'new_version_flag' } });
      const flag = () => second.api(`GET ${project}/feature_flags/tea`);
      assert.equal((await flag()).body.active, true);
      await first.must(`PUT ${project}/feature_flags/tea`, { json: { active: false } });
      assert.equal((await flag()).body.active, false);
      const attributes = { name: 'reads', scopes: ['read_repository'] };
      const created = await first.must(`POST ${project}/deploy_tokens`, { json: attributes });
      const authorization = `Basic ${Buffer.from(`${created.username}:${created.token}`).toString('base64')}`;
      const refs = `${second.url}/root/shared.git/info/refs?service=git-upload-pack`;
      const clone = async () => (await fetch(refs, { headers: { authorization } })).status;
      assert.equal(await clone(), 200);
      await first.must(`DELETE ${project}/deploy_tokens/${created.id}`);
      assert.equal(await clone(), 401);
    });

    it('refresh open pages after a change at the other', async () => {
      const reader = new Browser(second);
      await reader.signIn('root', rootPassword);
      const { iid } = await first.must(`POST ${project}/issues`, { json: { title: 'Watched' } });
      const path = `/root/shared/-/issues/${iid}`;
      const page = await OpenPage.open(second, `${path}?live`, reader.cookie);
      await page.heard(/target=/);
      await first.must(`POST ${project}/issues/${iid}/notes`, { json: { body: 'said at the first' } });
      await page.heard(/said at the first/);
      page.close();
    });

    it('accept concurrent pushes to one repository, the first push winning each branch', async () => {
      const clients = [new GitClient(), new GitClient()];
      const urls = [first, second].map(({ url }) => url.replace('://', `://root:${rootToken}@`));
      for (const [index, client] of clients.entries()) {
        await client.git('clone', '-q', `${urls[index]}/root/shared.git`, '.');
      }
      for (let round = 0; round < 3; round += 1) {
        const commits = await Promise.all(clients.map((client, at) => client.commit({ [`r${round}`]: `${at}` })));
        const pushed = await Promise.all(
          clients.map((client, at) => client.run('push', '-q', 'origin', 'HEAD:main', `HEAD:own-${at}-${round}`)),
        );
        const refs = await clients[0]?.git('ls-remote', 'origin', 'refs/heads/*');
        const tips = new Map((refs ?? '').split('\n').map((line) => line.split('\t').reverse() as [string, string]));
        // One push to the shared branch succeeded, and both pushes to the separate branches.
        assert.equal(pushed.filter(({ code }) => code === 0).length, 1, pushed.map(({ stderr }) => stderr).join('\n'));
        const winner = pushed.findIndex(({ code }) => code === 0);
        assert.equal(tips.get('refs/heads/main'), commits[winner]);
        for (const at of [0, 1]) assert.equal(tips.get(`refs/heads/own-${at}-${round}`), commits[at]);
        for (const client of clients) {
          await client.git('fetch', '-q', 'origin');
          await client.git('reset', '-q', '--hard', 'origin/main');
        }
      }
      await until(async () => (await second.must(`GET ${project}/events?action=pushed&per_page=100`)).length >= 6);
    });
  });
});
