import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { before, describe, it } from 'node:test';
import { Role } from '../../../src/access/roles.ts';
import type { Project } from '../../../src/access/tables.ts';
import { storeLfsObject } from '../../../src/code/lfs/public.ts';
import { queueDueMirrors } from '../../../src/code/pull-mirrors/jobs.ts';
import { startSsh } from '../../../src/code/ssh/server.ts';
import { GitSessions } from '../../../src/code/transport/public.ts';
import { armFault } from '../../../src/platform/faults.ts';
import { formatLfsPointer } from '../../../src/platform/git/objects/lfs-pointer.ts';
import { atEnd } from '../../support/at-end.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient, withCredentials } from '../../support/git-client.ts';
import { type BareRepository, startBareRepository } from '../../support/git-http-backend.ts';
import { addFilledProject } from '../../support/git-project.ts';
import { addMember, addPerson, addProject, type Person } from '../../support/scene.ts';
import { type Sending, startTestServer, type TestServer } from '../../support/server.ts';
import { missing } from '../../support/tools.ts';
import { until } from '../../support/until.ts';

const ci = 'job:\n  script: [echo]\n';

forEachEngine((engine) => {
  let server: TestServer;
  let owner: Person;
  let upstream: BareRepository;
  let work: GitClient;
  let count = 0;

  before(async () => {
    server = await startTestServer(engine, ['--allow-local-egress']);
    owner = await addPerson(server, 'owner');
    upstream = await startBareRepository();
    work = new GitClient();
    await work.init();
    await work.commit({ 'a.txt': 'one', '.gitlab-ci.yml': ci }, 'first');
    await work.git('branch', 'feature/x');
    await work.git('tag', 'v1');
    await work.git('push', '-q', upstream.url, 'refs/heads/*:refs/heads/*', 'refs/tags/*:refs/tags/*');
  });

  const as = (call: string, sending: Sending = {}) => server.api(call, { token: owner.token, ...sending });
  const empty = () => addProject(server, owner, `mirror-${++count}`);
  const base = (project: Project) => `/projects/${project.id}/mirror/pull`;
  const show = async (project: Project) => (await as(`GET ${base(project)}`)).body;
  const put = async (project: Project, json: Record<string, unknown>) => {
    const { status, body } = await as(`PUT ${base(project)}`, { json });
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const settled = async (project: Project) => {
    await until(async () => !['scheduled', 'started'].includes((await show(project)).update_status));
    return show(project);
  };
  const pulled = async (project: Project) => {
    assert.equal((await as(`POST ${base(project)}`)).status, 200);
    return settled(project);
  };
  const following = async (json: Record<string, unknown> = {}) => {
    const project = await empty();
    await put(project, { url: upstream.url, enabled: true, ...json });
    return { project, first: await settled(project) };
  };
  const refsHere = async (project: Project) => {
    const { git } = server.running.services;
    const repo = git.repository(project.id);
    const refs = [...(await git.listRefs(repo, 'refs/heads/')), ...(await git.listRefs(repo, 'refs/tags/'))];
    return Object.fromEntries(refs.map(({ name, oid }) => [name, oid]));
  };

  describe('pull mirror API', () => {
    it('configures a mirror, hides its credentials and disables it', async () => {
      const project = await empty();
      const none = await as(`GET ${base(project)}`);
      assert.deepEqual([none.status, none.body], [400, { message: 'The project is not mirrored' }]);
      assert.equal((await as(`POST ${base(project)}`)).status, 400);
      const url = 'http://127.0.0.1:9999/there.git';
      const made = await put(project, { url, auth_user: 'joe', auth_password: 's3cret/@' });
      assert.deepEqual(made, {
        id: project.id,
        last_error: null,
        last_successful_update_at: null,
        last_update_at: null,
        last_update_started_at: null,
        update_status: 'none',
        url: 'http://*****:*****@127.0.0.1:9999/there.git',
        auth_method: 'password',
        host_keys: [],
        enabled: false,
        mirror_trigger_builds: false,
        only_mirror_protected_branches: false,
        mirror_overwrites_diverged_branches: false,
        mirror_branch_regex: null,
      });
      assert.equal((await as(`POST ${base(project)}`)).status, 400, 'the mirror is disabled');
      const changed = await put(project, { mirror_branch_regex: '^release/', mirror_trigger_builds: true });
      assert.deepEqual(changed, { ...made, mirror_branch_regex: '^release/', mirror_trigger_builds: true });
      const guarded = await put(project, { only_mirror_protected_branches: true });
      assert.equal(guarded.mirror_branch_regex, null);
      const shown = (await as(`GET /projects/${project.id}`)).body;
      assert.deepEqual(
        [shown.mirror, shown.import_url, shown.mirror_trigger_builds, shown.only_mirror_protected_branches],
        [false, url, true, true],
      );
      const rows = await server.db.read.selectFrom('pull_mirrors').selectAll().execute();
      const projects = await server.db.read.selectFrom('projects').selectAll().execute();
      assert.doesNotMatch(JSON.stringify([rows, projects]), /s3cret|joe/);
      const elsewhere = await put(project, { url: 'http://127.0.0.1:9999/other.git' });
      assert.equal(elsewhere.url, 'http://127.0.0.1:9999/other.git', 'stored credentials are not reused');
    });

    it('rejects invalid configurations', async () => {
      const project = await empty();
      const table: [Record<string, unknown>, unknown][] = [
        [{ enabled: true }, { message: { import_url: ["can't be blank"] } }],
        ...['file:///etc/passwd', 'ext::sh -c id', 'gopher://127.0.0.1/', 'http://169.254.169.254/x'].map(
          (url): [Record<string, unknown>, unknown] => [{ url }, undefined],
        ),
        [{ url: 'ssh://-oProxyCommand=id/x' }, undefined],
        [{ url: upstream.url, mirror_branch_regex: '(' }, undefined],
        [{ url: upstream.url, mirror_branch_regex: 'a'.repeat(256) }, undefined],
        [
          { url: upstream.url, mirror_branch_regex: 'a', only_mirror_protected_branches: true },
          { error: 'only_mirror_protected_branches, mirror_branch_regex are mutually exclusive' },
        ],
        [{ enabled: 'maybe' }, { error: 'enabled is invalid' }],
      ];
      for (const [json, body] of table) {
        const answer = await as(`PUT ${base(project)}`, { json });
        assert.equal(answer.status, 400, JSON.stringify(json));
        if (body !== undefined) assert.deepEqual(answer.body, body);
      }
      assert.equal((await as(`PUT /projects/${project.id}`, { json: { mirror: true } })).status, 400);
      const other = await addPerson(server, `other-${++count}`);
      const json = { mirror: true, import_url: upstream.url, mirror_user_id: other.user.id };
      const named = await as(`PUT /projects/${project.id}`, { json });
      assert.deepEqual(named.body, { message: { mirror_user_id: ['is invalid'] } });
      assert.equal((await as(`GET ${base(project)}`)).status, 400, 'nothing was saved');
    });

    it('requires maintainers, or administrators if the instance restricts mirroring', async () => {
      const { project } = await following();
      const [developer, stranger] = [await addPerson(server, `dev-${++count}`), await addPerson(server, `s-${count}`)];
      await addMember(server, project, developer, Role.developer);
      for (const call of ['GET', 'PUT', 'POST'].map((method) => `${method} ${base(project)}`)) {
        assert.equal((await as(call, { token: developer.token })).status, 403, call);
        assert.equal((await as(call, { token: stranger.token })).status, 404, call);
        assert.equal((await as(call, { token: null })).status, 401, call);
      }
      await server.must('PUT /application/settings', { json: { mirror_available: false } });
      assert.equal((await as(`PUT ${base(project)}`, { json: { url: upstream.url } })).status, 403);
      await server.must(`PUT ${base(project)}`, { json: { url: upstream.url } });
      await server.must('PUT /application/settings', { json: { mirror_available: true } });
    });
  });

  it('initializes an empty project, follows new commits and announces them as pushes', async () => {
    const { project, first } = await following();
    assert.equal(first.update_status, 'finished', first.last_error);
    assert.deepEqual(await refsHere(project), upstream.refs());
    assert.equal((await as(`GET /projects/${project.id}`)).body.default_branch, 'main');
    const tip = await work.commit({ 'b.txt': `two ${engine}` }, 'second');
    await work.git('push', '-q', upstream.url, 'main');
    const second = await pulled(project);
    assert.equal(second.update_status, 'finished', second.last_error);
    assert.equal((await refsHere(project))['refs/heads/main'], tip);
    const events = (await as(`GET /projects/${project.id}/events?action=pushed`)).body;
    assert.ok(events.some((event: { push_data?: { commit_to: string } }) => event.push_data?.commit_to === tip));
    assert.deepEqual((await as(`GET /projects/${project.id}/pipelines`)).body, [], 'no pipelines by default');
    const hidden = await as(`GET /projects/${project.id}/repository/branches`);
    assert.equal(hidden.body.length, 2);
    const clone = new GitClient();
    await clone.init();
    const address = withCredentials(server.url, `${owner.user.username}/${project.path}`, 'x', owner.token);
    assert.doesNotMatch(await clone.git('ls-remote', address), /upstream/);
  });

  it('creates pipelines if enabled', async () => {
    const { project } = await following({ mirror_trigger_builds: true });
    const tip = await work.commit({ 'c.txt': `built ${engine}` }, 'to be built');
    await work.git('push', '-q', upstream.url, 'main');
    await pulled(project);
    const pipelines = async () => (await as(`GET /projects/${project.id}/pipelines?sha=${tip}`)).body;
    await until(async () => (await pipelines()).length === 1);
  });

  it('keeps diverged branches and reports the default branch, or overwrites them if enabled', async () => {
    const { project } = await following();
    const change = {
      branch: 'main',
      commit_message: 'ours',
      actions: [{ action: 'create', file_path: 'o', content: 'o' }],
    };
    const ours = await server.must(`POST /projects/${project.id}/repository/commits`, {
      token: owner.token,
      json: change,
    });
    await work.commit({ 'd.txt': `theirs ${engine}` }, 'theirs');
    await work.git('push', '-q', upstream.url, 'main');
    const after = await pulled(project);
    assert.equal(after.update_status, 'failed');
    assert.equal(
      after.last_error,
      'The default branch (main) has diverged from its upstream counterpart and could not be updated automatically.',
    );
    assert.equal((await refsHere(project))['refs/heads/main'], ours.id);
    await put(project, { mirror_overwrites_diverged_branches: true });
    assert.equal((await pulled(project)).update_status, 'finished');
    assert.deepEqual(await refsHere(project), upstream.refs());
  });

  it('fetches only branches matching the filter', async () => {
    const matching = await following({ mirror_branch_regex: '^feature/' });
    assert.deepEqual(Object.keys(await refsHere(matching.project)), ['refs/heads/feature/x', 'refs/tags/v1']);
    const project = await addFilledProject(server, owner, `guarded-${++count}`, work);
    await put(project, { url: upstream.url, enabled: true, only_mirror_protected_branches: true });
    await work.git('push', '-q', '-f', upstream.url, 'main:refs/heads/unguarded');
    await settled(project);
    await pulled(project);
    assert.equal((await refsHere(project))['refs/heads/unguarded'], undefined);
    const { git } = server.running.services;
    const kept = await git.listRefs(git.repository(project.id), 'refs/remotes/');
    assert.ok(!kept.some(({ name }) => name.endsWith('/unguarded')));
    await work.git('push', '-q', upstream.url, ':refs/heads/unguarded');
  });

  it('is configured by import_url and mirror of a new or existing project', async () => {
    const { status, body } = await as('POST /projects', {
      json: { name: `created-${++count}`, import_url: upstream.url, mirror: true },
    });
    assert.equal(status, 201, JSON.stringify(body));
    assert.equal(body.mirror, true);
    assert.equal(body.mirror_user_id, owner.user.id);
    assert.doesNotMatch(body.import_url, /@/);
    const project = { id: body.id } as Project;
    await until(async () => (await show(project)).last_successful_update_at !== null);
    assert.deepEqual(await refsHere(project), upstream.refs());

    const old = await empty();
    await as(`PUT /projects/${old.id}`, { json: { import_url: upstream.url, mirror: true } });
    assert.equal((await settled(old)).update_status, 'finished');
    const off = await as(`PUT /projects/${old.id}`, { json: { mirror: false } });
    assert.equal(off.body.mirror, false);
    assert.equal((await as(`POST ${base(old)}`)).status, 400);
  });

  it('ignores an empty import_url', async () => {
    const plain = await empty();
    const none = { import_url: '', mirror: false, mirror_overwrites_diverged_branches: false };
    assert.equal((await as(`PUT /projects/${plain.id}`, { json: none })).status, 200);
    assert.equal((await as(`GET ${base(plain)}`)).status, 400, 'no mirror was configured');
    const begun = await as(`PUT /projects/${plain.id}`, { json: { import_url: '', mirror: true } });
    assert.deepEqual([begun.status, begun.body], [400, { message: { import_url: ["can't be blank"] } }]);

    await as(`PUT /projects/${plain.id}`, { json: { import_url: upstream.url, mirror: true } });
    await settled(plain);
    const kept = await as(`PUT /projects/${plain.id}`, { json: { import_url: '', mirror_trigger_builds: true } });
    assert.deepEqual([kept.status, kept.body.mirror], [200, true]);
    assert.equal((await show(plain)).url, upstream.url.replace(/\/\/.*@/, '//*****:*****@'));
  });

  it('fetches LFS objects before updating the branches', async () => {
    const source = await addProject(server, owner, `large-${++count}`);
    const bytes = Buffer.from(`large ${engine}`);
    const oid = createHash('sha256').update(bytes).digest('hex');
    const { services } = server.running;
    await storeLfsObject(services, source.id, { oid, size: bytes.length }, Readable.from([bytes]));
    const client = new GitClient();
    await client.init();
    await client.commit({ 'big.bin': formatLfsPointer({ oid, size: bytes.length }) }, 'large');
    const address = withCredentials(server.url, `${owner.user.username}/${source.path}`, 'x', owner.token);
    await client.git('push', '-q', address, 'main');
    const project = await empty();
    await put(project, { url: address, enabled: true });
    const done = await settled(project);
    assert.equal(done.update_status, 'finished', done.last_error);
    const linked = await server.db.read
      .selectFrom('lfs_object_projects')
      .select('project_id')
      .where('project_id', '=', project.id)
      .execute();
    assert.equal(linked.length, 1);
  });

  it('fails over SSH without credentials', { skip: missing('ssh') }, async () => {
    const source = await addFilledProject(server, owner, `ssh-${++count}`, work, 'public');
    const sessions = new GitSessions(server.running.services);
    const ssh = await startSsh(server.running.services, sessions, { host: '127.0.0.1', port: 0 });
    atEnd(() => ssh.close(0));
    const project = await empty();
    await put(project, {
      url: `ssh://git@127.0.0.1:${ssh.port}/${owner.user.username}/${source.path}.git`,
      enabled: true,
    });
    const refused = await settled(project);
    assert.equal(refused.update_status, 'failed');
    assert.match(refused.last_error, /Permission denied/);
  });

  it('backs off after failures, masks the password in errors and stops after fourteen', async () => {
    const project = await empty();
    const url = upstream.url.replace(/:[^:@/]*@/, ':wrong-password@');
    await put(project, { url, enabled: true });
    const failed = await settled(project);
    assert.equal(failed.update_status, 'failed');
    assert.match(failed.last_error, /Authentication failed|401|could not read/i);
    assert.doesNotMatch(failed.last_error, /wrong-password/);
    const row = () =>
      server.db.read
        .selectFrom('pull_mirrors')
        .selectAll()
        .where('project_id', '=', project.id)
        .executeTakeFirstOrThrow();
    const first = await row();
    assert.equal(first.failures, 1);
    assert.ok(Number(first.next_update_at) >= Number(first.last_update_started_at) + 30 * 60_000);
    await server.db.write((trx) =>
      trx
        .updateTable('pull_mirrors')
        .set({ failures: 14, next_update_at: Date.now() - 1 })
        .where('project_id', '=', project.id)
        .execute(),
    );
    await queueDueMirrors(server.running.services);
    await settled(project);
    const last = await row();
    assert.deepEqual([last.failures, last.next_update_at], [15, null]);
    await pulled(project);
    assert.equal((await row()).failures, 1, 'a manual start resets the failure count');
  });

  it('acts as the user who configured it and stops when they lose push access', async () => {
    const { project } = await following();
    const helper = await addPerson(server, `helper-${++count}`);
    await addMember(server, project, helper, Role.maintainer);
    await as(`PUT ${base(project)}`, { token: helper.token, json: { url: upstream.url } });
    await settled(project);
    assert.equal((await as(`GET /projects/${project.id}`)).body.mirror_user_id, helper.user.id);
    await server.must(`DELETE /projects/${project.id}/members/${helper.user.id}`, { token: owner.token });
    const after = await pulled(project);
    assert.equal(after.last_error, 'The mirror user is not allowed to push any code to this project.');
    await server.must(`POST /users/${helper.user.id}/block`);
    assert.match((await pulled(project)).last_error, /mirror user has been deleted or blocked/);
  });

  it('respects protected branches and updates the others', async () => {
    const { project } = await following();
    await server.must(`POST /projects/${project.id}/protected_branches?name=feature/*&push_access_level=0`, {
      token: owner.token,
    });
    await work.git('push', '-q', '-f', upstream.url, 'main:refs/heads/feature/x', 'main:refs/heads/more');
    const after = await pulled(project);
    assert.equal(after.update_status, 'failed');
    assert.match(after.last_error, /refs\/heads\/feature\/x: /);
    assert.equal((await refsHere(project))['refs/heads/more'], upstream.refs()['refs/heads/more']);
    await work.git('push', '-q', '-f', upstream.url, 'v1:refs/heads/feature/x', ':refs/heads/more');
  });

  it('runs again after a server crash', async () => {
    const { project } = await following();
    const tip = await work.commit({ 'e.txt': `again ${engine}` }, 'again');
    await work.git('push', '-q', upstream.url, 'main');
    let died = 0;
    const disarm = armFault('pull-mirror.pulled', () => {
      died++;
      disarm();
      throw new Error('gone');
    });
    await as(`POST ${base(project)}`);
    await until(async () => (await show(project)).update_status === 'finished');
    assert.equal(died, 1);
    assert.equal((await refsHere(project))['refs/heads/main'], tip);
    const pushes = await server.db.read
      .selectFrom('pushes')
      .select('id')
      .where('project_id', '=', project.id)
      .execute();
    assert.equal(pushes.length, 2, 'no push is announced twice');
  });

  it('respects the mirror capacity of the instance', async () => {
    const projects = [(await following()).project, (await following()).project, (await following()).project];
    const ids = projects.map(({ id }) => id);
    const { services } = server.running;
    const set = (json: object) => server.must('PUT /application/settings', { json });
    await postponeMinuteJob();
    assert.equal((await server.api('PUT /application/settings', { json: { mirror_max_capacity: 0 } })).status, 400);
    await set({ mirror_max_capacity: 2, mirror_capacity_threshold: 2 });
    const makeDue = () =>
      server.db.write((trx) =>
        trx
          .updateTable('pull_mirrors')
          .set({ next_update_at: Date.now() - 1, update_status: 'finished', last_update_started_at: 1 })
          .where('project_id', 'in', ids)
          .execute(),
      );
    const started = async () => {
      const rows = await server.db.read
        .selectFrom('pull_mirrors')
        .select(['project_id', 'update_status', 'last_update_started_at'])
        .where('project_id', 'in', ids)
        .execute();
      return rows.filter((row) => row.last_update_started_at !== 1 || row.update_status !== 'finished').length;
    };
    const begun: number[] = [];
    const disarm = armFault('pull-mirror.started', () => {
      begun.push(Date.now());
    });
    await server.db.write((trx) =>
      trx
        .updateTable('pull_mirrors')
        .set({ next_update_at: Date.now() + 3_600_000, update_status: 'started' })
        .where('project_id', '=', ids[0] ?? 0)
        .execute(),
    );
    await server.db.write((trx) =>
      trx
        .updateTable('pull_mirrors')
        .set({ next_update_at: Date.now() - 1, update_status: 'finished', last_update_started_at: 1 })
        .where('project_id', 'in', ids.slice(1))
        .execute(),
    );
    // One mirror is running, so one more is queued. When it ends there is only one free slot, and the last one waits
    // for the next check.
    await queueDueMirrors(services);
    await until(async () => begun.length === 1 && (await busy()) === 1);
    assert.equal(begun.length, 1);
    assert.equal(await started(), 2);
    // With a threshold of one free slot, the end of one run starts the next.
    await set({ mirror_capacity_threshold: 1 });
    await makeDue();
    await queueDueMirrors(services);
    await until(async () => begun.length === 4 && (await busy()) === 0);
    disarm();
    await set({ mirror_max_capacity: 100, mirror_capacity_threshold: 50 });

    // It would queue the mirror that is to wait, if the minute ended meanwhile.
    async function postponeMinuteJob(): Promise<void> {
      await server.db.write((trx) =>
        trx
          .updateTable('recurring_jobs')
          .set({ next_run_at: Date.now() + 3_600_000 })
          .where('name', '=', 'pull-mirrors.due')
          .execute(),
      );
      const running = server.db.read
        .selectFrom('jobs')
        .select('id')
        .where('kind', '=', 'recurring.pull-mirrors.due')
        .where('state', 'in', ['pending', 'running']);
      await until(async () => (await running.execute()).length === 0);
    }

    async function busy(): Promise<number> {
      const rows = await server.db.read
        .selectFrom('pull_mirrors')
        .select('project_id')
        .where('project_id', 'in', ids)
        .where('update_status', 'in', ['scheduled', 'started'])
        .execute();
      return rows.length;
    }
  });

  it('rejects private addresses, also at run time', async () => {
    const strict = await startTestServer(engine);
    const person = await addPerson(strict, 'strict');
    const project = await addProject(strict, person, 'strict');
    const call = `/projects/${project.id}/mirror/pull`;
    for (const url of ['http://2130706433/x.git', 'http://[::ffff:127.0.0.1]/x.git', 'ssh://git@10.1.2.3/x.git']) {
      const answer = await strict.api(`PUT ${call}`, { token: person.token, json: { url, enabled: true } });
      assert.equal(answer.status, 400, url);
      assert.match(answer.body.message.import_url[0], /^is blocked: Requests to /, url);
    }
    await strict.must(`PUT ${call}`, { token: person.token, json: { url: 'http://1.1.1.1/x.git' } });
    const moved = strict.running.services.encryption.encrypt('http://127.0.0.1:9/x.git', 'pull_mirrors.encrypted_url');
    await strict.db.write((trx) => trx.updateTable('pull_mirrors').set({ encrypted_url: moved }).execute());
    await strict.must(`PUT ${call}`, { token: person.token, json: { enabled: true } });
    const shown = async () => (await strict.api(`GET ${call}`, { token: person.token })).body;
    await until(async () => (await shown()).last_error !== null);
    assert.equal((await shown()).last_error, 'The project mirror URL is invalid.');
  });
});
