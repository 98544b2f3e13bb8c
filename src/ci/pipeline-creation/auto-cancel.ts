import Type from 'typebox';
import type { Services } from '../../access/services.ts';
import type { Writer } from '../../platform/database/database.ts';
import { storedJson } from '../../platform/stored-json.ts';
import type { AutoCancel } from '../config/public.ts';
import { currentJobs, plannedJob, statusOf, stopsGracefully, transitionJob } from '../jobs/public.ts';
import { olderPipelines, type PipelineRow } from '../pipelines/public.ts';
import { redundantJobs } from '../states/public.ts';

const storedAutoCancel = storedJson(
  Type.Object({
    onNewCommit: Type.Enum(['conservative', 'interruptible', 'none']),
    onJobFailure: Type.Enum(['all', 'none']),
  }),
);

/** Only pipelines younger than this are canceled as redundant. */
const maxAgeMs = 7 * 24 * 60 * 60_000;

/** Cancels interruptible jobs of older pipelines of the same ref. Running ones stop gracefully if their runner can. */
export async function cancelRedundant(services: Services, trx: Writer, pipeline: PipelineRow): Promise<void> {
  for (const older of await olderPipelines(trx, pipeline, pipeline.created_at - maxAgeMs)) {
    const current = await currentJobs(trx, older.id);
    const runners = new Map(current.map((job) => [job.id, job.runner_manager_id]));
    const jobs = current.map((job) => ({
      id: job.id,
      status: statusOf(job),
      interruptible: plannedJob(job).interruptible,
    }));
    for (const id of redundantJobs(autoCancelOf(older).onNewCommit, jobs)) {
      const graceful = await stopsGracefully(trx, runners.get(id) ?? null);
      await transitionJob(services, trx, id, 'cancel', { facts: { graceful } });
    }
  }
}

/** The auto-cancel configuration of a pipeline. */
export function autoCancelOf({ auto_cancel }: Pick<PipelineRow, 'auto_cancel'>): AutoCancel {
  return auto_cancel === null ? { onNewCommit: 'conservative', onJobFailure: 'none' } : storedAutoCancel(auto_cancel);
}
