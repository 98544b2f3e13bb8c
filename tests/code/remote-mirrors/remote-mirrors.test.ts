import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { before, describe, it } from 'node:test';
import { Role } from '../../../src/access/roles.ts';
import type { Project } from '../../../src/access/tables.ts';
import { storeLfsObject } from '../../../src/code/lfs/public.ts';
import { startSsh } from '../../../src/code/ssh/server.ts';
import { GitSessions } from '../../../src/code/transport/public.ts';
import { armFault } from '../../../src/platform/faults.ts';
import { sshString } from '../../../src/platform/git/signatures/ssh-wire.ts';
import { atEnd } from '../../support/at-end.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient, withCredentials } from '../../support/git-client.ts';
import { type BareRepository, startBareRepository } from '../../support/git-http-backend.ts';
import { addFilledProject } from '../../support/git-project.ts';
import { addMember, addPerson, addProject, type Person } from '../../support/scene.ts';
import { type Answer, type Sending, startTestServer, type TestServer } from '../../support/server.ts';
import { missing } from '../../support/tools.ts';
import { until } from '../../support/until.ts';

forEachEngine((engine) => {
  let server: TestServer;
  let owner: Person;
  let client: GitClient;
  let count = 0;

  before(async () => {
    server = await startTestServer(engine, ['--allow-local-egress']);
    owner = await addPerson(server, 'owner');
    client = new GitClient();
    await client.init();
    await client.commit({ 'a.txt': 'one' }, 'first');
    await client.git('branch', 'feature/x');
    await client.git('tag', 'v1');
    await client.git('tag', '-a', 'v2', '-m', 'annotated');
  });

  const source = () => addFilledProject(server, owner, `source-${++count}`, client);
  const as = (call: string, sending: Sending = {}) => server.api(call, { token: owner.token, ...sending });
  const addMirror = async (project: Project, json: Record<string, unknown>): Promise<Answer['body']> => {
    const { status, body } = await as(`POST /projects/${project.id}/remote_mirrors`, {
      json: { enabled: true, ...json },
    });
    assert.equal(status, 201, JSON.stringify(body));
    return body;
  };
  const show = async (project: Project, id: number) =>
    (await as(`GET /projects/${project.id}/remote_mirrors/${id}`)).body as Answer['body'];
  /** Triggers a run and waits for its end. */
  const synced = async (project: Project, id: number) => {
    const { last_update_started_at: before } = await show(project, id);
    assert.equal((await as(`POST /projects/${project.id}/remote_mirrors/${id}/sync`)).status, 204);
    await until(async () => {
      const { last_update_started_at, update_status } = await show(project, id);
      return last_update_started_at !== before && update_status !== 'started';
    });
    return show(project, id);
  };
  const refsHere = async (project: Project) => {
    const { git } = server.running.services;
    const repo = git.repository(project.id);
    const refs = [...(await git.listRefs(repo, 'refs/heads/')), ...(await git.listRefs(repo, 'refs/tags/'))];
    return Object.fromEntries(refs.map(({ name, oid }) => [name, oid]));
  };

  describe('remote mirrors API', () => {
    let project: Project;
    const base = () => `/projects/${project.id}/remote_mirrors`;
    before(async () => {
      project = await source();
    });

    it('creates, shows, updates and deletes a mirror without exposing secrets', async () => {
      const made = await as(`POST ${base()}`, {
        json: { url: 'https://josephine:s3cret-word@127.0.0.1:9999/copy.git' },
      });
      assert.equal(made.status, 201);
      const { id, ...fields } = made.body;
      assert.deepEqual(fields, {
        enabled: false,
        url: 'https://*****:*****@127.0.0.1:9999/copy.git',
        update_status: 'none',
        last_update_at: null,
        last_update_started_at: null,
        last_successful_update_at: null,
        last_error: null,
        only_protected_branches: false,
        keep_divergent_refs: false,
        auth_method: 'password',
        host_keys: [],
        mirror_branch_regex: null,
      });
      assert.deepEqual((await as(`GET ${base()}/${id}`)).body, made.body);
      assert.deepEqual((await as(`GET ${base()}`)).body, [made.body]);
      const changed = await as(`PUT ${base()}/${id}`, {
        json: { only_protected_branches: true, keep_divergent_refs: true, url: 'https://example.com/other.git' },
      });
      assert.equal(changed.status, 200);
      assert.deepEqual(changed.body, { ...made.body, only_protected_branches: true, keep_divergent_refs: true });
      const regex = await as(`PUT ${base()}/${id}`, { json: { mirror_branch_regex: '^release/' } });
      assert.equal(regex.body.mirror_branch_regex, '^release/');
      assert.equal(regex.body.only_protected_branches, false);
      const rows = await server.db.read.selectFrom('remote_mirrors').selectAll().execute();
      assert.doesNotMatch(JSON.stringify(rows), /s3cret-word|josephine/);
      assert.equal((await as(`DELETE ${base()}/${id}`)).status, 204);
      assert.equal((await as(`GET ${base()}/${id}`)).status, 404);
      assert.equal((await as(`DELETE ${base()}/${id}`)).status, 404);
    });

    it('rejects invalid targets', async () => {
      const table: [Record<string, unknown>, unknown][] = [
        [{}, { error: 'url is missing' }],
        [{ url: '' }, { message: { url: ["can't be blank"] } }],
        ...['file:///etc/passwd', 'ext::sh -c id', 'ftp://example.com/x', 'gopher://127.0.0.1/'].map(
          (url): [Record<string, unknown>, unknown] => [{ url }, undefined],
        ),
        [
          { url: 'file:///srv/x.git' },
          { message: { url: ['is blocked: Only allowed schemes are http, https, ssh, git'] } },
        ],
        [{ url: 'git@example.com:a/b.git' }, { message: { url: ['is blocked: URI is invalid'] } }],
        [{ url: 'ssh://-oProxyCommand=id@127.0.0.1/x' }, undefined],
        [{ url: 'ssh://-oProxyCommand=id/x' }, undefined],
        [{ url: 'http://127.0.0.1:25/x' }, undefined],
        [{ url: 'http://169.254.169.254/latest' }, undefined],
        [{ url: 'http://127.0.0.1/x', auth_method: 'magic' }, { error: 'auth_method does not have a valid value' }],
        [
          { url: 'http://127.0.0.1/x', only_protected_branches: null },
          { message: { only_protected_branches: ["can't be blank"] } },
        ],
        [
          { url: 'http://127.0.0.1/x', only_protected_branches: true, mirror_branch_regex: 'a' },
          { error: 'only_protected_branches, mirror_branch_regex are mutually exclusive' },
        ],
        [{ url: 'http://127.0.0.1/x', mirror_branch_regex: '(' }, undefined],
        [{ url: 'http://127.0.0.1/x', mirror_branch_regex: 'a'.repeat(256) }, undefined],
        [{ url: `http://127.0.0.1/${'x'.repeat(3000)}` }, undefined],
      ];
      for (const [json, body] of table) {
        const answer = await as(`POST ${base()}`, { json });
        assert.equal(answer.status, 400, JSON.stringify(json));
        if (body !== undefined) assert.deepEqual(answer.body, body);
      }
      const { id } = await addMirror(project, { url: 'http://127.0.0.1:9999/x', enabled: false });
      const method = await as(`PUT ${base()}/${id}`, { json: { auth_method: 'magic' } });
      assert.deepEqual(method.body, { message: { auth_method: ['is not included in the list'] } });
      const sync = await as(`POST ${base()}/${id}/sync`);
      assert.equal(sync.status, 400);
      assert.deepEqual(sync.body, {
        message: 'Cannot proceed with the push mirroring. Please verify your mirror configuration.',
      });
      assert.equal((await as(`GET ${base()}/${id}/public_key`)).status, 404);
    });

    it('stores the host keys of the server', async () => {
      const ed25519 = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGx5y2Oe2g3o5o5y5Q4M3o5yC1Q2M0r3wWqfCwJ3a1b2';
      // Its base64 is full of plus signs.
      const fields = ['ssh-rsa', Buffer.from([1, 0, 1]), Buffer.alloc(128, Buffer.from('>o\u00fb>a', 'latin1'))];
      const rsa = `ssh-rsa ${Buffer.concat(fields.map(sshString)).toString('base64')}`;
      const url = 'ssh://git@[::1]:2222/x.git';
      const store = async (host_keys: unknown) => (await as(`POST ${base()}`, { json: { url, host_keys } })).body;
      const linesOf = async (id: number) => {
        const query = server.db.read.selectFrom('remote_mirrors').select('known_hosts').where('id', '=', id);
        return (await query.executeTakeFirstOrThrow()).known_hosts;
      };
      const forms: [string[], string][] = [
        [[`${ed25519} me@here`], `::1 ${ed25519}\n`],
        [[`[::1]:2222 ${ed25519}`, ` ::1,other\t${rsa}\n`, ' '], `::1 ${ed25519}\n::1 ${rsa}\n`],
        [
          [`[other.example]:22 ${ed25519}`, `[::1]:22 ${ed25519}`],
          `[other.example]:22 ${ed25519}\n[::1]:22 ${ed25519}\n`,
        ],
        [[rsa.replaceAll('+', ' ')], `::1 ${rsa}\n`],
        [[`${rsa.replaceAll('+', ' ')} me@here`], `::1 ${rsa}\n`],
        [[], ''],
      ];
      for (const [keys, lines] of forms) assert.equal(await linesOf((await store(keys)).id), lines, keys.join());
      const made = await store([ed25519, rsa]);
      assert.equal(made.host_keys.length, 2);
      for (const { fingerprint_sha256 } of made.host_keys) assert.match(fingerprint_sha256, /^SHA256:[\w+/]{43}$/);

      const bad = ['ssh-ed25519 AAAA', 'nonsense', `@revoked ${ed25519}`, `# ${ed25519}`, `${ed25519}\nx ${ed25519}`];
      for (const key of bad) {
        assert.deepEqual(await store([ed25519, key]), { message: `Invalid SSH host key(s): ${key}` });
        const changed = await as(`PUT ${base()}/${made.id}`, { json: { host_keys: [key] } });
        assert.equal(changed.status, 400);
      }
      const long = `ssh-rsa ${'A'.repeat(9000)}`;
      assert.deepEqual(await store([long]), { message: `Invalid SSH host key(s): ${long.slice(0, 255)}` });
      assert.deepEqual(await store(Array(11).fill(ed25519)), {
        message: 'Invalid SSH host key(s): too many host keys (maximum is 10)',
      });
      assert.deepEqual(await store({ a: 1 }), { error: 'host_keys is invalid' });

      const put = (json: unknown) => as(`PUT ${base()}/${made.id}`, { json });
      assert.deepEqual((await put({ enabled: false })).body, made, 'a change of something else keeps the keys');
      const one = await put({ host_keys: [rsa] });
      assert.deepEqual(one.body.host_keys, [made.host_keys[1]]);
      assert.deepEqual((await put({ host_keys: [] })).body.host_keys, []);
    });

    it('requires maintainers and reveals nothing to others', async () => {
      const [developer, stranger] = [await addPerson(server, 'dev'), await addPerson(server, 'stranger')];
      await addMember(server, project, developer, Role.developer);
      const other = await source();
      const { id } = await addMirror(other, { url: 'http://127.0.0.1:9999/x', enabled: false });
      for (const call of [
        `GET ${base()}`,
        `POST ${base()}`,
        `POST ${base()}?url=http://127.0.0.1/x`,
        `POST ${base()}?url=http://127.0.0.1/x&auth_method=none`,
        `GET ${base()}/1`,
        `GET ${base()}/none`,
        `PUT ${base()}/1`,
        `DELETE ${base()}/1`,
      ]) {
        const refused = await as(call, { token: developer.token });
        assert.deepEqual([refused.status, refused.body], [401, { message: '401 Unauthorized' }], call);
        assert.equal((await as(call, { token: stranger.token })).status, 404, call);
        assert.equal((await as(call, { token: null })).status, 401, call);
      }
      for (const call of [`GET ${base()}/${id}`, `PUT ${base()}/${id}`, `POST ${base()}/${id}/sync`]) {
        assert.equal((await as(call)).status, 404, 'a mirror of another project');
      }
    });

    it('limits enabled mirrors to ten, even for concurrent requests', async () => {
      const crowded = await addProject(server, owner, `crowded-${++count}`);
      const asked = Array.from({ length: 12 }, (_, n) =>
        as(`POST /projects/${crowded.id}/remote_mirrors`, {
          json: { url: `http://127.0.0.1:9999/${n}.git`, enabled: true },
        }),
      );
      const statuses = (await Promise.all(asked)).map(({ status }) => status).sort();
      assert.deepEqual(statuses, [...Array(10).fill(201), 400, 400]);
      const { id } = await addMirror(crowded, { url: 'http://127.0.0.1:9999/z.git', enabled: false });
      assert.equal(
        (await as(`PUT /projects/${crowded.id}/remote_mirrors/${id}`, { json: { enabled: true } })).status,
        400,
      );
    });
  });

  describe('mirror on a stock git server', () => {
    let bare: BareRepository;
    before(async () => {
      bare = await startBareRepository();
    });

    it('replicates branches, tags, force pushes and deletions', async () => {
      const project = await source();
      bare.git('fetch', '-q', client.folder, '+main:refs/heads/stale');
      const { id } = await addMirror(project, { url: bare.url });
      const first = await synced(project, id);
      assert.equal(first.update_status, 'finished', first.last_error);
      assert.deepEqual(bare.refs(), await refsHere(project));
      assert.equal(first.last_error, null);
      assert.ok(first.last_update_started_at <= first.last_successful_update_at);
      assert.equal(first.last_update_at, first.last_successful_update_at);

      const other = new GitClient();
      await other.init();
      await other.commit({ 'b.txt': 'rewritten' }, 'another history');
      const address = withCredentials(
        server.url,
        `${owner.user.username}/${project.path}`,
        owner.user.username,
        owner.token,
      );
      await other.git('push', '-q', '-f', address, 'main:feature/x', ':refs/tags/v1');
      assert.equal((await synced(project, id)).update_status, 'finished');
      assert.deepEqual(bare.refs(), await refsHere(project));
    });

    it('is updated after a push with a minimum interval', async () => {
      const target = await startBareRepository();
      const project = await addProject(server, owner, `pushed-${++count}`);
      const { id } = await addMirror(project, { url: target.url });
      const url = withCredentials(server.url, `${owner.user.username}/${project.path}`, 'x', owner.token);
      await client.git('push', '-q', url, 'main');
      await until(async () => (await show(project, id)).last_successful_update_at !== null);
      const rows = () =>
        server.db.read
          .selectFrom('jobs')
          .select(['payload', 'run_at'])
          .where('kind', '=', 'remote-mirrors.update')
          .execute();
      const mine = async () => (await rows()).filter(({ payload }) => JSON.parse(payload).mirrorId === id);
      assert.deepEqual(await mine(), []);
      await client.git('push', '-q', url, 'refs/heads/*:refs/heads/*', 'refs/tags/*:refs/tags/*');
      const waiting = await mine();
      assert.equal(waiting.length, 1, 'a push shortly after a run waits');
      const { last_update_started_at } = await show(project, id);
      assert.ok(Number(waiting[0]?.run_at) >= Date.parse(last_update_started_at) + 5 * 60_000);
      assert.equal((await synced(project, id)).update_status, 'finished');
      assert.deepEqual(target.refs(), await refsHere(project));
    });

    it('keeps and reports diverged refs if configured', async () => {
      const target = await startBareRepository();
      const project = await source();
      const { id } = await addMirror(project, { url: target.url, keep_divergent_refs: true });
      await synced(project, id);
      const foreign = new GitClient();
      await foreign.init();
      const theirs = await foreign.commit({ 'c.txt': 'theirs' }, 'theirs');
      target.git('fetch', '-q', foreign.folder, '+main:refs/heads/feature/x', '+main:refs/heads/only-there');
      const after = await synced(project, id);
      assert.equal(after.update_status, 'failed');
      assert.equal(after.last_error, 'Some refs have diverged and have not been updated on the remote:\n\nfeature/x');
      assert.equal(target.refs()['refs/heads/feature/x'], theirs);
      assert.equal(target.refs()['refs/heads/only-there'], theirs);
    });

    it('replicates only branches matching the filter', async () => {
      const project = await source();
      const [guarded, matching] = [await startBareRepository(), await startBareRepository()];
      const first = await addMirror(project, { url: guarded.url, only_protected_branches: true });
      const filter = { only_protected_branches: false, mirror_branch_regex: '^feature/' };
      const second = await addMirror(project, { url: matching.url, ...filter });
      assert.equal(second.mirror_branch_regex, '^feature/');
      await synced(project, first.id);
      await synced(project, second.id);
      const branches = (of: BareRepository) => Object.keys(of.refs()).filter((ref) => ref.startsWith('refs/heads/'));
      assert.deepEqual(branches(guarded), ['refs/heads/main']);
      assert.deepEqual(branches(matching), ['refs/heads/feature/x']);
      assert.ok(matching.refs()['refs/tags/v2']);
    });

    it('is retried after a failure and masks the password in errors', async () => {
      const project = await source();
      const url = bare.url.replace(/:[^:@/]*@/, ':wrong-password@');
      const { id } = await addMirror(project, { url });
      const failed = await synced(project, id);
      assert.equal(failed.update_status, 'scheduled');
      assert.match(failed.last_error, /Authentication failed|401|could not read/i);
      assert.doesNotMatch(failed.last_error, /wrong-password/);
      await synced(project, id);
      await synced(project, id);
      const last = await synced(project, id);
      assert.equal(last.update_status, 'failed');
      assert.ok(last.last_update_at);
      // An e-mail being sent exists as a job, and as a file only once it has been sent: count when no job is left.
      const underWay = () => server.db.read.selectFrom('jobs').select('id').where('kind', '=', 'mail.send').execute();
      const messages = async () => {
        await until(async () => (await underWay()).length === 0);
        const outbox = join(server.running.services.config.data, 'mail');
        const files = (await readdir(outbox).catch((): string[] => [])).filter((name) => name.endsWith('.eml'));
        const texts = await Promise.all(files.map((name) => readFile(join(outbox, name), 'utf8')));
        return texts.filter((text) => text.includes('Remote mirror update failed') && text.includes(project.path));
      };
      await until(async () => (await messages()).length === 1);
      assert.doesNotMatch((await messages()).join(), /wrong-password/);
      for (let run = 0; run < 4; run += 1) await synced(project, id);
      assert.equal((await show(project, id)).update_status, 'failed');
      assert.equal((await messages()).length, 1, 'notified once until it works again');
    });

    it('can be restricted to administrators', async () => {
      const project = await source();
      const json = { url: 'http://127.0.0.1:9999/x.git', enabled: false };
      const { id } = await addMirror(project, json);
      await server.must('PUT /application/settings', { json: { mirror_available: false } });
      const place = `/projects/${project.id}/remote_mirrors`;
      assert.equal((await as(`POST ${place}`, { json })).status, 403);
      assert.equal((await as(`PUT ${place}/${id}`, { json: { enabled: true } })).status, 403);
      assert.equal((await as(`PUT ${place}/${id}`, { json: { keep_divergent_refs: true } })).status, 200);
      assert.equal((await server.api(`POST ${place}`, { json })).status, 201);
      await server.must('PUT /application/settings', { json: { mirror_available: true } });
    });

    it('is pushed again after a server crash', async () => {
      const target = await startBareRepository();
      const project = await source();
      const { id } = await addMirror(project, { url: target.url });
      let died = 0;
      const disarm = armFault('remote-mirror.pushed', () => {
        died++;
        disarm();
        throw new Error('gone');
      });
      await synced(project, id);
      assert.equal(died, 1);
      assert.equal((await synced(project, id)).update_status, 'finished');
      assert.deepEqual(target.refs(), await refsHere(project));
    });
  });

  describe('mirror on another Hearth server', () => {
    let second: TestServer;
    let keeper: Person;
    before(async () => {
      second = await startTestServer(engine);
      keeper = await addPerson(second, 'keeper');
    });

    it('receives LFS objects before the refs', async () => {
      const project = await source();
      const copy = await addProject(second, keeper, `copy-${++count}`);
      const bytes = Buffer.from(`large ${count}`);
      const oid = createHash('sha256').update(bytes).digest('hex');
      const { services } = server.running;
      await storeLfsObject(services, project.id, { oid, size: bytes.length }, Readable.from([bytes]));
      const url = withCredentials(second.url, `${keeper.user.username}/${copy.path}`, 'x', keeper.token);
      const { id } = await addMirror(project, { url });
      const done = await synced(project, id);
      assert.equal(done.update_status, 'finished', done.last_error);
      const there = await second.api(`GET /projects/${copy.id}/repository/branches`, { token: keeper.token });
      assert.deepEqual(
        there.body.map((branch: { name: string }) => branch.name),
        ['feature/x', 'main'],
      );
      const linked = await second.db.read
        .selectFrom('lfs_objects as o')
        .innerJoin('lfs_object_projects as p', 'p.lfs_object_id', 'o.id')
        .select('o.oid')
        .where('p.project_id', '=', copy.id)
        .execute();
      assert.deepEqual(linked, [{ oid }]);
    });

    it('uses its own SSH key and pins the host key', {
      skip: missing('ssh'),
    }, async () => {
      const project = await source();
      const copy = await addProject(second, keeper, `ssh-copy-${++count}`);
      const sessions = new GitSessions(second.running.services);
      const ssh = await startSsh(second.running.services, sessions, { host: '127.0.0.1', port: 0 });
      atEnd(() => ssh.close(0));
      const url = `ssh://git@127.0.0.1:${ssh.port}/${keeper.user.username}/${copy.path}.git`;
      const made = await addMirror(project, { url, auth_method: 'ssh_public_key' });
      assert.equal(made.url, url);
      const base = `/projects/${project.id}/remote_mirrors/${made.id}`;
      const { public_key } = (await as(`GET ${base}/public_key`)).body;
      assert.match(public_key, /^ssh-rsa AAAA\S+ git@127\.0\.0\.1$/);
      const rows = await server.db.read.selectFrom('remote_mirrors').selectAll().where('id', '=', made.id).execute();
      assert.doesNotMatch(JSON.stringify(rows), /PRIVATE KEY/);

      const refused = await synced(project, made.id);
      assert.equal(refused.update_status, 'scheduled');
      assert.match(refused.last_error, /Permission denied/);

      const key = { title: 'mirror', key: public_key };
      await second.must('POST /user/keys', { token: keeper.token, json: key });
      const done = await synced(project, made.id);
      assert.equal(done.update_status, 'finished', done.last_error);
      assert.match(done.host_keys[0].fingerprint_sha256, /^SHA256:[\w+/]{43}$/);
      const there = await second.api(`GET /projects/${copy.id}/repository/tags`, { token: keeper.token });
      assert.equal(there.body.length, 2);

      const [line = ''] = (rows[0] as { known_hosts: string }).known_hosts.split('\n');
      assert.equal(line, '', 'no key is pinned before the first run');
      const impostor = '127.0.0.1 ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGx5y2Oe2g3o5o5y5Q4M3o5yC1Q2M0r3wWqfCwJ3a1b2';
      await server.db.write((trx) =>
        trx.updateTable('remote_mirrors').set({ known_hosts: impostor }).where('id', '=', made.id).execute(),
      );
      const changed = await synced(project, made.id);
      assert.equal(changed.update_status, 'scheduled');
      assert.match(changed.last_error, /host key/i);
    });
  });

  it('rejects private addresses in any notation, also at run time', async () => {
    const strict = await startTestServer(engine);
    const person = await addPerson(strict, 'strict');
    const project = await addFilledProject(strict, person, 'strict', client);
    const call = `POST /projects/${project.id}/remote_mirrors`;
    const blocked = [
      'http://127.0.0.1/x.git',
      'http://2130706433/x.git',
      'http://0x7f.1/x.git',
      'http://[::ffff:127.0.0.1]/x.git',
      'http://[::1]/x.git',
      'http://localhost/x.git',
      'ssh://git@10.1.2.3/x.git',
      'git://192.168.0.1/x.git',
      'http://100.64.0.1/x.git',
    ];
    for (const url of blocked) {
      const answer = await strict.api(call, { token: person.token, json: { url } });
      assert.equal(answer.status, 400, url);
      assert.match(answer.body.message.url[0], /^is blocked: Requests to /, url);
    }
    // A host name that resolved to another address when the mirror was created.
    const { encryption } = strict.running.services;
    const made = await strict.must(call, { token: person.token, json: { url: 'http://1.1.1.1/x.git', enabled: true } });
    const moved = encryption.encrypt('http://127.0.0.1:9/x.git', 'remote_mirrors.encrypted_url');
    await strict.db.write((trx) =>
      trx.updateTable('remote_mirrors').set({ encrypted_url: moved }).where('id', '=', made.id).execute(),
    );
    const mirror = `/projects/${project.id}/remote_mirrors/${made.id}`;
    await strict.must(`POST ${mirror}/sync`, { token: person.token });
    const shown = async () => (await strict.api(`GET ${mirror}`, { token: person.token })).body;
    await until(async () => (await shown()).last_error !== null);
    assert.equal((await shown()).last_error, 'The remote mirror URL is invalid.');
  });
});
