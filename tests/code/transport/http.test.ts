import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { moveProjectAddress } from '../../../src/access/namespaces/addresses.ts';
import { Role } from '../../../src/access/roles.ts';
import type { Project } from '../../../src/access/tables.ts';
import { digest } from '../../../src/platform/secrets/tokens.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient, withCredentials } from '../../support/git-client.ts';
import { addMember, addPerson, addProject, addToken, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';

const denied = /^HTTP Basic: Access denied\./;
const missing = "The project you were looking for could not be found or you don't have permission to view it.\n";

function basic(username: string, password: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}

forEachEngine((engine) => {
  let server: TestServer;
  let owner: Person;
  let hidden: Project;
  let open: Project;

  const pathOf = (project: Project) => `${owner.user.username}/${project.path}`;
  const remote = (project: Project, token = owner.token) => withCredentials(server.url, pathOf(project), 'any', token);
  const refs = (project: Project, service: string, headers: Record<string, string> = {}) =>
    fetch(`${server.url}/${pathOf(project)}.git/info/refs?service=${service}`, { headers, redirect: 'manual' });

  before(async () => {
    server = await startTestServer(engine);
    owner = await addPerson(server, 'owner');
    hidden = await addProject(server, owner, 'hidden');
    open = await addProject(server, owner, 'open', 'public');
    const client = new GitClient();
    await client.init();
    await client.commit({ 'README.md': '# hello\n', 'src/a.txt': 'a\n' }, 'First');
    await client.git('push', '-q', remote(hidden), 'main');
    await client.git('push', '-q', remote(open), 'main');
  });

  it('clones with every protocol version, shallow and partial', async () => {
    for (const version of ['0', '1', '2']) {
      const client = new GitClient();
      await client.git('-c', `protocol.version=${version}`, 'clone', '-q', remote(hidden), '.');
      assert.equal(await client.git('log', '--format=%s'), 'First');
    }
    const shallow = new GitClient();
    await shallow.git('clone', '-q', '--depth=1', remote(hidden), '.');
    const partial = new GitClient();
    await partial.git('clone', '-q', '--filter=blob:none', remote(hidden), '.');
    assert.equal(await partial.git('show', 'HEAD:src/a.txt'), 'a');
    const tip = await shallow.git('rev-parse', 'HEAD');
    const bySha = new GitClient();
    await bySha.init();
    await bySha.git('fetch', '-q', remote(hidden), tip);
  });

  it('counts each fetch once and no other request', async () => {
    const project = await addProject(server, owner, 'counted');
    const total = async () =>
      (await server.must(`GET /projects/${project.id}/statistics`, { token: owner.token })).fetches.total as number;
    const counted = async (expected: number) => {
      await until(async () => (await total()) >= expected);
      assert.equal(await total(), expected);
    };
    const source = new GitClient();
    await source.init();
    await source.commit({ a: 'a' }, 'First');
    await source.git('push', '-q', remote(project), 'main');
    await source.git('ls-remote', remote(project));
    const clients: GitClient[] = [];
    for (const version of ['0', '1', '2']) {
      const client = new GitClient();
      clients.push(client);
      await client.git('-c', `protocol.version=${version}`, 'clone', '-q', remote(project), '.');
      await counted(clients.length);
      // Nothing new: the client only lists the refs.
      await client.git('-c', `protocol.version=${version}`, 'fetch', '-q');
    }
    // Commits unknown to the server lead to several rounds of negotiation.
    const lonely = new GitClient();
    await lonely.init();
    for (let i = 0; i < 40; i++) await lonely.git('commit', '-q', '--allow-empty', '-m', `Mine ${i}`);
    for (const client of clients) await client.git('fetch', '-q', lonely.folder, 'main:mine');
    await source.commit({ a: 'b' }, 'Second');
    await source.git('push', '-q', remote(project), 'main');
    for (const [i, client] of clients.entries()) {
      await client.git('-c', `protocol.version=${i}`, 'fetch', '-q');
      await counted(4 + i);
    }
    await Promise.all(clients.map(() => new GitClient().git('clone', '-q', remote(project), '.')));
    await counted(9);
    assert.equal((await new GitClient().run('clone', remote(project, 'wrong'), '.')).code, 128);
    assert.equal(await total(), 9);
  });

  it('allows anonymous fetches of public projects and requires credentials otherwise', async () => {
    const client = new GitClient();
    await client.git('clone', '-q', `${server.url}/${pathOf(open)}.git`, '.');
    for (const [project, service] of [
      [hidden, 'git-upload-pack'],
      [hidden, 'git-receive-pack'],
      [open, 'git-receive-pack'],
      [{ ...open, path: 'none' }, 'git-upload-pack'],
      [{ ...open, path: 'none' }, 'git-receive-pack'],
    ] as const) {
      const answer = await refs(project, service);
      assert.equal(answer.status, 401);
      assert.equal(answer.headers.get('www-authenticate'), 'Basic realm="GitLab"');
      assert.match(answer.headers.get('content-type') ?? '', /^text\/plain/);
      assert.match(await answer.text(), denied);
    }
  });

  it('rejects wrong, expired and revoked credentials even for public projects', async () => {
    const expired = await addToken(server, owner.user, ['api'], Date.now() - 1000);
    const revoked = await addToken(server, owner.user, ['api']);
    await server.db.write((trx) =>
      trx.updateTable('access_tokens').set({ revoked: 1 }).where('digest', '=', digest(revoked)).execute(),
    );
    for (const token of ['glpat-nonsense', expired, revoked]) {
      for (const name of ['any', 'gitlab-ci-token']) {
        assert.equal((await refs(open, 'git-upload-pack', basic(name, token))).status, 401);
      }
    }
    assert.equal((await refs(open, 'git-upload-pack', { authorization: 'Digest x' })).status, 401);
  });

  it('accepts a token as password with any user name, as bearer and in its own header', async () => {
    for (const headers of [
      basic('oauth2', owner.token),
      basic('', owner.token),
      // As sent by semantic-release and Renovate.
      basic('gitlab-ci-token', owner.token),
      { authorization: `Bearer ${owner.token}` },
      { 'private-token': owner.token },
    ]) {
      const answer = await refs(hidden, 'git-upload-pack', headers as Record<string, string>);
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('content-type'), 'application/x-git-upload-pack-advertisement');
      assert.match(answer.headers.get('cache-control') ?? '', /no-cache/);
      assert.ok((await answer.text()).startsWith('001e# service=git-upload-pack\n0000'));
    }
  });

  it('accepts an account password by user name or e-mail unless two-factor authentication is enabled', async () => {
    const password_digest = await server.running.services.passwords.hash('long enough 4 you');
    const { user } = await addPerson(server, 'pat', { columns: { password_digest } });
    await addMember(server, hidden, { user, token: '' }, Role.reporter);
    const status = async (login: string, password = 'long enough 4 you') =>
      (await refs(hidden, 'git-upload-pack', basic(login, password))).status;
    assert.equal(await status(user.username), 200);
    assert.equal(await status(user.email.toUpperCase()), 200);
    assert.equal(await status(user.username, 'not this one'), 401);
    assert.equal(await status(owner.user.username), 401);
    assert.equal(await status('gitlab-ci-token'), 401);
    await server.db.write((trx) =>
      trx.updateTable('users').set({ two_factor_enabled: 1 }).where('id', '=', user.id).execute(),
    );
    assert.equal(await status(user.username), 401);
  });

  it('records the use of a token', async () => {
    const token = await addToken(server, owner.user, ['read_repository']);
    await refs(hidden, 'git-upload-pack', basic('any', token));
    let used: number | null = null;
    while (used === null) {
      const row = await server.db.read
        .selectFrom('access_tokens')
        .select(['last_used_at', 'last_used_ips'])
        .where('user_id', '=', owner.user.id)
        .where('scopes', '=', '["read_repository"]')
        .executeTakeFirstOrThrow();
      used = row.last_used_at;
    }
  });

  it('hides projects without read access and reports missing permissions otherwise', async () => {
    const outsider = await addPerson(server, 'outsider');
    const guest = await addPerson(server, 'guest');
    const reporter = await addPerson(server, 'reporter');
    await addMember(server, hidden, guest, Role.guest);
    await addMember(server, hidden, reporter, Role.reporter);
    const cases: [Person, Project, string, number, string][] = [
      [outsider, hidden, 'git-upload-pack', 404, missing],
      [outsider, { ...hidden, path: 'none' }, 'git-upload-pack', 404, missing],
      [outsider, hidden, 'git-receive-pack', 404, missing],
      [outsider, open, 'git-receive-pack', 403, 'You are not allowed to push code to this project.\n'],
      [guest, hidden, 'git-upload-pack', 403, 'You are not allowed to download code from this project.\n'],
      [reporter, hidden, 'git-receive-pack', 403, 'You are not allowed to push code to this project.\n'],
    ];
    for (const [person, project, service, status, text] of cases) {
      const answer = await refs(project, service, basic('x', person.token));
      assert.deepEqual([answer.status, await answer.text()], [status, text]);
    }
    assert.equal((await refs(hidden, 'git-upload-pack', basic('x', reporter.token))).status, 200);
  });

  it('checks the scopes of tokens', async () => {
    const reading = await addToken(server, owner.user, ['read_repository']);
    const writing = await addToken(server, owner.user, ['write_repository']);
    const other = await addToken(server, owner.user, ['read_user']);
    assert.equal((await refs(hidden, 'git-upload-pack', basic('x', reading))).status, 200);
    assert.equal((await refs(hidden, 'git-receive-pack', basic('x', writing))).status, 200);
    const down = await refs(hidden, 'git-upload-pack', basic('x', other));
    assert.deepEqual([down.status, await down.text()], [403, 'You are not allowed to download code.\n']);
    const up = await refs(hidden, 'git-receive-pack', basic('x', reading));
    assert.deepEqual([up.status, await up.text()], [403, 'You are not allowed to upload code.\n']);
  });

  it('rejects blocked users and pushes to archived projects', async () => {
    const blocked = await addPerson(server, 'blocked', { columns: { state: 'blocked' } });
    const answer = await refs(open, 'git-upload-pack', basic('x', blocked.token));
    assert.deepEqual([answer.status, await answer.text()], [403, 'Your account has been blocked.\n']);
    const shelved = await addProject(server, owner, 'shelved');
    await server.db.write((trx) =>
      trx.updateTable('projects').set({ archived: 1 }).where('id', '=', shelved.id).execute(),
    );
    const push = await refs(shelved, 'git-receive-pack', basic('x', owner.token));
    assert.deepEqual([push.status, await push.text()], [403, "You can't push code to an archived project.\n"]);
    assert.equal((await refs(shelved, 'git-upload-pack', basic('x', owner.token))).status, 200);
  });

  it('supports only the smart protocol on URLs with .git', async () => {
    const address = `${server.url}/${pathOf(open)}`;
    const allowed = "The command you're trying to execute is not allowed.\n";
    for (const query of ['', '?service=git-upload-archive', '?service=']) {
      const answer = await fetch(`${address}.git/info/refs${query}`);
      assert.deepEqual([answer.status, await answer.text()], [403, allowed]);
    }
    const head = await fetch(`${address}.git/info/refs?service=git-upload-pack`, { method: 'HEAD' });
    assert.equal(head.status, 403);
    const moved = await fetch(`${address}/info/refs?service=git-upload-pack&x=1`, { redirect: 'manual' });
    assert.equal(moved.status, 301);
    const location = new URL(moved.headers.get('location') ?? '', server.url);
    assert.equal(location.href, `${address}.git/info/refs?service=git-upload-pack&x=1`);
    const away = await fetch(`${server.url}//evil.example/x/info/refs?service=git-upload-pack`, { redirect: 'manual' });
    assert.equal(away.headers.get('location'), '/evil.example/x.git/info/refs?service=git-upload-pack');
    assert.equal((await fetch(`${address}.git/HEAD`)).status, 404);
    const client = new GitClient();
    await client.git('clone', '-q', address, '.');
  });

  it('serves go-import metadata', async () => {
    const host = server.url.replace('http://', '');
    const told = async (path: string, headers: Record<string, string> = {}) => {
      const answer = await fetch(`${server.url}/${path}?go-get=1`, { headers });
      assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8');
      return /<meta name="go-import" content="([^"]+)">/.exec(await answer.text())?.[1];
    };
    const at = (path: string) => `${host}/${path} git ${server.url}/${path}.git`;
    assert.equal(await told(pathOf(open)), at(pathOf(open)));
    assert.equal(await told(`${pathOf(open)}/inner/package`), at(pathOf(open)));
    assert.equal(await told('no/such/project'), at('no/such'));
    const inner = await addNestedProject();
    assert.equal(await told(`${inner}/v2`, basic('x', owner.token)), at(inner));
    assert.equal(await told(`${inner}/v2`), at(inner.split('/').slice(0, 2).join('/')));
    assert.equal((await fetch(`${server.url}/a/b?go-get=1`, { headers: basic('x', 'wrong') })).status, 401);
  });

  async function addNestedProject(): Promise<string> {
    const outer = await server.must('POST /groups', { token: owner.token, json: { name: 'Outer', path: 'outer' } });
    const json = { name: 'Inner', path: 'inner', parent_id: outer.id };
    const group = await server.must('POST /groups', { token: owner.token, json });
    const project = { name: 'mod', namespace_id: group.id };
    return (await server.must('POST /projects', { token: owner.token, json: project })).path_with_namespace;
  }

  it('serves the former path of a project and notifies on push', async () => {
    const moving = await addProject(server, owner, 'before');
    const client = new GitClient();
    await client.init();
    await client.commit({ a: '1' });
    await client.git('push', '-q', remote(moving), 'main');
    await server.db.write(async (trx) => {
      await moveProjectAddress(trx, pathOf(moving), `${owner.user.username}/after`, moving.id);
      await trx.updateTable('projects').set({ path: 'after', name: 'after' }).where('id', '=', moving.id).execute();
    });
    await client.git('fetch', '-q', remote(moving));
    await client.commit({ a: '2' });
    const { code, stderr } = await client.run('push', remote(moving), 'main');
    assert.equal(code, 0);
    assert.match(stderr, /remote: Project '.*\/before' was moved to '.*\/after'\./);
    assert.match(stderr, new RegExp(`git remote set-url origin ${server.url}/.*/after\\.git`));
  });

  it('creates a private project on push to an own namespace only', async () => {
    const client = new GitClient();
    await client.init();
    await client.commit({ a: '1' });
    const url = withCredentials(server.url, `${owner.user.username}/by-push`, 'x', owner.token);
    const { code, stderr } = await client.run('push', url, 'main');
    assert.equal(code, 0, stderr);
    assert.match(stderr, /The private project .*\/by-push was successfully created\./);
    const project = await server.must(`GET /projects/${encodeURIComponent(`${owner.user.username}/by-push`)}`);
    assert.deepEqual([project.visibility, project.empty_repo, project.default_branch], ['private', false, 'main']);

    const other = await addPerson(server, 'other');
    const theirs = withCredentials(server.url, `${other.user.username}/by-push`, 'x', owner.token);
    assert.notEqual((await client.run('push', theirs, 'main')).code, 0);
    // A push to the wiki of a missing project does not create a project.
    const wiki = withCredentials(server.url, `${owner.user.username}/not-made.wiki`, 'x', owner.token);
    assert.notEqual((await client.run('push', wiki, 'main')).code, 0);
    const bad = withCredentials(server.url, `${owner.user.username}/tree`, 'x', owner.token);
    const refused = await client.run('push', bad, 'main');
    assert.notEqual(refused.code, 0);
    const fetched = await refs({ ...open, path: 'not-there' }, 'git-upload-pack', basic('x', owner.token));
    assert.equal(fetched.status, 404);
  });

  it('accepts large packed and compressed pushes', async () => {
    const client = new GitClient();
    await client.init();
    const noise = Buffer.from(Array.from({ length: 3_000_000 }, (_, i) => (i * 2654435761) >>> 24));
    await client.commit({ big: noise, text: 'x\n'.repeat(100_000) }, 'Big');
    await client.git('push', '-q', remote(await addProject(server, owner, 'big')), 'main');
    const other = new GitClient();
    await other.git('clone', '-q', withCredentials(server.url, `${owner.user.username}/big`, 'x', owner.token), '.');
    assert.equal(await other.git('rev-parse', 'HEAD'), await client.git('rev-parse', 'HEAD'));
  });

  it('handles the probe request before a large push, and malformed requests', async () => {
    const post = (service: string, body: Uint8Array | string, headers: Record<string, string> = {}) =>
      fetch(`${server.url}/${pathOf(hidden)}.git/${service}`, {
        method: 'POST',
        body: body as never,
        headers: { ...basic('x', owner.token), 'content-type': `application/x-${service}-request`, ...headers },
      });
    assert.equal((await post('git-receive-pack', '0000')).status, 200);
    assert.equal((await post('git-upload-pack', gzipSync('0000'), { 'content-encoding': 'gzip' })).status, 200);
    assert.equal((await post('git-upload-pack', 'nonsense')).status >= 400, true);
    assert.equal((await post('git-upload-pack', '0000', { 'content-encoding': 'br' })).status, 422);
    assert.equal((await post('git-receive-pack', '0000', { authorization: 'Basic eDp5' })).status, 401);
    const gone = await post('git-upload-pack', 'not gzip at all', { 'content-encoding': 'gzip' }).catch(
      () => undefined,
    );
    assert.ok(gone === undefined || gone.status >= 400);
  });

  it('answers Expect: 100-continue', async () => {
    const answered = await new Promise<[boolean, number | undefined]>((resolve, reject) => {
      let continued = false;
      const request = httpRequest(`${server.url}/${pathOf(hidden)}.git/git-receive-pack`, {
        method: 'POST',
        headers: { ...basic('x', owner.token), expect: '100-continue', 'content-length': 4 },
      });
      request.on('continue', () => {
        continued = true;
        request.end('0000');
      });
      request.on('response', (response) => {
        response.resume();
        resolve([continued, response.statusCode]);
      });
      request.on('error', reject);
      request.flushHeaders();
    });
    assert.deepEqual(answered, [true, 200]);
  });

  it('shows a merge request link for a new branch', async () => {
    const client = new GitClient();
    await client.git('clone', '-q', remote(hidden), '.');
    await client.git('checkout', '-q', '-b', 'topic/ä b'.replace(' ', '-'));
    await client.commit({ topic: '1' });
    const { stderr } = await client.run('push', 'origin', 'HEAD');
    assert.match(stderr, /remote: To create a merge request for topic\/ä-b, visit:/);
    assert.match(stderr, /\/-\/merge_requests\/new\?merge_request%5Bsource_branch%5D=topic%2F%C3%A4-b/);
    const show = (wanted: boolean) =>
      server.must(`PUT /projects/${hidden.id}`, { json: { printing_merge_request_link_enabled: wanted } });
    await show(false);
    await client.commit({ topic: '2' });
    const silent = await client.run('push', 'origin', 'HEAD');
    assert.doesNotMatch(silent.stderr, /merge request/);
    await show(true);
  });

  it('recreates a repository missing after a crash', async () => {
    const torn = await addProject(server, owner, 'torn');
    const { path } = server.running.services.git.repository(torn.id);
    await rename(path, `${path}.away`);
    assert.equal((await refs(torn, 'git-upload-pack', basic('x', owner.token))).status, 200);
    assert.ok(existsSync(path));
  });

  it('respects the protocol, password and push size settings of the instance', async () => {
    const set = (json: object) => server.must('PUT /application/settings', { json });
    const fetching = async (headers = basic('x', owner.token)) => {
      const answer = await refs(hidden, 'git-upload-pack', headers);
      return [answer.status, await answer.text()] as const;
    };
    await set({ enabled_git_access_protocol: 'ssh' });
    assert.deepEqual(await fetching(), [403, 'Pulling over HTTP is not allowed.\n']);
    await set({ enabled_git_access_protocol: null });
    assert.equal((await fetching())[0], 200);

    const password = 'correct horse battery';
    const password_digest = await server.running.services.passwords.hash(password);
    await server.db.write((trx) =>
      trx.updateTable('users').set({ password_digest }).where('id', '=', owner.user.id).execute(),
    );
    const byPassword = basic(owner.user.username, password);
    assert.equal((await fetching(byPassword))[0], 200);
    await set({ password_authentication_enabled_for_git: false });
    assert.equal((await fetching(byPassword))[0], 401);
    assert.equal((await fetching())[0], 200, 'tokens are not affected');
    await set({ password_authentication_enabled_for_git: true });

    await set({ receive_max_input_size: 1 });
    const client = new GitClient();
    await client.init();
    await client.commit({ 'big.bin': randomBytes(1_200_000).toString('base64') }, 'Big');
    const project = await addProject(server, owner, 'measured');
    const refused = await client.run('push', remote(project), 'main');
    assert.notEqual(refused.code, 0);
    await set({ receive_max_input_size: null });
    await client.git('push', '-q', remote(project), 'main');
  });

  it('limits sessions per repository and failed sign-ins', async () => {
    const narrow = await startTestServer(engine, ['--git-sign-in-rate', '3/1m', '--git-rate', '5/1m']);
    const person = await addPerson(narrow, 'hurried');
    const project = await addProject(narrow, person, 'p');
    const ask = (headers: Record<string, string>) =>
      fetch(`${narrow.url}/${person.user.username}/${project.path}.git/info/refs?service=git-upload-pack`, { headers });
    const wrong: number[] = [];
    for (let i = 0; i < 4; i++) wrong.push((await ask(basic('x', 'wrong'))).status);
    assert.deepEqual(wrong, [401, 401, 401, 429]);
    const right: number[] = [];
    for (let i = 0; i < 6; i++) right.push((await ask(basic('x', person.token))).status);
    assert.deepEqual(right, [200, 200, 200, 200, 200, 429]);
  });
});

describe('routeGitUrl', async () => {
  const { routeGitUrl } = await import('../../../src/code/transport/public.ts');
  const table: [string, string][] = [
    ['/a/b.git/info/refs?service=git-upload-pack', '/-/git/a%2Fb/info/refs?service=git-upload-pack'],
    ['/a/b/c/d.git/git-receive-pack', '/-/git/a%2Fb%2Fc%2Fd/git-receive-pack'],
    ['/a/b/info/refs?service=git-upload-pack', '/-/git/a%2Fb/without-suffix?service=git-upload-pack'],
    ['/a/b/info/refs?x=1', '/a/b/info/refs?x=1'],
    ['/a.git/info/refs', '/a.git/info/refs'],
    ['/a/%2e%2e%2fb.git/info/refs', '/-/git/a%2F..%2Fb/info/refs'],
    ['/a.wiki.git/info/refs', '/-/git/a.wiki/info/refs'],
    ['/a/b%00.git/info/refs', '/a/b%00.git/info/refs'],
    ['/a/b%zz.git/info/refs', '/a/b%zz.git/info/refs'],
    ['/api/v4/projects/a%2Fb.git/info/refs', '/api/v4/projects/a%2Fb.git/info/refs'],
    ['/-/health?x=.git/', '/-/health?x=.git/'],
    ['/a/b/c?go-get=1', '/-/git/a%2Fb%2Fc/go-import'],
    ['/a?go-get=1', '/a?go-get=1'],
    ['/a/b?x=1&go-get=1', '/a/b?x=1&go-get=1'],
    ['/a/b%22%3E?go-get=1', '/a/b%22%3E?go-get=1'],
    ['/api/v4/projects/1?go-get=1', '/api/v4/projects/1?go-get=1'],
  ];
  for (const [url, routed] of table) it(url, () => assert.equal(routeGitUrl(url), routed));
});
