import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import ssh2 from 'ssh2';
import { Role } from '../../../src/access/roles.ts';
import type { Project } from '../../../src/access/tables.ts';
import { readSshCommand } from '../../../src/code/ssh/command.ts';
import { startSsh } from '../../../src/code/ssh/server.ts';
import { GitSessions } from '../../../src/code/transport/public.ts';
import { parseSshKey } from '../../../src/people/keys/public.ts';
import { codeDigest } from '../../../src/people/second-factor/recovery-codes.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { addMember, addPerson, addProject, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { sshKeyPair } from '../../support/ssh-keys.ts';
import { acceptTerms, dropTerms, enforceTerms } from '../../support/terms.ts';
import { until } from '../../support/until.ts';

const keys = mkdtempSync(join(tmpdir(), 'hearth-keys-'));
after(() => rmSync(keys, { recursive: true, force: true }));

/** The result of an SSH command. */
interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

forEachEngine((engine) => {
  let server: TestServer;
  let owner: Person;
  let project: Project;
  let key: ReturnType<typeof sshKeyPair>;
  let port: number;

  const addKey = async (text: string, columns: Record<string, unknown> = {}) => {
    const parsed = parseSshKey(text);
    assert.ok(parsed);
    const row = await server.db.write((trx) =>
      trx
        .insertInto('ssh_keys')
        .values({
          user_id: owner.user.id,
          title: 'laptop',
          key: parsed.text,
          fingerprint_md5: parsed.fingerprintMd5,
          fingerprint_sha256: parsed.fingerprintSha256,
          expires_at: null,
          last_used_at: null,
          created_at: Date.now(),
          ...columns,
        })
        .returning('id')
        .executeTakeFirstOrThrow(),
    );
    return row.id;
  };

  const gitClient = async (privateKey: string) => {
    const client = new GitClient();
    const file = join(keys, randomUUID());
    await writeFile(file, privateKey, { mode: 0o600 });
    const script = join(import.meta.dirname, '../../support/ssh-client.ts');
    Object.assign(client.env, {
      HEARTH_TEST_KEY: file,
      GIT_SSH_COMMAND: `'${process.execPath}' '${script}'`,
      GIT_SSH_VARIANT: 'ssh',
    });
    return client;
  };

  const connected = (privateKey: string, username = 'git', at = port, algorithms: ssh2.Algorithms = {}) =>
    new Promise<ssh2.Client>((resolve, reject) => {
      const client = new ssh2.Client();
      client.once('connect', () => client.setNoDelay(true));
      client.once('ready', () => resolve(client));
      client.once('error', reject);
      client.connect({ host: '127.0.0.1', port: at, username, privateKey, algorithms });
    });

  const exec = async (privateKey: string, command: string): Promise<Ran> => {
    const client = await connected(privateKey);
    const ran = await execOn(client, command);
    client.end();
    return ran;
  };

  const execOn = (client: ssh2.Client, command: string, input = '') =>
    new Promise<Ran>((resolve, reject) => {
      client.exec(command, (error, channel) => {
        if (error) return reject(error);
        let stdout = '';
        let stderr = '';
        let code: number | null = null;
        channel.on('data', (chunk: Buffer) => (stdout += chunk));
        channel.stderr.on('data', (chunk: Buffer) => (stderr += chunk));
        channel.on('exit', (exit: number | null) => (code = exit));
        channel.on('close', () => resolve({ code, stdout, stderr }));
        channel.end(input);
      });
    });

  before(async () => {
    server = await startTestServer(engine, ['--ssh-port', '0']);
    port = server.running.services.config.sshPort as number;
    owner = await addPerson(server, 'owner');
    project = await addProject(server, owner, 'shell');
    key = sshKeyPair();
    await addKey(key.public);
  });

  const url = (path = project.path) => `ssh://git@127.0.0.1:${port}/${owner.user.username}/${path}.git`;

  it('generates recovery codes after confirmation if two-factor authentication is enabled', async () => {
    const person = await addPerson(server, 'forgetful');
    const pair = sshKeyPair();
    await server.must(`POST /users/${person.user.id}/keys`, { json: { title: 'x', key: pair.public } });
    const answering = async (answer: string) => {
      const client = await connected(pair.private);
      const ran = await execOn(client, '2fa_recovery_codes', answer);
      client.end();
      return ran;
    };
    const digests = async () => {
      const found = server.db.read.selectFrom('recovery_codes').select('digest');
      return (await found.where('user_id', '=', person.user.id).execute()).map((row) => row.digest).sort();
    };
    const without = await answering('yes\n');
    assert.equal(without.code, 1);
    assert.match(without.stderr, /ERROR: Two-factor authentication is not enabled for your user account\./);
    assert.deepEqual(await digests(), []);
    await server.db.write((trx) =>
      trx.updateTable('users').set({ two_factor_enabled: 1 }).where('id', '=', person.user.id).execute(),
    );
    for (const answer of ['no\n', 'y', '', 'yes and more\n', 'x'.repeat(5000)]) {
      assert.match((await answering(answer)).stdout, /No recovery codes have been generated/);
      assert.deepEqual(await digests(), []);
    }
    const made = await answering('yes\n');
    assert.equal(made.code, 0, made.stderr);
    const codes = made.stdout.match(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/gm) ?? [];
    assert.deepEqual(codes.map(codeDigest).sort(), await digests());
    assert.equal(codes.length, 10);
    assert.match((await exec(pair.private, '2fa_recovery_codes now')).stderr, /Disallowed command/);
  });

  it('creates access tokens for the owner of the key', async () => {
    const person = await addPerson(server, 'scripted');
    const pair = sshKeyPair();
    await server.must(`POST /users/${person.user.id}/keys`, { json: { title: 'x', key: pair.public } });
    const tokens = async () => (await server.must(`GET /personal_access_tokens?user_id=${person.user.id}`)).length;
    const before = await tokens();
    const made = await exec(pair.private, "personal_access_token 'by key' read_api,read_user,read_api 7");
    assert.equal(made.code, 0, made.stderr);
    const [, token = '', day] =
      /^Token: {3}(\S+)\nScopes: {2}read_api,read_user\nExpires: (\S+)\n$/.exec(made.stdout) ?? [];
    const own = await server.must('GET /personal_access_tokens/self', { token });
    assert.deepEqual([own.name, own.user_id, own.expires_at], ['by key', person.user.id, day]);
    assert.equal((await server.api('POST /projects', { token, json: { name: 'no' } })).status, 403);
    const usual = await exec(pair.private, 'personal_access_token usual api');
    assert.match(usual.stdout, /^Scopes: {2}api$/m);
    assert.equal(await tokens(), before + 2);

    const refusals: [args: string, text: RegExp][] = [
      ['', /Usage: personal_access_token <name> <scope1\[,scope2,\.\.\.\]> \[ttl_days\]/],
      ['name', /Usage: /],
      ['name api 7 more', /Usage: /],
      ['name api,none', /Invalid scope: 'none'\. Valid scopes are: api, read_api, /],
      ['name ,', /Scopes can't be blank/],
      ['name api soon', /Invalid value for days_ttl: 'soon'/],
      ['name api 0', /Invalid value for days_ttl: '0'/],
      ['name api 4000', /Expiration date must be before \d{4}-/],
      [`${'n'.repeat(256)} api`, /Name is too long/],
      ["' ' api", /Name can't be blank/],
    ];
    for (const [args, text] of refusals) {
      const { code, stdout, stderr } = await exec(pair.private, `personal_access_token ${args}`);
      assert.deepEqual([code, stdout], [1, ''], args);
      assert.match(stderr, text);
    }
    const admin = sshKeyPair();
    await server.must('POST /user/keys', { json: { title: 'root', key: admin.public } });
    assert.match((await exec(admin.private, 'personal_access_token name sudo')).stderr, /Invalid scope: 'sudo'/);
    const deploy = sshKeyPair();
    await server.must(`POST /projects/${project.id}/deploy_keys`, { json: { title: 'd', key: deploy.public } });
    assert.match(
      (await exec(deploy.private, 'personal_access_token name api')).stderr,
      /Deploy keys cannot create access tokens/,
    );
    assert.equal(
      await server.db.read.selectFrom('access_tokens').select('id').where('name', '=', 'name').executeTakeFirst(),
      undefined,
    );
  });

  it('pushes, clones with every protocol version and archives with stock git', async () => {
    const client = await gitClient(key.private);
    await client.init();
    await client.commit({ 'a.txt': 'a\n' }, 'First');
    const options = ['ci.skip', 'mr.create', 'mr.target=absent'].flatMap((option) => ['-o', option]);
    const pushed = await client.run('push', ...options, url(), 'main');
    assert.equal(pushed.code, 0, pushed.stderr);
    assert.match(pushed.stderr, /remote: WARNINGS:\s*\nremote: .*: Target branch \S+:absent does not exist/);
    for (const version of ['0', '2']) {
      const other = await gitClient(key.private);
      await other.git('-c', `protocol.version=${version}`, 'clone', '-q', url(), 'copy');
    }
    const fetched = async () => (await server.must(`GET /projects/${project.id}/statistics`)).fetches.total as number;
    await until(async () => (await fetched()) >= 2);
    const archive = await client.run('archive', `--remote=${url()}`, '--format=tar', 'main');
    assert.equal(archive.code, 0, archive.stderr);
    assert.match(archive.stdout, /a\.txt/);
    await client.git('ls-remote', url());
    assert.equal(await fetched(), 2);
    const [event] = await server.must(`GET /projects/${project.id}/events?action=pushed`);
    assert.deepEqual([event.action_name, event.author_id, event.push_data.ref], ['pushed new', owner.user.id, 'main']);
    const { last_used_at } = await server.db.read
      .selectFrom('ssh_keys')
      .select('last_used_at')
      .where('user_id', '=', owner.user.id)
      .executeTakeFirstOrThrow();
    assert.notEqual(last_used_at, null);
  });

  it('accepts paths with or without slash and suffix and frames error messages', async () => {
    const path = `${owner.user.username}/${project.path}`;
    for (const spelling of [path, `/${path}`, `/${path}.git`]) {
      const { code, stdout } = await exec(key.private, `git-upload-pack '${spelling}'`);
      assert.match(stdout, /refs\/heads\/main/);
      assert.notEqual(code, null);
    }
    const missing = await exec(key.private, "git-upload-pack 'no/where.git'");
    assert.equal(missing.code, 1);
    assert.match(
      missing.stderr,
      /={72}\n.*\nremote: ERROR: The project you were looking for could not be found or you don't have permission to view it\./,
    );
  });

  it('finds a project by alias but does not create one for a single-segment path', async () => {
    const client = await gitClient(key.private);
    await client.init();
    await client.commit({ 'a.txt': 'aliased' }, 'first');
    const aliased = await addProject(server, owner, 'aliased');
    const at = (name: string) => `ssh://git@127.0.0.1:${port}/${name}.git`;
    const fails = (name: string) => assert.rejects(client.git('ls-remote', at(name)), /could not be found|not found/i);
    await fails('short');
    const json = { project_id: aliased.id, name: 'short' };
    for (const [token, status] of [
      [owner.token, 403],
      [null, 401],
    ] as const) {
      assert.equal((await server.api('POST /project_aliases', { token, json })).status, status);
      assert.equal((await server.api('GET /project_aliases', { token })).status, status);
    }
    const made = await server.must('POST /project_aliases', { json });
    assert.deepEqual(made, { id: made.id, project_id: aliased.id, name: 'short' });
    const twice = await server.api('POST /project_aliases', { json });
    assert.deepEqual([twice.status, twice.body], [400, { message: { name: ['has already been taken'] } }]);
    for (const name of ['a/b', '-x', 'x.git', 'x'.repeat(256), 'a b', '']) {
      assert.equal((await server.api('POST /project_aliases', { json: { ...json, name } })).status, 400, name);
    }
    assert.equal((await server.api('POST /project_aliases', { json: { project_id: 9999, name: 'x' } })).status, 404);
    await client.git('push', '-q', at('short'), 'main');
    assert.match(await client.git('ls-remote', at('short')), /refs\/heads\/main/);
    assert.deepEqual(await server.must('GET /project_aliases'), [made]);
    assert.deepEqual(await server.must('GET /project_aliases/short'), made);
    // Users without access to the project get no access by alias, and project IDs are not valid names.
    const stranger = await addPerson(server, 'stranger');
    const pair = sshKeyPair();
    await server.must(`POST /users/${stranger.user.id}/keys`, { json: { title: 'x', key: pair.public } });
    await assert.rejects((await gitClient(pair.private)).git('ls-remote', at('short')));
    await fails(`${aliased.id}`);
    await assert.rejects(client.git('push', '-q', at('unknown'), 'main'));
    assert.equal((await server.api('DELETE /project_aliases/short')).status, 204);
    assert.equal((await server.api('DELETE /project_aliases/short')).status, 404);
    await fails('short');
  });

  it('enforces IP restrictions of groups and the allowed protocol of the instance', async () => {
    const json = { name: 'Shells', path: 'shells' };
    const group = await server.must('POST /groups', { json });
    const inside = { name: 'inside', namespace_id: group.id, initialize_with_readme: true };
    const { id } = await server.must('POST /projects', { json: inside });
    await server.must(`POST /projects/${id}/members`, { json: { user_id: owner.user.id, access_level: 30 } });
    const fetching = () => exec(key.private, "git-upload-pack 'shells/inside.git'");
    assert.match((await fetching()).stdout, /refs\/heads\/main/);
    await server.must(`PUT /groups/${group.id}`, { json: { ip_restriction_ranges: '192.0.2.0/24' } });
    assert.match((await fetching()).stderr, /could not be found/);
    await server.must(`PUT /groups/${group.id}`, { json: { ip_restriction_ranges: '192.0.2.0/24,127.0.0.0/8' } });
    assert.match((await fetching()).stdout, /refs\/heads\/main/);
    await server.must('PUT /application/settings', { json: { enabled_git_access_protocol: 'http' } });
    assert.match((await fetching()).stderr, /Pulling over SSH is not allowed\./);
    await server.must('PUT /application/settings', { json: { enabled_git_access_protocol: null } });
    assert.match((await fetching()).stdout, /refs\/heads\/main/);
  });

  it('only runs git commands in session channels (CVE-2024-39930)', async () => {
    for (const command of ['ls -la', 'git-shell', "git-upload-pack 'a/b'; id", 'scp -t x', '']) {
      const { code, stderr } = await exec(key.private, command);
      assert.equal(code, 1, command);
      assert.match(stderr, /ERROR: Disallowed command/);
    }
    const client = await connected(key.private);
    const refused = (start: (done: (error: unknown) => void) => void) =>
      new Promise<boolean>((resolve) => start((error) => resolve(error instanceof Error)));
    assert.ok(await refused((done) => client.sftp((error) => done(error))));
    assert.ok(await refused((done) => client.forwardOut('127.0.0.1', 1, '127.0.0.1', 22, (error) => done(error))));
    assert.ok(await refused((done) => client.forwardIn('127.0.0.1', 0, (error) => done(error))));
    client.end();
  });

  it('greets shell sessions and closes them', async () => {
    const client = await connected(key.private);
    const text = await new Promise<string>((resolve, reject) => {
      client.shell(false, (error, channel) => {
        if (error) return reject(error);
        let all = '';
        channel.on('data', (chunk: Buffer) => (all += chunk));
        channel.on('close', () => resolve(all));
      });
    });
    client.end();
    assert.equal(text.trim(), `Welcome to GitLab, @${owner.user.username}!`);
  });

  it('offers only key exchanges it supports', async () => {
    const kex: ssh2.KexAlgorithm[] = ['diffie-hellman-group-exchange-sha256', 'ecdh-sha2-nistp256'];
    (await connected(key.private, 'git', port, { kex })).end();
  });

  it('presents a host key of a type known to the client', async () => {
    for (const kind of ['ssh-ed25519', 'ecdsa-sha2-nistp256'] as const) {
      (await connected(key.private, 'git', port, { serverHostKey: [kind] })).end();
    }
  });

  it('accepts only keys for authentication and only the user git', async () => {
    const signing = sshKeyPair();
    await addKey(signing.public, { usage_type: 'signing' });
    const expired = sshKeyPair();
    await addKey(expired.public, { expires_at: Date.now() - 1000 });
    const blocked = await addPerson(server, 'blocked', { columns: { state: 'blocked' } });
    const shut = sshKeyPair();
    await addKey(shut.public, { user_id: blocked.user.id });
    for (const each of [signing, expired, shut, sshKeyPair()]) {
      await assert.rejects(connected(each.private), /authentication methods failed/);
    }
    await assert.rejects(connected(key.private, 'root'), /authentication methods failed/);
  });

  it('checks the owner of the key again for each command on an open connection', async () => {
    const leaving = await addPerson(server, 'leaving');
    await addMember(server, project, leaving, Role.developer);
    const pair = sshKeyPair();
    await addKey(pair.public, { user_id: leaving.user.id });
    const client = await connected(pair.private);
    const ended = new Promise<void>((resolve) => client.once('close', () => resolve()));
    const command = `git-lfs-authenticate ${owner.user.username}/shell download`;
    assert.equal((await execOn(client, command)).code, 0);
    await server.must(`POST /users/${leaving.user.id}/block`);
    assert.equal((await execOn(client, command)).code, null);
    await ended;
  });

  it('rejects users who have not accepted the terms, also on an open connection', async () => {
    const person = await addPerson(server, 'unread');
    await addMember(server, project, person, Role.developer);
    const pair = sshKeyPair();
    await addKey(pair.public, { user_id: person.user.id });
    const deploy = sshKeyPair();
    await server.must(`POST /projects/${project.id}/deploy_keys`, { json: { title: 'terms', key: deploy.public } });
    const client = await connected(pair.private);
    const advertised = `git-upload-pack '${owner.user.username}/${project.path}.git'`;
    assert.equal((await execOn(client, advertised, '0000')).code, 0);
    await enforceTerms(server);
    try {
      const closed = new Promise<boolean>((resolve) => client.once('close', () => resolve(true)));
      client.exec(advertised, () => {});
      assert.ok(await closed);
      await assert.rejects(connected(pair.private), /authentication/);
      // Deploy keys are not subject to the terms.
      const machine = await connected(deploy.private);
      assert.equal((await execOn(machine, advertised, '0000')).code, 0);
      machine.end();
      await acceptTerms(server, person.user.id);
      const again = await connected(pair.private);
      assert.equal((await execOn(again, advertised, '0000')).code, 0);
      again.end();
    } finally {
      await dropTerms(server);
    }
  });

  it('limits deploy keys to their projects and respects write access', async () => {
    const deploy = sshKeyPair();
    const id = await addKey(deploy.public, { deploy: 1, title: 'robot' });
    const link = (can_push: number) =>
      server.db.write(async (trx) => {
        await trx.deleteFrom('deploy_key_projects').where('key_id', '=', id).execute();
        const row = { key_id: id, project_id: project.id, can_push, created_at: Date.now() };
        await trx.insertInto('deploy_key_projects').values(row).execute();
      });
    await link(0);
    const client = await gitClient(deploy.private);
    await client.git('clone', '-q', url(), '.');
    await client.commit({ b: '1' }, 'By a robot');
    const refused = await client.run('push', 'origin', 'HEAD:robot');
    assert.notEqual(refused.code, 0);
    assert.match(refused.stderr, /ERROR: This deploy key does not have write access to this project\./);
    await link(1);
    const pushed = await client.run('push', 'origin', 'HEAD:robot');
    assert.equal(pushed.code, 0, pushed.stderr);
    const [event] = await server.must(`GET /projects/${project.id}/events?action=pushed`);
    assert.deepEqual([event.push_data.ref, event.author_id], ['robot', owner.user.id]);
    const main = await client.run('push', 'origin', 'HEAD:main');
    assert.match(main.stderr, /GitLab: You are not allowed to push code to protected branches on this project\./);
    await addProject(server, owner, 'elsewhere');
    const other = await client.run('ls-remote', url('elsewhere'));
    assert.notEqual(other.code, 0);
  });

  it('lets a deploy key push to a protected branch only while its owner may (CVE-2023-5198)', async () => {
    const leaver = await addPerson(server, 'leaver');
    await addMember(server, project, leaver, Role.maintainer);
    const pair = sshKeyPair();
    const id = await addKey(pair.public, { deploy: 1, title: 'left behind', user_id: leaver.user.id });
    await server.db.write((trx) =>
      trx
        .insertInto('deploy_key_projects')
        .values({ key_id: id, project_id: project.id, can_push: 1, created_at: Date.now() })
        .execute(),
    );
    await server.must(`POST /projects/${project.id}/protected_branches`, {
      json: { name: 'kept', allowed_to_push: [{ deploy_key_id: id }] },
    });
    const client = await gitClient(pair.private);
    await client.git('clone', '-q', url(), '.');
    await client.commit({ kept: '1' }, 'While a member');
    const first = await client.run('push', 'origin', 'HEAD:kept');
    assert.equal(first.code, 0, first.stderr);
    await server.must(`DELETE /projects/${project.id}/members/${leaver.user.id}`);
    await client.commit({ kept: '2' }, 'No longer a member');
    const second = await client.run('push', 'origin', 'HEAD:kept');
    assert.match(second.stderr, /You are not allowed to push code to protected branches on this project\./);
  });

  it('issues LFS credentials', async () => {
    const path = `${owner.user.username}/${project.path}`;
    const { code, stdout } = await exec(key.private, `git-lfs-authenticate ${path}.git upload`);
    assert.equal(code, 0);
    const answer = JSON.parse(stdout);
    assert.equal(answer.href, `${server.url}/${path}.git/info/lfs`);
    assert.equal(answer.expires_in, 7200);
    const batch = await fetch(`${answer.href}/objects/batch`, {
      method: 'POST',
      headers: { ...answer.header, 'content-type': 'application/vnd.git-lfs+json' },
      body: JSON.stringify({ operation: 'upload', objects: [{ oid: '0'.repeat(64), size: 3 }] }),
    });
    assert.equal(batch.status, 200);
    const reporter = await addPerson(server, 'reporter');
    await addMember(server, project, reporter, Role.reporter);
    const theirs = sshKeyPair();
    await addKey(theirs.public, { user_id: reporter.user.id });
    assert.equal((await exec(theirs.private, `git-lfs-authenticate ${path} upload`)).code, 1);
    assert.equal((await exec(theirs.private, `git-lfs-authenticate ${path} download`)).code, 0);
  });

  it('stores its host key readable by the owner only', async () => {
    const { mode } = await stat(join(server.running.services.config.data, 'ssh-host-key'));
    assert.equal(mode & 0o777, 0o600);
  });

  it('closes stalled handshakes and connections above the limit per address (GHSA-xp79-5mx3-jx52)', async () => {
    const { services } = server.running;
    const sessions = new GitSessions(services);
    const place = { port: 0, host: '127.0.0.1' };
    const ended = (socket: ReturnType<typeof connect>) =>
      new Promise<void>((resolve) => {
        socket.on('error', () => {});
        socket.on('close', () => resolve());
        socket.resume();
      });
    const hasty = await startSsh(services, sessions, place, { handshakeMs: 50, perAddress: 9, total: 9 });
    await ended(connect(hasty.port, '127.0.0.1'));
    await hasty.close(0);
    const narrow = await startSsh(services, sessions, place, { handshakeMs: 60_000, perAddress: 1, total: 9 });
    const first = await connected(key.private, 'git', narrow.port);
    await ended(connect(narrow.port, '127.0.0.1'));
    first.end();
    await narrow.close(0);
  });
});

describe('readSshCommand', () => {
  const table: [string, ReturnType<typeof readSshCommand>][] = [
    ["git-upload-pack 'a/b.git'", { kind: 'fetch', path: 'a/b' }],
    ["git-receive-pack '/a/b/c'", { kind: 'push', path: 'a/b/c' }],
    ["git-upload-archive 'a/b'", { kind: 'archive', path: 'a/b' }],
    ['git upload-pack "a/b.git"', { kind: 'fetch', path: 'a/b' }],
    ['git-upload-pack a/b.git', { kind: 'fetch', path: 'a/b' }],
    ['git-lfs-authenticate a/b.git download', { kind: 'lfs', path: 'a/b', operation: 'download' }],
    ['git-lfs-authenticate a/b.git upload 0123', { kind: 'lfs', path: 'a/b', operation: 'upload' }],
    ['git-lfs-authenticate a/b.git delete', undefined],
    [
      "personal_access_token 'my token' api,read_user 7",
      { kind: 'access-token', args: ['my token', 'api,read_user', '7'] },
    ],
    ['personal_access_token', { kind: 'access-token', args: [] }],
    ['personal_access_token x api;id', undefined],
    ["git-upload-pack '--upload-pack=id' 'a/b'", undefined],
    ["git-upload-pack '~/a/b'", undefined],
    ["git-upload-pack 'a.git'", { kind: 'fetch', path: 'a' }],
    ["git-upload-pack '--a'", undefined],
    ["git-upload-pack 'a/b' ; id", undefined],
    ["git-upload-pack 'a/b'`id`", undefined],
    ['git-upload-pack $(id)/b', undefined],
    ["git-upload-pack 'a/\u0000b'", undefined],
    ["git-upload-pack 'a/b\n'", undefined],
    ['constructor a/b', undefined],
    ['', undefined],
  ];
  for (const [line, command] of table) it(JSON.stringify(line), () => assert.deepEqual(readSshCommand(line), command));
});
