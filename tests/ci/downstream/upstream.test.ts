import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { transitionJob } from '../../../src/ci/jobs/public.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const upstreamFile = 'work: {script: make}\n';
const mirrorOf = (path: string) => `
stages: [one, two]
mirror: {stage: one, needs: {pipeline: ${path}}}
after: {stage: two, script: make}
`;

forEachEngine((engine) => {
  describe('needs:pipeline', () => {
    let server: TestServer;
    let count = 0;
    const drainQueue = () => server.running.services.queue.drain();

    const addProject = async (content: string, token?: string) => {
      count += 1;
      const asked = { ...(token && { token }), json: { name: `p${count}`, visibility: 'private' } };
      const project = await server.must('POST /projects', asked);
      await server.must(`POST /projects/${project.id}/repository/files/.gitlab-ci.yml`, {
        ...(token && { token }),
        json: { branch: 'main', content, commit_message: 'Build' },
      });
      await drainQueue();
      return { id: project.id as number, path: project.path_with_namespace as string };
    };
    const pipelineOf = async (project: number) =>
      (await server.must(`GET /projects/${project}/pipelines?per_page=1`))[0].id as number;
    const bridgeOf = async (project: number) => {
      const id = await pipelineOf(project);
      const [bridge] = await server.must(`GET /projects/${project}/pipelines/${id}/bridges`);
      return bridge;
    };
    const jobOf = async (project: number, name: string) =>
      (await server.must(`GET /projects/${project}/pipelines/${await pipelineOf(project)}/jobs`)).find(
        (job: { name: string }) => job.name === name,
      );
    const end = async (project: number, event: 'success' | 'drop' | 'cancel') => {
      const { id, status } = await jobOf(project, 'work');
      const { services } = server.running;
      if (status === 'pending') await services.db.write((trx) => transitionJob(services, trx, id, 'run'));
      await services.db.write((trx) => transitionJob(services, trx, id, event));
      await drainQueue();
    };

    before(async () => {
      server = await startTestServer(engine);
    });

    for (const [event, shown, afterStatus] of [
      ['success', 'success', 'pending'],
      ['drop', 'failed', 'skipped'],
      ['cancel', 'canceled', 'skipped'],
    ] as const) {
      it(`waits for the latest pipeline of another project and becomes ${shown} with it`, async () => {
        const upstream = await addProject(upstreamFile);
        const own = await addProject(mirrorOf(upstream.path));
        assert.equal((await bridgeOf(own.id)).status, 'running');
        assert.equal((await jobOf(own.id, 'after')).status, 'created');
        await end(upstream.id, event);
        assert.equal((await bridgeOf(own.id)).status, shown);
        assert.equal((await jobOf(own.id, 'after')).status, afterStatus);
      });
    }

    it('mirrors a completed pipeline at once and follows its retry', async () => {
      const upstream = await addProject(upstreamFile);
      await end(upstream.id, 'drop');
      const own = await addProject(mirrorOf(upstream.path));
      assert.equal((await bridgeOf(own.id)).status, 'failed');
      await server.must(`POST /projects/${upstream.id}/pipelines/${await pipelineOf(upstream.id)}/retry`);
      await drainQueue();
      assert.equal((await bridgeOf(own.id)).status, 'running');
      await end(upstream.id, 'success');
      assert.equal((await bridgeOf(own.id)).status, 'success');
    });

    it('stays canceled after the user cancels the pipeline', async () => {
      const upstream = await addProject(upstreamFile);
      const own = await addProject(mirrorOf(upstream.path));
      await server.must(`POST /projects/${own.id}/pipelines/${await pipelineOf(own.id)}/cancel`);
      await end(upstream.id, 'success');
      assert.equal((await bridgeOf(own.id)).status, 'canceled');
    });

    it('fails when the project is missing or hidden, has no pipeline or the pipeline is deleted', async () => {
      const failed = async (project: number) => {
        const { status, failure_reason } = await bridgeOf(project);
        return [status, failure_reason];
      };
      const missing = ['failed', 'upstream_bridge_project_not_found'];
      const own = await addProject(mirrorOf('no/such'));
      assert.deepEqual(await failed(own.id), missing);
      const empty = await server.must('POST /projects', { json: { name: 'empty', initialize_with_readme: true } });
      assert.deepEqual(await failed((await addProject(mirrorOf(empty.path_with_namespace))).id), missing);
      const hidden = await addProject(upstreamFile);
      const user = await server.must('POST /users', {
        json: {
          username: 'mirrors',
          name: 'M',
          email: 'm@example.com',
          password: 'correct-horse-1',
          skip_confirmation: true,
        },
      });
      const { token } = await server.must(`POST /users/${user.id}/personal_access_tokens`, {
        json: { name: 't', scopes: ['api'] },
      });
      assert.deepEqual(await failed((await addProject(mirrorOf(hidden.path), token)).id), missing);
      const other = await addProject(mirrorOf(hidden.path));
      assert.equal((await bridgeOf(other.id)).status, 'running');
      await server.must(`DELETE /projects/${hidden.id}/pipelines/${await pipelineOf(hidden.id)}`);
      await drainQueue();
      assert.deepEqual(await failed(other.id), missing);
    });
  });
});
