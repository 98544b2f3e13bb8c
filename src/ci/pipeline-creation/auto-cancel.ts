import type { Services } from '../../access/services.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { AutoCancel } from '../config/public.ts';
import { currentJobs, plannedJob, statusOf, transitionJob } from '../jobs/public.ts';
import { olderPipelines, type PipelineRow } from '../pipelines/public.ts';
import { redundantJobs } from '../states/public.ts';

/** What a pipeline says of being ended by a newer one counts for so long. */
const week = 7 * 24 * 60 * 60_000;

/** Ends what older pipelines of the same ref have not done yet, as far as they let it be ended. */
export async function cancelRedundant(services: Services, trx: Writer, pipeline: PipelineRow): Promise<void> {
  for (const older of await olderPipelines(trx, pipeline, pipeline.created_at - week)) {
    const jobs = (await currentJobs(trx, older.id)).map((job) => ({
      id: job.id,
      status: statusOf(job),
      interruptible: plannedJob(job).interruptible,
    }));
    for (const id of redundantJobs(modeOf(older), jobs)) {
      await transitionJob(services, trx, id, 'cancel', { facts: { graceful: false } });
    }
  }
}

function modeOf({ auto_cancel }: PipelineRow): AutoCancel['onNewCommit'] {
  return auto_cancel === null ? 'conservative' : (JSON.parse(auto_cancel) as AutoCancel).onNewCommit;
}
