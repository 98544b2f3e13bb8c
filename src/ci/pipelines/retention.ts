import type { Services } from '../../access/services.ts';
import { settingsOf } from '../../access/subjects.ts';
import type { Project } from '../../access/tables.ts';
import { oldPipelines, projectsWithRetention } from './retention-store.ts';
import { deletePipeline, lockPipeline } from './store.ts';
import type { PipelineRow } from './tables.ts';

const projectBatch = 100;
/** Deleting a pipeline also deletes its jobs, logs and artifacts, so batches are small. */
const pipelineBatch = 20;

export function retentionJobs(services: Services): void {
  services.queue.recurring('pipelines.retention', { everyMs: 60 * 60_000 }, ({ signal }) =>
    removeOldPipelines(services, Date.now(), signal),
  );
}

/** Deletes completed pipelines older than the retention period of their project. */
export async function removeOldPipelines(services: Services, now: number, signal?: AbortSignal): Promise<void> {
  for (let afterId = 0; ; ) {
    const projects = await projectsWithRetention(services.db.read, afterId, projectBatch);
    for (const project of projects) await removeFromProject(services, project, now, signal);
    const last = projects.at(-1);
    if (!last || signal?.aborted) return;
    afterId = last.id;
  }
}

async function removeFromProject(
  services: Services,
  project: Project,
  now: number,
  signal?: AbortSignal,
): Promise<void> {
  const { ci_delete_pipelines_in_seconds: seconds } = settingsOf(project);
  if (typeof seconds !== 'number') return;
  const createdBefore = now - seconds * 1000;
  for (let afterId = 0; !signal?.aborted; ) {
    const batch = await oldPipelines(services.db.read, project.id, { createdBefore, afterId, limit: pipelineBatch });
    for (const pipeline of batch) await removePipelineRow(services, pipeline);
    const last = batch.at(-1);
    if (!last) return;
    afterId = last.id;
  }
}

/** Deletes a pipeline with its jobs; false when it no longer exists. */
export function removePipelineRow(services: Services, { id }: PipelineRow): Promise<boolean> {
  return services.db.write(async (trx) => {
    const pipeline = await lockPipeline(trx, id);
    if (!pipeline) return false;
    await services.announce(trx, 'pipeline.removed', { pipeline });
    await deletePipeline(trx, id);
    return true;
  });
}
