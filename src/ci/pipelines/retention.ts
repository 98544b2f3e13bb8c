import type { Services } from '../../access/services.ts';
import { settingsOf } from '../../access/subjects.ts';
import type { Project } from '../../access/tables.ts';
import { oldPipelines, projectsWithRetention } from './retention-store.ts';
import { deletePipeline, lockPipeline } from './store.ts';
import type { PipelineRow } from './tables.ts';

const projectsAtOnce = 100;
/** Removing a pipeline takes its jobs, logs and artifacts along: others get their turn between a few of them. */
const pipelinesAtOnce = 20;

export function retentionJobs(services: Services): void {
  services.queue.recurring('pipelines.retention', { everyMs: 60 * 60_000 }, ({ signal }) =>
    removeOldPipelines(services, Date.now(), signal),
  );
}

/** Removes the pipelines that are older than their projects want to keep them, but for those that are not over. */
export async function removeOldPipelines(services: Services, now: number, signal?: AbortSignal): Promise<void> {
  for (let beyond = 0; ; ) {
    const projects = await projectsWithRetention(services.db.read, beyond, projectsAtOnce);
    for (const project of projects) await removeOf(services, project, now, signal);
    const last = projects.at(-1);
    if (!last || signal?.aborted) return;
    beyond = last.id;
  }
}

async function removeOf(services: Services, project: Project, now: number, signal?: AbortSignal): Promise<void> {
  const { ci_delete_pipelines_in_seconds: seconds } = settingsOf(project);
  if (typeof seconds !== 'number') return;
  const madeBefore = now - seconds * 1000;
  for (let beyond = 0; !signal?.aborted; ) {
    const old = await oldPipelines(services.db.read, project.id, { madeBefore, beyond, limit: pipelinesAtOnce });
    for (const pipeline of old) await removePipelineRow(services, pipeline);
    const last = old.at(-1);
    if (!last) return;
    beyond = last.id;
  }
}

/** Removes a pipeline with its jobs; false where somebody else has. */
export function removePipelineRow(services: Services, { id }: PipelineRow): Promise<boolean> {
  return services.db.write(async (trx) => {
    const pipeline = await lockPipeline(trx, id);
    if (!pipeline) return false;
    await services.announce(trx, 'pipeline.removed', { pipeline });
    await deletePipeline(trx, id);
    return true;
  });
}
