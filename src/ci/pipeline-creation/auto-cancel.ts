import Type from 'typebox';
import type { Services } from '../../access/services.ts';
import type { Writer } from '../../platform/database/database.ts';
import { storedJson } from '../../platform/stored-json.ts';
import type { AutoCancel } from '../config/public.ts';
import { currentJobs, plannedJob, statusOf, transitionJob } from '../jobs/public.ts';
import { olderPipelines, type PipelineRow } from '../pipelines/public.ts';
import { redundantJobs } from '../states/public.ts';

const storedAutoCancel = storedJson(
  Type.Object({
    onNewCommit: Type.Enum(['conservative', 'interruptible', 'none']),
    onJobFailure: Type.Enum(['all', 'none']),
  }),
);

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
    for (const id of redundantJobs(autoCancelOf(older).onNewCommit, jobs)) {
      await transitionJob(services, trx, id, 'cancel', { facts: { graceful: false } });
    }
  }
}

/** What the configuration of a pipeline says of ending it early. */
export function autoCancelOf({ auto_cancel }: Pick<PipelineRow, 'auto_cancel'>): AutoCancel {
  return auto_cancel === null ? { onNewCommit: 'conservative', onJobFailure: 'none' } : storedAutoCancel(auto_cancel);
}
