import type { Services } from '../../access/services.ts';
import type { Writer } from '../../platform/database/database.ts';
import { jobById, plannedJob, restartBridge, transitionJob } from '../jobs/public.ts';
import type { PipelineRow } from '../pipelines/public.ts';
import { bridgeStatus, completed, isStatus, type JobEvent, type Status } from '../states/public.ts';

const events: Readonly<Partial<Record<Status, JobEvent>>> = { success: 'success', failed: 'drop', canceled: 'cancel' };

/** Lets a bridge that waits for its pipeline know what has become of it. */
export async function followDownstream(
  services: Services,
  trx: Writer,
  { pipeline }: { readonly pipeline: PipelineRow },
): Promise<void> {
  if (pipeline.parent_job_id === null || !isStatus(pipeline.status)) return;
  const bridge = await jobById(trx, pipeline.parent_job_id);
  const strategy = bridge && plannedJob(bridge).trigger?.strategy;
  if (!bridge || !strategy || bridge.kind !== 'bridge' || bridge.downstream_pipeline_id !== pipeline.id) return;
  const wanted = bridgeStatus(strategy, pipeline.status);
  const event = wanted === null ? undefined : events[wanted];
  if (event !== undefined) await transitionJob(services, trx, bridge.id, event);
  else if (wanted === 'skipped') {
    await transitionJob(services, trx, bridge.id, 'success', { change: { status: 'skipped' } });
  } else if (wanted === null && isStatus(bridge.status) && completed.has(bridge.status) && bridge.retried === 0) {
    await restartBridge(services, trx, bridge);
  }
}
