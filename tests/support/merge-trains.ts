import type { Engine } from '../../src/platform/database/database.ts';
import { type ReviewScene, reviewScene } from './merge-requests.ts';
import type { Answer } from './server.ts';

const config = `
test: { script: [make], rules: [{ if: '$CI_PIPELINE_SOURCE == "merge_request_event"' }] }
`;

/** A project with merge trains whose jobs are finished by the test. */
export interface TrainScene extends ReviewScene {
  settle(): Promise<void>;
  /** Opens a merge request of a new branch that writes a file. */
  request(branch: string, file: string, content: string): Promise<number>;
  board(iid: number, json?: Record<string, unknown>): Promise<Answer>;
  /** The cars on the train of main, in order. */
  cars(): Promise<{ iid: number; status: string; pipeline: { id: number; sha: string; ref: string } | null }[]>;
  /** Finishes the pipeline of a car. */
  end(iid: number, status: 'success' | 'failed'): Promise<void>;
  /** The commit titles of main along first parents, newest first. */
  history(): Promise<string[]>;
  read(iid: number): Promise<Answer['body']>;
  systemNotes(iid: number): Promise<string[]>;
}

export async function trainScene(engine: Engine, settings: Record<string, unknown> = {}): Promise<TrainScene> {
  const scene = await reviewScene(engine, 'public', {
    merge_pipelines_enabled: true,
    merge_trains_enabled: true,
    ...settings,
  });
  const { server, git, owner, project } = scene;
  await git.git('checkout', '-q', 'main');
  await git.commit({ '.gitlab-ci.yml': config }, 'Configure');
  await scene.push(owner, 'main');
  const settle = () => server.running.services.queue.drain();
  const trains = `/projects/${project.id}/merge_trains`;
  const finish = async (id: number, status: 'success' | 'failed') => {
    await server.db.write(async (trx) => {
      await trx.updateTable('ci_jobs').set({ status }).where('pipeline_id', '=', id).execute();
      const pipeline = await trx
        .updateTable('pipelines')
        .set({ status, finished_at: Date.now() })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
      await server.running.services.announce(trx, 'pipeline.changed', { pipeline, before: 'running' });
    });
    await settle();
  };
  const read = async (iid: number) => (await scene.api(owner, `GET ${scene.base}/${iid}`)).body;
  return {
    ...scene,
    settle,
    read,
    async request(branch, file, content) {
      await scene.branch(branch, file, content);
      const { iid } = await scene.open(scene.developer, branch);
      await settle();
      const { head_pipeline: pipeline } = await read(iid);
      await finish(pipeline.id, 'success');
      return iid;
    },
    async board(iid, json = {}) {
      const answer = await scene.api(owner, `POST ${trains}/merge_requests/${iid}`, { json });
      await settle();
      return answer;
    },
    async cars() {
      const { body } = await scene.api(owner, `GET ${trains}/main?scope=active&sort=asc`);
      return body.map((car: Answer['body']) => ({
        iid: car.merge_request.iid,
        status: car.status,
        pipeline: car.pipeline,
      }));
    },
    async end(iid, status) {
      const { body } = await scene.api(owner, `GET ${trains}/merge_requests/${iid}`);
      await finish(body.pipeline.id, status);
    },
    async history() {
      const { body } = await scene.api(
        owner,
        `GET /projects/${project.id}/repository/commits?ref_name=main&first_parent=true`,
      );
      return body.map(({ title }: { title: string }) => title);
    },
    async systemNotes(iid) {
      const { body } = await scene.api(owner, `GET ${scene.base}/${iid}/notes?sort=asc&per_page=100`);
      return body.filter((note: Answer['body']) => note.system).map((note: Answer['body']) => note.body);
    },
  };
}
