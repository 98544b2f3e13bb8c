import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Project } from '../../src/access/tables.ts';
import { GitClient, withCredentials } from '../support/git-client.ts';
import { addFilledProject } from '../support/git-project.ts';
import { addMember, addPerson, type Person } from '../support/scene.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

// Known vulnerabilities of forges that can be tested with API calls. Those of git itself are in git-vulnerabilities.test.ts;
// others are tested with their area, with the identifier in the title.

const marker = join(mkdtempSync(join(tmpdir(), 'hearth-forge-')), 'owned');
after(() => rmSync(dirname(marker), { recursive: true, force: true }));

describe('known vulnerabilities of other forges', () => {
  let server: TestServer;
  let owner: Person;
  let developer: Person;
  let project: Project;
  const source = new GitClient();

  before(async () => {
    server = await startTestServer('sqlite');
    owner = await addPerson(server, 'owner');
    developer = await addPerson(server, 'developer');
    await source.init();
    await source.commit({ 'README.md': '# x\n', '.gitlab-ci.yml': 'job:\n  script: "true"\n' });
    project = await addFilledProject(server, owner, 'forge', source, 'private');
    await addMember(server, project, developer, 30);
  });

  const at = () => `/projects/${project.id}`;
  const asOwner = (call: string, json?: unknown) =>
    server.api(call, { token: owner.token, ...(json === undefined ? {} : { json }) });
  const page = (path: string, init: RequestInit = {}) => fetch(server.url + path, { redirect: 'manual', ...init });
  const signIn = (fields: Record<string, string>) =>
    page('/users/sign_in', { method: 'POST', body: new URLSearchParams(fields), headers: { origin: server.url } });
  /** Whether the cookies of a response are signed in. */
  const opens = async (answer: Response) => {
    const cookie = answer.headers
      .getSetCookie()
      .map((one) => one.split(';')[0])
      .join('; ');
    return (await page('/api/v4/user', { headers: { cookie } })).status === 200;
  };
  const nothingRan = () => assert.equal(existsSync(marker), false);
  /** Counts the requests to a local server while the work runs. */
  const callsOf = async (work: (url: string) => Promise<void>): Promise<number> => {
    let calls = 0;
    const listener = createServer((_, answer) => {
      calls += 1;
      answer.end('job: {script: "true"}');
    });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    try {
      await work(`http://127.0.0.1:${(listener.address() as AddressInfo).port}`);
    } finally {
      listener.close();
    }
    return calls;
  };

  it('CVE-2023-7028: rejects arrays as e-mail address and sends password resets to one address', async () => {
    const { email } = await asOwner('GET /user').then(({ body }) => body);
    const both = [email, 'attacker@example.com'];
    const account = { username: 'listed', name: 'x', force_random_password: true };
    assert.equal((await server.api('POST /users', { json: { ...account, email: both } })).status, 400);
    assert.equal((await asOwner('POST /user/emails', { email: both })).status, 400);
    const forms: [string, string][][] = [
      both.map((one) => ['user[email][]', one]),
      both.map((one) => ['user[email]', one]),
      [['user[email]', both.join(',')]],
    ];
    for (const path of ['/users/password', '/users/confirmation']) {
      for (const form of forms) {
        const body = new URLSearchParams(form);
        const { status } = await page(path, { method: 'POST', body, headers: { origin: server.url } });
        assert.ok(status < 500, `${path}: ${status}`);
      }
    }
    const outbox = join(server.running.services.config.data, 'mail');
    const underWay = () => server.db.read.selectFrom('jobs').select('id').where('kind', '=', 'mail.send').execute();
    await until(async () => (await underWay()).length === 0 && existsSync(outbox));
    const sent = readdirSync(outbox).map((name) => readFileSync(join(outbox, name), 'utf8'));
    assert.equal(sent.filter((message) => /reset_password_token/.test(message) && message.includes(email)).length, 1);
    assert.ok(sent.every((message) => !message.includes('attacker@example.com')));
    const listed = await signIn({ 'user[login][]': owner.user.username, 'user[password][]': 'x' });
    assert.equal(await opens(listed), false);
  });

  it('CVE-2023-2825: upload paths never leave the project, however deep the groups', async () => {
    let parent: number | undefined;
    for (let depth = 0; depth < 7; depth++) {
      const json = { name: `deep ${depth}`, path: `deep-${depth}`, ...(parent ? { parent_id: parent } : {}) };
      parent = (await server.must('POST /groups', { json })).id;
    }
    const deep = await server.must('POST /projects', {
      json: { name: 'deep', namespace_id: parent, visibility: 'public' },
    });
    const file = new FormData();
    file.set('file', new Blob(['mine']), 'mine.txt');
    const { url } = await server.must(`POST /projects/${deep.id}/uploads`, { body: file });
    const secret = url.split('/')[2];
    for (const up of ['../', '..%2f', '..%252f', '%2e%2e%2f', '..%5c']) {
      for (const start of [
        `/api/v4/projects/${deep.id}/uploads/${secret}/`,
        `/-/project/${deep.id}/uploads/${secret}/`,
      ]) {
        const answer = await page(`${start}${up.repeat(12)}etc${up.slice(2)}passwd`);
        assert.ok(answer.status >= 300 && answer.status < 500, `${start}${up}: ${answer.status}`);
        assert.doesNotMatch(await answer.text(), /root:/);
      }
    }
  });

  it('CVE-2024-0402: project YAML cannot refer to server files', async () => {
    for (const path of [
      '/etc/passwd',
      '../../../../etc/passwd',
      '/../../../../../../etc/passwd',
      'file:///etc/passwd',
    ]) {
      for (const include of [{ local: path }, { project: project.path, file: path }, { remote: path }]) {
        const content = JSON.stringify({ include, job: { script: 'true' } });
        const answer = await asOwner(`POST ${at()}/ci/lint`, { content });
        assert.equal(answer.status, 200, answer.text);
        assert.equal(answer.body.valid, false, path);
        assert.doesNotMatch(answer.text, /root:x?:/);
      }
    }
  });

  it('CVE-2021-22214, CVE-2021-22175, CVE-2021-39935: CI lint sends no anonymous and no internal requests', async () => {
    const calls = await callsOf(async (url) => {
      const content = JSON.stringify({ include: { remote: `${url}/ci.yml` }, job: { script: 'true' } });
      for (const path of ['/ci/lint', `${at()}/ci/lint`]) {
        const { status } = await server.api(`POST ${path}`, {
          token: null,
          json: { content, include_merged_yaml: true },
        });
        assert.ok(status === 401 || status === 404, `${path}: ${status}`);
      }
      const { body } = await asOwner(`POST ${at()}/ci/lint`, { content });
      assert.equal(body.valid, false);
    });
    assert.equal(calls, 0);
  });

  it('GitLab 432276: detects private addresses in obfuscated URLs', async () => {
    const calls = await callsOf(async (url) => {
      const { port } = new URL(url);
      for (const host of [
        `gitlab.com@127.0.0.1:${port}`,
        `127.0.0.1:${port}#gitlab.com`,
        `[::ffff:127.0.0.1]:${port}`,
        `0x7f000001:${port}`,
        `2130706433:${port}`,
        `localhost:${port}`,
      ]) {
        const hook = await asOwner(`POST ${at()}/hooks`, { url: `http://${host}/` });
        assert.ok(hook.status === 422 || hook.status === 400 || hook.status === 201, hook.text);
        if (hook.status === 201) await asOwner(`POST ${at()}/hooks/${hook.body.id}/test/push_events`);
        const made = await asOwner('POST /projects', { name: `from ${host}`, import_url: `http://${host}/x.git` });
        assert.ok(made.status >= 400 && made.status < 500, `${host}: ${made.status}`);
      }
    });
    assert.equal(calls, 0);
  });

  it('CVE-2022-30781: import URLs never become git options or commands', async () => {
    for (const import_url of [
      `--upload-pack=touch ${marker}`,
      `ext::sh -c "touch ${marker}"`,
      `file://${tmpdir()}`,
      `ssh://-oProxyCommand=touch%20${marker}/x`,
      `git@-oProxyCommand=touch ${marker}:x`,
      `http://example.com/ --upload-pack=touch ${marker}`,
      `http://example.com/\n--exec`,
    ]) {
      const answer = await asOwner('POST /projects', { name: 'imported', path: 'imported', import_url });
      assert.ok(answer.status === 400 || answer.status === 422, `${import_url}: ${answer.status} ${answer.text}`);
      const mirror = await asOwner(`POST ${at()}/remote_mirrors`, { url: import_url, enabled: true });
      assert.ok(mirror.status >= 400 && mirror.status < 500, `${import_url}: ${mirror.status} ${mirror.text}`);
    }
    nothingRan();
  });

  it('CVE-2022-1162: accounts with a random password cannot be guessed', async () => {
    const account = { username: 'sso', name: 'sso', email: 'sso@example.com', skip_confirmation: true };
    const json = { ...account, force_random_password: true, extern_uid: 'uid=sso', provider: 'ldapmain' };
    await server.must('POST /users', { json });
    for (const password of ['', '123qweQWE!@#000000000', 'password', 'sso', 'null', 'undefined']) {
      assert.equal(await opens(await signIn({ 'user[login]': 'sso', 'user[password]': password })), false, password);
      const basic = `Basic ${Buffer.from(`sso:${password}`).toString('base64')}`;
      const git = await page(`/${project.path}.git/info/refs?service=git-upload-pack`, {
        headers: { authorization: basic },
      });
      assert.notEqual(git.status, 200);
    }
  });

  it('CVE-2024-45409: rejects SAML responses, as SAML is not supported', async () => {
    const response = Buffer.from('<samlp:Response><saml:NameID>root</saml:NameID></samlp:Response>').toString('base64');
    for (const path of ['/users/auth/saml/callback', '/groups/x/-/saml/callback', '/users/auth/ldapmain/callback']) {
      const answer = await page(path, { method: 'POST', body: new URLSearchParams({ SAMLResponse: response }) });
      assert.ok(answer.status >= 400 && answer.status < 500, `${path}: ${answer.status}`);
      assert.equal(await opens(answer), false);
    }
  });

  it('CVE-2024-6385: pipelines run as the pusher regardless of the commit author', async () => {
    const root = await server.must('GET /user');
    const actions = [{ action: 'create', file_path: 'forged', content: 'x' }];
    const forged = { author_name: root.name, author_email: root.email ?? 'admin@example.com', actions };
    const commit = await server.must(`POST ${at()}/repository/commits`, {
      token: developer.token,
      json: { branch: 'forged', start_branch: 'main', commit_message: 'x', ...forged },
    });
    const pipelines = () => server.must(`GET ${at()}/pipelines?sha=${commit.id}`, { token: owner.token });
    await until(async () => (await pipelines()).length > 0);
    const [pushed] = await pipelines();
    const shown = await server.must(`GET ${at()}/pipelines/${pushed.id}`, { token: owner.token });
    assert.equal(shown.user.id, developer.user.id);
    const [job] = await server.must(`GET ${at()}/pipelines/${pushed.id}/jobs`, { token: owner.token });
    assert.equal(job.user.id, developer.user.id);
    const other = { ref: 'forged', user_id: root.id, user: { id: root.id }, sudo: root.id };
    const refused = await server.api(`POST ${at()}/pipeline`, { token: developer.token, json: other });
    assert.equal(refused.status, 403, 'sudo is restricted to administrators');
    const asked = await server.must(`POST ${at()}/pipeline`, {
      token: developer.token,
      json: { ...other, sudo: undefined },
    });
    assert.equal(asked.user.id, developer.user.id);
  });

  it('CVE-2020-14144: users cannot install git hooks on the server', async () => {
    const { git } = server.running.services;
    const client = new GitClient();
    const url = withCredentials(server.url, `${owner.user.username}/forge`, owner.user.username, owner.token);
    await client.git('clone', '-q', url, '.');
    await client.commit({ 'hooks/post-receive': `#!/bin/sh\ntouch ${marker}\n` });
    await client.git('push', '-q', 'origin', 'HEAD:refs/heads/hooks');
    for (const path of ['git_hooks/post-receive', 'hooks/git/post-receive', 'custom_hooks']) {
      const answer = await asOwner(`PUT ${at()}/${path}`, { content: `touch ${marker}` });
      assert.ok(answer.status >= 400 && answer.status < 500, `${path}: ${answer.status}`);
    }
    const hooks = join(git.repository(project.id).path, 'hooks');
    assert.deepEqual(existsSync(hooks) ? readdirSync(hooks) : [], []);
    nothingRan();
  });

  it('CVE-2018-18925, CVE-2018-18926: session cookies are not used as file paths', async () => {
    const { data } = server.running.services.config;
    const files = () => readdirSync(data).sort();
    const before = files();
    for (const value of ['../../../etc/passwd', '..%2f..%2fhearth.db', '/etc/passwd', '%00', 'a'.repeat(4000)]) {
      for (const name of ['_hearth_session', '_gitlab_session', 'i_like_gogits', 'session']) {
        const answer = await page('/api/v4/user', { headers: { cookie: `${name}=${value}` } });
        assert.equal(answer.status, 401, value);
      }
    }
    assert.deepEqual(files(), before);
  });

  it('GHSA-9pp6-wq8c-3w2c, GHSA-m27m-h5gj-wwmg, GHSA-2grc-qr7q-6m36, GHSA-v9vm-r24h-6rqm: refs never become options', async () => {
    const names = [`--output=${marker}`, '--exec=x', '-x', '--upload-pack=x'];
    for (const name of names) {
      const named = encodeURIComponent(name);
      for (const [call, json] of [
        [`POST ${at()}/repository/branches`, { branch: name, ref: 'main' }],
        [`POST ${at()}/repository/tags`, { tag_name: name, ref: 'main' }],
        [`POST ${at()}/releases`, { tag_name: name, ref: 'main' }],
        [`POST ${at()}/repository/branches`, { branch: 'fine', ref: name }],
        [`POST ${at()}/merge_requests`, { source_branch: name, target_branch: 'main', title: 'x' }],
        [`GET ${at()}/repository/compare?from=${named}&to=main`, undefined],
        [`GET ${at()}/repository/commits/${named}/diff`, undefined],
        [`GET ${at()}/repository/files/README.md/blame?ref=${named}`, undefined],
        [`GET ${at()}/repository/merge_base?refs[]=${named}&refs[]=main`, undefined],
        [`GET ${at()}/search?scope=blobs&search=x&ref=${named}`, undefined],
      ] as const) {
        const { status, text } = await asOwner(call, json);
        assert.ok((status >= 400 && status < 500) || text === '[]', `${call} ${name}: ${status} ${text}`);
      }
    }
    nothingRan();
  });

  it('GHSA-qf6p-p7ww-cwr9: a rebase does not execute branch names', async () => {
    const branch = `exec=touch;x&&touch|y`;
    const actions = [{ action: 'create', file_path: 'rebased', content: 'x' }];
    await server.must(`POST ${at()}/repository/commits`, {
      token: owner.token,
      json: { branch, start_branch: 'main', commit_message: 'x', actions },
    });
    const request = { source_branch: branch, target_branch: 'main', title: 'x' };
    const made = await server.must(`POST ${at()}/merge_requests`, { token: owner.token, json: request });
    const rebased = await asOwner(`PUT ${at()}/merge_requests/${made.iid}/rebase`);
    assert.equal(rebased.status, 202, rebased.text);
    const client = new GitClient();
    const url = withCredentials(server.url, `${owner.user.username}/forge`, owner.user.username, owner.token);
    await client.git('clone', '-q', url, '.');
    const pushed = await client.run('push', 'origin', `HEAD:refs/heads/--exec=touch`);
    assert.notEqual(pushed.code, 0);
    nothingRan();
  });

  it('GHSA-p9f5-h3rx-j5qw: uploads of private projects require access, not just the URL', async () => {
    const stranger = await addPerson(server, 'stranger');
    const file = new FormData();
    file.set('file', new Blob(['a secret']), 'secret.txt');
    const sent = await server.must(`POST ${at()}/uploads`, { token: owner.token, body: file });
    for (const path of [`/api/v4${at()}${sent.url}`, sent.full_path]) {
      for (const token of [undefined, stranger.token]) {
        const headers = token === undefined ? {} : { 'private-token': token };
        const answer = await page(path, { headers });
        assert.doesNotMatch(await answer.text(), /a secret/);
        assert.notEqual(answer.status, 200, path);
      }
    }
  });

  it('GHSA-pwx3-qcgw-vh7h: neither GET requests nor other sites can change data', async () => {
    const signed = await signIn({ 'user[login]': 'root', 'user[password]': 'correct horse battery' });
    const cookie = signed.headers
      .getSetCookie()
      .map((one) => one.split(';')[0])
      .join('; ');
    assert.equal((await page('/api/v4/user', { headers: { cookie } })).status, 200);
    await page('/users/sign_out', { headers: { cookie } });
    assert.equal((await page('/api/v4/user', { headers: { cookie } })).status, 200, 'still signed in');
    for (const headers of [{ cookie }, { cookie, origin: 'https://evil.example' }] as const) {
      const answer = await page(`/api/v4${at()}/star`, { method: 'POST', headers });
      assert.ok(answer.status === 401 || answer.status === 403 || answer.status === 422, `${answer.status}`);
    }
    assert.equal((await server.must(`GET ${at()}`)).star_count, 0);
  });

  it('GHSA-w6j9-vw59-27wv: proxy headers do not authenticate', async () => {
    for (const name of ['x-webauth-user', 'x-forwarded-user', 'remote-user', 'x-remote-user', 'x-gitlab-user']) {
      assert.equal((await page('/api/v4/user', { headers: { [name]: 'root' } })).status, 401, name);
    }
  });

  it('GHSA-jq8v-rmf6-65jw, GHSA-6vxv-wg6j-5qwp, GHSA-26gq-grmh-6xm6, GHSA-xh32-cx6c-cp4v: files are never rendered as pages of this site', async () => {
    const evil = '<script>alert(document.cookie)</script>';
    const files = {
      'a.html': evil,
      'a.svg': `<svg xmlns="http://www.w3.org/2000/svg">${evil}</svg>`,
      'a.ipynb': JSON.stringify({ cells: [{ cell_type: 'markdown', source: [evil] }], nbformat: 4 }),
      'a.pdf': `%PDF-1.7\n${evil}`,
      'a.md': `\`\`\`mermaid\ngraph TD; A["${evil}"]\n\`\`\`\n${evil}\n[x](javascript:alert(1))\n`,
      'a.xhtml': `<html xmlns="http://www.w3.org/1999/xhtml">${evil}</html>`,
    };
    const actions = Object.entries(files).map(([file_path, content]) => ({ action: 'create', file_path, content }));
    const json = { branch: 'pages', start_branch: 'main', commit_message: 'x', actions };
    await server.must(`POST ${at()}/repository/commits`, { token: owner.token, json });
    for (const name of Object.keys(files)) {
      const raw = await asOwner(`GET ${at()}/repository/files/${name}/raw?ref=pages`);
      const type = raw.headers.get('content-type') ?? '';
      assert.match(type, /^(text\/plain|application\/octet-stream|image\/svg\+xml)/, name);
      if (type.startsWith('image/svg')) assert.match(raw.headers.get('content-security-policy') ?? '', /sandbox/);
      assert.equal(raw.headers.get('x-content-type-options'), 'nosniff');
      const headers = { 'private-token': owner.token };
      const shown = await (await page(`/${owner.user.username}/forge/-/blob/pages/${name}`, { headers })).text();
      assert.doesNotMatch(shown, /<script>alert|href="javascript:/i, name);
    }
    const text = await server.must('POST /markdown', { json: { text: files['a.md'], gfm: true } });
    assert.doesNotMatch(text.html, /<script|href="javascript:/i);
  });

  it('GHSA-2c6v-8r3v-gh6p, GHSA-5qhx-gwfj-6jqr: branch protection applies to every API', async () => {
    const reader = await server.must(`POST /users/${owner.user.id}/personal_access_tokens`, {
      json: { name: 'reader', scopes: ['read_api', 'read_repository'] },
    });
    const commit = { branch: 'main', commit_message: 'x', content: 'x' };
    const actions = [{ action: 'create', file_path: 'b', content: 'x' }];
    const tip = (await server.must(`GET ${at()}/repository/branches/main`)).commit.id;
    for (const token of [developer.token, reader.token]) {
      for (const [call, json] of [
        [`POST ${at()}/repository/files/b`, commit],
        [`POST ${at()}/repository/commits`, { branch: 'main', commit_message: 'x', actions }],
        [`POST ${at()}/repository/commits/pages/revert`, { branch: 'main' }],
        [`POST ${at()}/repository/commits/pages/cherry_pick`, { branch: 'main' }],
        [`DELETE ${at()}/repository/branches/main`, undefined],
      ] as const) {
        const { status, text } = await server.api(call, { token, ...(json === undefined ? {} : { json }) });
        assert.ok(status >= 400 && status < 500, `${call}: ${status} ${text}`);
      }
      const client = new GitClient();
      await client.git('clone', '-q', withCredentials(server.url, `${owner.user.username}/forge`, 'x', token), '.');
      await client.commit({ pushed: 'x\n' });
      assert.notEqual((await client.run('push', 'origin', 'HEAD:main')).code, 0);
    }
    assert.equal((await server.must(`GET ${at()}/repository/branches/main`)).commit.id, tip);
  });
});
