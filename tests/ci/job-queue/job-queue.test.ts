import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Role } from '../../../src/access/roles.ts';
import type { Project } from '../../../src/access/tables.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient, withCredentials } from '../../support/git-client.ts';
import { addFilledProject } from '../../support/git-project.ts';
import { addMember, addPerson, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { RunnerClient } from '../runner-client.ts';

const configuration = `
variables: {GREETING: hello, TARGET: "$GREETING-world"}
build:
  image: alpine
  before_script: [echo before]
  script: [make, make test]
  after_script: [echo after]
  artifacts: {paths: [out/], expire_in: 1 week, reports: {junit: report.xml}}
  cache: {key: deps, paths: [vendor/]}
  timeout: 20 minutes
test:
  stage: test
  script: echo
  tags: [special]
deploy:
  stage: deploy
  script: echo
`;

forEachEngine((engine) => {
  describe('job queue', () => {
    let server: TestServer;
    let owner: Person;
    let source: GitClient;
    let project: Project;
    let runner: RunnerClient;

    const drainQueue = () => server.running.services.queue.drain();
    const start = async (path: string, text: string) => {
      const client = new GitClient();
      await client.init();
      await client.commit({ '.gitlab-ci.yml': text }, 'root');
      const created = await addFilledProject(server, owner, path, client);
      await drainQueue();
      return created;
    };
    const projectRunner = (created: Project, more = {}) =>
      RunnerClient.create(server, { runner_type: 'project_type', project_id: created.id, ...more }, owner.token);

    before(async () => {
      server = await startTestServer(engine, ['--job-poll', '4m']);
      owner = await addPerson(server, 'owner');
      source = new GitClient();
      await source.init();
      await source.commit({ '.gitlab-ci.yml': configuration, 'a.txt': 'a' }, 'root');
      project = await addFilledProject(server, owner, 'queued', source);
      await drainQueue();
      runner = await projectRunner(project);
    });

    it('returns the job payload that the official runner expects', async () => {
      const job = await runner.take();
      assert.match(job.token, /^glcbt-/);
      assert.equal(job.allow_git_fetch, true);
      assert.equal(job.job_info.name, 'build');
      assert.equal(job.job_info.project_id, project.id);
      assert.equal(job.job_info.project_jobs_running_on_instance_runners_count, '+Inf');
      assert.deepEqual(
        [job.job_info.namespace_id, job.job_info.root_namespace_id, job.job_info.organization_id],
        [project.namespace_id, project.namespace_id, 1],
      );
      assert.deepEqual([job.job_info.queue_size, job.job_info.queue_depth], [1, 1]);
      assert.match(job.job_info.instance_uuid, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      assert.equal(job.runner_info.timeout, 1200);
      assert.deepEqual(
        job.steps.map(({ name, script, when }: Record<string, unknown>) => [name, script, when]),
        [
          ['script', ['echo before', 'make', 'make test'], 'on_success'],
          ['after_script', ['echo after'], 'always'],
        ],
      );
      assert.equal(job.image.name, 'alpine');
      assert.deepEqual(
        job.artifacts.map((one: Record<string, unknown>) => [
          one.artifact_type,
          one.artifact_format,
          one.paths,
          one.when,
        ]),
        [
          ['archive', 'zip', ['out/'], 'on_success'],
          ['junit', 'gzip', ['report.xml'], 'always'],
        ],
      );
      assert.equal(job.artifacts[0].expire_in, '1 week');
      assert.equal('name' in job.artifacts[0], false);
      assert.equal(job.cache[0].key, 'deps-protected');
      const value = (key: string) => job.variables.find((one: { key: string }) => one.key === key);
      assert.equal(value('TARGET').value, 'hello-world');
      assert.equal(value('CI_JOB_ID').value, `${job.id}`);
      assert.deepEqual([value('CI_JOB_TOKEN').value, value('CI_JOB_TOKEN').masked], [job.token, true]);
      for (const one of job.variables) assert.equal(typeof one.value, 'string', one.key);
      assert.deepEqual(job.dependencies, []);
      assert.equal('run' in job, false);

      const clone = new GitClient();
      await clone.init();
      const { repo_url, refspecs, depth, sha } = job.git_info;
      await clone.git('fetch', '-q', `--depth=${depth}`, repo_url, ...refspecs);
      await clone.git('checkout', '-q', sha);
      assert.equal(await clone.git('show', 'HEAD:a.txt'), 'a');

      const shown = await server.must(`GET /projects/${project.id}/jobs/${job.id}`, { token: owner.token });
      assert.deepEqual(
        [shown.status, shown.runner.id, shown.runner_manager.system_id],
        ['running', runner.id, 's_0123456789ab'],
      );
      assert.equal((await runner.report(job, { state: 'success' })).status, 200);
      await drainQueue();
      // The job token is invalid after the job ended.
      await assert.rejects(clone.git('fetch', '-q', repo_url, 'main'));
    });

    it('assigns jobs to runners with matching tags', async () => {
      assert.equal((await runner.ask()).status, 204);
      const special = await projectRunner(project, { tag_list: ['special', 'more'], run_untagged: false });
      const job = await special.take();
      assert.equal(job.job_info.name, 'test');
      assert.equal((await special.ask()).status, 204);
      await special.report(job, { state: 'success' });
      await drainQueue();
      assert.equal((await special.ask()).status, 204);
      assert.equal((await runner.take()).job_info.name, 'deploy');
    });

    it('lists the jobs of a runner', async () => {
      const list = (query = '', token = owner.token) => server.api(`GET /runners/${runner.id}/jobs${query}`, { token });
      const all = await list();
      assert.equal(all.status, 200);
      assert.equal(all.headers.get('x-total'), null);
      assert.deepEqual(
        all.body.map(({ name }: { name: string }) => name),
        ['deploy', 'build'],
      );
      assert.equal(all.body[0].project.path_with_namespace, `${owner.user.username}/queued`);
      assert.equal(all.body[0].pipeline.project_id, project.id);
      assert.deepEqual(all.body[1].commit.parent_ids, []);
      assert.equal((await list('?status=success&sort=asc&order_by=id')).body[0].name, 'build');
      assert.deepEqual((await list('?system_id=none')).body, []);
      assert.equal((await list('?system_id=s_0123456789ab')).body.length, 2);
      assert.deepEqual((await list('?sort=asc')).body, { error: 'order_by is missing' });
      assert.equal((await list('?status=odd')).status, 400);
      const first = await list('?pagination=keyset&per_page=1');
      const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
      const second = await list(new URL(next).search);
      assert.equal(second.status, 200, `${next} ${second.text}`);
      assert.deepEqual([first.body[0].name, second.body[0].name], ['deploy', 'build']);
      assert.equal(second.headers.get('link')?.includes('rel="next"') ?? false, false);
      assert.equal((await list('?pagination=keyset&cursor=nonsense')).status, 400);
      const stranger = await addPerson(server, 'stranger');
      assert.equal((await list('', stranger.token)).status, 403);
      // A project runner only lists jobs of projects that the caller is a member of.
      const maintainer = await addPerson(server, 'maintainer');
      await addMember(server, project, maintainer, Role.maintainer);
      assert.equal((await list('', maintainer.token)).body.length, 2);
    });

    it('rejects invalid tokens and assigns no jobs to paused or foreign runners', async () => {
      const created = await start('refusing', 'one: {script: echo}');
      const wrong = await server.api('POST /jobs/request', { token: null, json: { token: 'glrt-wrong' } });
      assert.deepEqual([wrong.status, wrong.body.message], [403, '403 Forbidden']);
      const none = await server.api('POST /jobs/request', { token: null, json: {} });
      assert.deepEqual([none.status, none.body.error], [400, 'token is missing']);
      assert.equal((await runner.ask()).status, 204);
      const paused = await projectRunner(created, { paused: true });
      const answer = await paused.ask();
      assert.deepEqual([answer.status, answer.text], [204, '']);
      assert.match(answer.headers.get('x-gitlab-last-update') ?? '', /^[0-9a-f]{32}$/);
      await server.must(`PUT /runners/${paused.id}`, { json: { paused: false } });
      assert.equal((await paused.ask()).status, 201);
    });

    it('assigns only jobs of protected refs to protected runners', async () => {
      const created = await start('guarded', 'one: {script: echo}');
      const guarded = await projectRunner(created, { access_level: 'ref_protected' });
      await guarded.take();
      const branch = new GitClient();
      await branch.init();
      await branch.commit({ '.gitlab-ci.yml': 'one: {script: echo}' }, 'other');
      const { username } = owner.user;
      await branch.git(
        'push',
        '-q',
        withCredentials(server.url, `${username}/guarded`, username, owner.token),
        'main:side',
      );
      await drainQueue();
      assert.equal((await guarded.ask()).status, 204);
      const any = await projectRunner(created);
      assert.equal((await any.take()).git_info.ref, 'side');
    });

    it('holds a request until a job is available', async () => {
      const created = await start('waiting', 'one: {script: echo, when: manual}');
      const waiting = await projectRunner(created);
      assert.equal((await waiting.ask()).status, 204);
      const held = waiting.wait();
      const [job] = await server.must(`GET /projects/${created.id}/jobs`, { token: owner.token });
      await server.must(`POST /projects/${created.id}/jobs/${job.id}/play`, { token: owner.token });
      const answer = await held;
      assert.deepEqual([answer.status, answer.body.id], [201, job.id]);
      const paused = await projectRunner(created, { paused: true });
      await paused.ask();
      const woken = paused.wait();
      await server.must(`PUT /runners/${paused.id}`, { json: { paused: false } });
      assert.equal((await woken).status, 204);
    });

    it('assigns every job to exactly one runner', async () => {
      const jobs = Array.from({ length: 12 }, (_, at) => `job${at}: {script: echo}`).join('\n');
      const created = await start('racing', jobs);
      const runners = await Promise.all(Array.from({ length: 6 }, () => projectRunner(created)));
      const answers = await Promise.all(runners.flatMap((one) => [one.ask(), one.ask(), one.ask()]));
      const assigned = answers.filter(({ status }) => status === 201).map(({ body }) => body.id as number);
      assert.equal(assigned.length, 12);
      assert.equal(new Set(assigned).size, 12);
      const left = await server.db.read
        .selectFrom('pending_jobs')
        .select('job_id')
        .where('project_id', '=', created.id)
        .execute();
      assert.deepEqual(left, []);
    });

    // Candidates are found in two ways: for runners that match every pending job, and for others.
    for (const others of [false, true]) {
      const suffix = others ? ', with non-matching jobs queued' : '';
      it(`distributes instance runners fairly among projects that enable them${suffix}`, async () => {
        await server.db.write((trx) => trx.deleteFrom('pending_jobs').execute());
        if (others) await start('fair-others', 'odd: {script: echo, tags: [odd]}');
        const shared = await RunnerClient.create(server, { runner_type: 'instance_type', tag_list: ['fair'] });
        const text = 'one: {script: echo, tags: [fair]}\ntwo: {script: echo, tags: [fair]}';
        const [first, second, third] = [
          await start(`fair-a-${others}`, text),
          await start(`fair-b-${others}`, text),
          await start(`fair-c-${others}`, text),
        ];
        const runners = (enabled: boolean) =>
          server.must(`PUT /projects/${third.id}`, {
            token: owner.token,
            json: { shared_runners_enabled: enabled },
          });
        await runners(false);
        const taken = [await shared.take(), await shared.take(), await shared.take(), await shared.take()];
        assert.deepEqual(
          taken.map(({ job_info }) => job_info.project_id),
          [first.id, second.id, first.id, second.id],
        );
        assert.equal(taken[0].job_info.project_jobs_running_on_instance_runners_count, '0');
        assert.equal((await shared.ask()).status, 204);
        await runners(true);
        assert.equal((await shared.take()).job_info.project_id, third.id);
      });
    }

    it('assigns jobs of projects below a group to group runners', async () => {
      const group = await server.must('POST /groups', { token: owner.token, json: { name: 'g', path: `g-${engine}` } });
      const created = await server.must('POST /projects', {
        token: owner.token,
        json: { name: 'inside', namespace_id: group.id, initialize_with_readme: true },
      });
      await server.must(`POST /projects/${created.id}/repository/files/.gitlab-ci.yml`, {
        token: owner.token,
        json: { branch: 'main', content: 'one: {script: echo}', commit_message: 'ci' },
      });
      await drainQueue();
      const grouped = await RunnerClient.create(server, { runner_type: 'group_type', group_id: group.id }, owner.token);
      assert.equal((await grouped.take()).job_info.project_id, created.id);
      assert.equal((await grouped.ask()).status, 204);
    });

    it('fails jobs that cannot run with a reason', async () => {
      const created = await start('hopeless', 'one: {script: echo, artifacts: {reports: {junit: a.xml}}}');
      const plain = await projectRunner(created);
      assert.equal((await plain.ask({ info: { features: {} } })).status, 204);
      const [failed] = await server.must(`GET /projects/${created.id}/jobs`, { token: owner.token });
      assert.deepEqual([failed.status, failed.failure_reason], ['failed', 'runner_unsupported']);

      const developer = await addPerson(server, 'leaver');
      const other = await start('left', 'one: {script: echo, when: manual}');
      await addMember(server, other, developer, Role.maintainer);
      const [job] = await server.must(`GET /projects/${other.id}/jobs`, { token: owner.token });
      await server.must(`POST /projects/${other.id}/jobs/${job.id}/play`, { token: developer.token });
      await server.must(`POST /users/${developer.user.id}/block`);
      assert.equal((await (await projectRunner(other)).ask()).status, 204);
      const [ended] = await server.must(`GET /projects/${other.id}/jobs`, { token: owner.token });
      assert.deepEqual([ended.status, ended.failure_reason], ['failed', 'user_blocked']);
    });
  });
});
