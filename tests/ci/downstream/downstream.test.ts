import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Project } from '../../../src/access/tables.ts';
import { transitionJob } from '../../../src/ci/jobs/public.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { addFilledProject } from '../../support/git-project.ts';
import { addMember, addPerson, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const parent = (owner: string) => `
stages: [one, two]
variables: {COLOUR: red}
child:
  stage: one
  variables: {SIZE: "large-$COLOUR"}
  trigger: {include: ci/child.yml, strategy: depend}
quick:
  stage: one
  trigger: {include: [{local: ci/child.yml}]}
elsewhere:
  stage: one
  trigger: {project: ${owner}/lower, branch: main, forward: {pipeline_variables: true}}
nowhere:
  stage: one
  allow_failure: true
  trigger: ${owner}/nothing
forbidden:
  stage: one
  allow_failure: true
  trigger: stranger/closed
itself:
  stage: one
  allow_failure: true
  trigger: {project: $CI_PROJECT_PATH}
broken:
  stage: one
  allow_failure: true
  trigger: {include: ci/broken.yml}
after:
  stage: two
  script: 'true'
`;
const child = `
work: {script: make, rules: [{if: '$CI_PIPELINE_SOURCE == "parent_pipeline" && $SIZE != "never"'}]}
`;
const nested = `
deeper:
  trigger: {include: ci/nested.yml}
`;

forEachEngine((engine) => {
  describe('downstream pipelines', () => {
    let server: TestServer;
    let owner: Person;
    let project: Project;
    let lower: Project;
    let pipelineId: number;

    const call = (text: string, json?: object, token: string | null = owner.token) =>
      server.api(text, json === undefined ? { token } : { token, json });
    const drainQueue = () => server.running.services.queue.drain();
    const jobs = (id: number) =>
      server.db.read.selectFrom('ci_jobs').selectAll().where('pipeline_id', '=', id).orderBy('id').execute();
    const move = async (id: number, name: string, ...events: Parameters<typeof transitionJob>[3][]) => {
      const job = (await jobs(id)).find((row) => row.name === name && row.retried === 0);
      for (const event of events) {
        await server.db.write((trx) => transitionJob(server.running.services, trx, job?.id ?? 0, event));
      }
      await drainQueue();
    };
    const bridges = async (id = pipelineId, token: string | null = owner.token) => {
      const { body } = await call(`GET /projects/${project.id}/pipelines/${id}/bridges`, undefined, token);
      return Object.fromEntries(body.map((bridge: { name: string }) => [bridge.name, bridge]));
    };
    const start = async (json: object = {}) => {
      const { body } = await call(`POST /projects/${project.id}/pipeline`, { ref: 'main', ...json });
      await drainQueue();
      return body.id as number;
    };

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      const stranger = await addPerson(server, 'stranger', { columns: { username: 'stranger' } });
      const source = new GitClient();
      await source.init();
      await source.commit({ '.gitlab-ci.yml': 'build: {script: make}\n' }, 'root');
      lower = await addFilledProject(server, owner, 'lower', source);
      await addFilledProject(server, stranger, 'closed', source, 'public');
      const upper = new GitClient();
      await upper.init();
      const files = {
        '.gitlab-ci.yml': parent(owner.user.username),
        'ci/child.yml': child,
        'ci/broken.yml': 'job: {}\n',
        'ci/nested.yml': nested,
      };
      await upper.commit(files, 'root [skip ci]');
      project = await addFilledProject(server, owner, 'upper', upper, 'public');
      await upper.git('checkout', '-q', '-b', 'nested');
      await upper.commit({ '.gitlab-ci.yml': nested }, 'nested [skip ci]');
      const url = `${server.url.replace('://', `://${owner.user.username}:${owner.token}@`)}`;
      await upper.git('push', '-q', `${url}/${owner.user.username}/upper.git`, 'nested');
      await drainQueue();
    });

    it('are started by bridges with the forwarded variables', async () => {
      pipelineId = await start({ variables: [{ key: 'GIVEN', value: 'yes' }] });
      const shown = await bridges();
      assert.equal(shown.child.status, 'running');
      assert.equal(shown.child.downstream_pipeline.source, 'parent_pipeline');
      assert.equal(shown.child.downstream_pipeline.status, 'pending');
      assert.equal(shown.child.downstream_pipeline.sha, shown.child.commit.id);
      assert.equal(shown.quick.status, 'success');
      assert.equal(shown.elsewhere.status, 'success');
      const downstream = shown.elsewhere.downstream_pipeline;
      assert.deepEqual([downstream.project_id, downstream.source], [lower.id, 'pipeline']);
      assert.match(downstream.web_url, /\/lower\/-\/pipelines\//);
      const variablesAt = async (projectId: number, id: number) =>
        (await call(`GET /projects/${projectId}/pipelines/${id}/variables`)).body.map(
          (one: { key: string; value: string }) => `${one.key}=${one.value}`,
        );
      const childId = shown.child.downstream_pipeline.id;
      assert.deepEqual(await variablesAt(project.id, childId), ['COLOUR=red', 'SIZE=large-red']);
      assert.deepEqual(await variablesAt(lower.id, downstream.id), ['COLOUR=red', 'GIVEN=yes']);
      const listed = await call(`GET /projects/${project.id}/pipelines`);
      assert.deepEqual(
        listed.body.filter(({ source }: { source: string }) => source === 'parent_pipeline'),
        [],
      );
      // The other project is private: its pipeline is hidden from other callers.
      assert.equal((await bridges(pipelineId, null)).elsewhere.downstream_pipeline, null);
    });

    it('fail their bridge when they cannot be created', async () => {
      const shown = await bridges();
      const reasons = ['nowhere', 'forbidden', 'itself', 'broken'].map((name) => shown[name].failure_reason);
      assert.deepEqual(reasons, [
        'downstream_bridge_project_not_found',
        'insufficient_bridge_permissions',
        'invalid_bridge_trigger',
        'downstream_pipeline_creation_failed',
      ]);
      assert.equal(shown.broken.downstream_pipeline.status, 'failed');
    });

    it('are awaited by bridges with strategy depend, also after a retry', async () => {
      const childId = (await bridges()).child.downstream_pipeline.id;
      const after = async () => (await jobs(pipelineId)).find(({ name }) => name === 'after')?.status;
      assert.equal(await after(), 'created');
      await move(childId, 'work', 'run', 'drop');
      assert.equal((await bridges()).child.status, 'failed');
      assert.equal(await after(), 'skipped');
      const status = async () => (await call(`GET /projects/${project.id}/pipelines/${pipelineId}`)).body.status;
      assert.equal(await status(), 'failed');
      assert.equal((await call(`POST /projects/${project.id}/pipelines/${childId}/retry`)).status, 201);
      await drainQueue();
      assert.equal((await bridges()).child.status, 'running');
      assert.equal(await after(), 'created');
      await move(childId, 'work', 'run', 'success');
      assert.equal((await bridges()).child.status, 'success');
      assert.equal(await after(), 'pending');
    });

    it('are canceled with their parent', async () => {
      const id = await start();
      const childId = (await bridges(id)).child.downstream_pipeline.id;
      assert.equal((await call(`POST /projects/${project.id}/pipelines/${id}/cancel`)).status, 200);
      await drainQueue();
      assert.equal((await bridges(id)).child.status, 'canceled');
      assert.equal((await call(`GET /projects/${project.id}/pipelines/${childId}`)).body.status, 'canceled');
      assert.equal((await jobs(childId))[0]?.status, 'canceled');
    });

    it('are recreated by retrying the bridge', async () => {
      const { broken } = await bridges();
      const retried = await call(`POST /projects/${project.id}/jobs/${broken.id}/retry`);
      assert.equal(retried.status, 201);
      await drainQueue();
      const now = (await bridges()).broken;
      assert.notEqual(now.id, broken.id);
      assert.notEqual(now.downstream_pipeline.id, broken.downstream_pipeline.id);
    });

    it('are nested at most two levels deep', async () => {
      const first = await start({ ref: 'nested' });
      const second = (await bridges(first)).deeper.downstream_pipeline.id;
      const third = (await bridges(second)).deeper.downstream_pipeline.id;
      const last = (await bridges(third)).deeper;
      assert.deepEqual([last.status, last.failure_reason], ['failed', 'reached_max_descendant_pipelines_depth']);
      assert.equal((await call(`POST /projects/${project.id}/jobs/${last.id}/retry`)).status, 403);
    });

    it('are not created for a blocked user', async () => {
      const developer = await addPerson(server, 'developer');
      await addMember(server, project, developer, 40);
      const { body } = await call(`POST /projects/${project.id}/pipeline`, { ref: 'nested' }, developer.token);
      await server.db.write((trx) =>
        trx.updateTable('users').set({ state: 'blocked' }).where('id', '=', developer.user.id).execute(),
      );
      await drainQueue();
      const [bridge] = await jobs(body.id);
      assert.deepEqual([bridge?.status, bridge?.failure_reason], ['failed', 'insufficient_bridge_permissions']);
    });
  });
});
