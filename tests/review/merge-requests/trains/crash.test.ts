import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { Project } from '../../../../src/access/tables.ts';
import { createLogger } from '../../../../src/platform/log.ts';
import { driveTrain } from '../../../../src/review/merge-requests/trains/drive.ts';
import { startServer } from '../../../../src/server.ts';
import { forEachEngine } from '../../../support/engines.ts';
import { GitClient, withCredentials } from '../../../support/git-client.ts';
import { addPerson, addProject, type Person } from '../../../support/scene.ts';
import { TestServer } from '../../../support/server.ts';
import { ServerPlace } from '../../../support/server-process.ts';
import { until } from '../../../support/until.ts';

const config = `test: { script: [make], rules: [{ if: '$CI_PIPELINE_SOURCE == "merge_request_event"' }] }\n`;
const whileCoupled = ['train.coupled', 'train.pipeline'];
const whileLanding = ['merge.prepared', 'push.moved', 'merge.moved'];

forEachEngine((engine) => {
  let place: ServerPlace;
  let owner: Person;
  let project: Project;
  const client = new GitClient();

  const withServer = async <T>(work: (server: TestServer) => Promise<T>): Promise<T> => {
    const server = new TestServer(await startServer(place.config(), createLogger({ logLevel: 'error' })));
    try {
      return await work(server);
    } finally {
      await server.running.close();
    }
  };
  /** Drains the job queue. */
  const settle = (server: TestServer) => server.running.services.queue.drain();
  /** Expires the leases of a crashed server and drains the queue. */
  const takeOver = async (server: TestServer) => {
    await server.db.write((trx) =>
      trx.updateTable('jobs').set({ lease_until: 1 }).where('kind', '=', 'merge-trains.drive').execute(),
    );
    await settle(server);
  };
  const request = async (server: TestServer, branch: string): Promise<number> => {
    const json = { title: branch, source_branch: branch, target_branch: 'main' };
    const { iid } = await server.must(`POST /projects/${project.id}/merge_requests`, { token: owner.token, json });
    await server.running.services.queue.drain();
    const { head_pipeline } = await read(server, iid);
    await succeed(server, head_pipeline.id);
    await server.running.services.queue.drain();
    return iid;
  };
  const read = (server: TestServer, iid: number) =>
    server.must(`GET /projects/${project.id}/merge_requests/${iid}`, { token: owner.token });
  const board = (url: string, iid: number) =>
    fetch(`${url}/api/v4/projects/${project.id}/merge_trains/merge_requests/${iid}`, {
      method: 'POST',
      headers: { 'private-token': owner.token },
    });
  const succeed = async (server: TestServer, id: number) => {
    const { services } = server.running;
    await services.db.write(async (trx) => {
      const pipeline = await trx
        .updateTable('pipelines')
        .set({ status: 'success' })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
      await services.announce(trx, 'pipeline.changed', { pipeline, before: 'running' });
    });
  };
  const carOf = (server: TestServer, iid: number) =>
    server.must(`GET /projects/${project.id}/merge_trains/merge_requests/${iid}`, { token: owner.token });
  const trainPipelines = async (server: TestServer, iid: number) => {
    const list = await server.must(`GET /projects/${project.id}/merge_requests/${iid}/pipelines`, {
      token: owner.token,
    });
    return list.filter(({ ref }: { ref: string }) => ref.endsWith('/train'));
  };
  const finish = async (server: TestServer, iid: number) => {
    await succeed(server, (await carOf(server, iid)).pipeline.id);
    await isMerged(server, iid);
  };
  const isMerged = async (server: TestServer, iid: number) => {
    // Of two concurrent runs, one runs again.
    await until(async () => {
      await settle(server);
      return (await read(server, iid)).state === 'merged';
    });
    assert.equal((await read(server, iid)).merge_commit_sha, (await carOf(server, iid)).pipeline.sha);
  };

  before(async () => {
    place = await ServerPlace.make(engine);
    await withServer(async (server) => {
      owner = await addPerson(server, 'owner');
      project = await addProject(server, owner, 'p');
      await client.init();
      await client.commit({ '.gitlab-ci.yml': config });
      for (const branch of [...whileCoupled, ...whileLanding, 'raced', 'raced-2']) {
        await client.git('checkout', '-q', '-B', branch, 'main');
        await client.commit({ [branch]: branch });
      }
      const url = withCredentials(server.url, `${owner.user.username}/p`, 'x', owner.token);
      await client.git('push', '-q', url, '--all');
      await server.must(`PUT /projects/${project.id}`, {
        token: owner.token,
        json: { merge_pipelines_enabled: true, merge_trains_enabled: true },
      });
    });
  });

  for (const step of whileCoupled) {
    it(`continues a train with one pipeline per car after a server crash at ${step}`, async () => {
      const iid = await withServer((server) => request(server, step));
      const served = await place.serve(step);
      await board(served.line, iid).catch(() => undefined);
      await served.ended;
      await withServer(async (server) => {
        await takeOver(server);
        assert.equal((await trainPipelines(server, iid)).length, 1);
        await finish(server, iid);
      });
    });
  }

  for (const step of whileLanding) {
    it(`merges a train once, as tested, despite a server crash at ${step}`, async () => {
      const iid = await withServer(async (server) => {
        const opened = await request(server, step);
        await board(server.url, opened);
        await settle(server);
        const { pipeline } = await carOf(server, opened);
        // The following step is for the server that will crash.
        await server.running.services.queue.stop();
        await succeed(server, pipeline.id);
        return opened;
      });
      const served = await place.serve(step);
      await served.ended;
      await withServer(async (server) => {
        await takeOver(server);
        await isMerged(server, iid);
        const active = await server.must(`GET /projects/${project.id}/merge_trains?scope=active`, {
          token: owner.token,
        });
        assert.deepEqual(active, []);
      });
    });
  }

  it('prepares each car once with concurrent runs', async () => {
    await withServer(async (server) => {
      const { services } = server.running;
      const iids = [await request(server, 'raced'), await request(server, 'raced-2')];
      for (const iid of iids) await board(server.url, iid);
      const drive = () => driveTrain(services, { projectId: project.id, branch: 'main' }, AbortSignal.timeout(60_000));
      await Promise.allSettled([drive(), drive(), drive(), drive()]);
      await settle(server);
      for (const iid of iids) {
        const waiting = (await trainPipelines(server, iid)).filter(
          ({ status }: { status: string }) => status !== 'canceled',
        );
        assert.equal(waiting.length, 1);
      }
      for (const iid of iids) await finish(server, iid);
    });
  });
});
