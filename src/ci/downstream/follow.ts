import type { Services } from '../../access/services.ts';
import type { Writer } from '../../platform/database/database.ts';
import { type CiJobRow, jobById, mirrorBridge, plannedJob, transitionJob } from '../jobs/public.ts';
import type { PipelineRow } from '../pipelines/public.ts';
import { bridgeStatus, completed, isStatus, type JobEvent, type Status } from '../states/public.ts';

const events: Readonly<Partial<Record<Status, JobEvent>>> = { success: 'success', failed: 'drop', canceled: 'cancel' };

/** A bridge in one of these states that is to wait for its pipeline has been told what became of it. */
const over: ReadonlySet<Status> = new Set<Status>([...completed, 'manual']);

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
  if (bridge.retried === 1) return;
  await tellBridge(services, trx, bridge, bridgeStatus(strategy, pipeline.status));
}

/** Gives a bridge the state that the pipeline it shows comes to; null: that one is under way. */
export async function tellBridge(
  services: Services,
  trx: Writer,
  bridge: CiJobRow,
  wanted: Status | null,
): Promise<void> {
  const event = wanted === null ? undefined : events[wanted];
  if (event !== undefined) {
    // What waited for a hand has gone on in between.
    if (bridge.status === 'manual') await mirrorBridge(services, trx, bridge, 'running');
    await transitionJob(services, trx, bridge.id, event);
  } else if (wanted === 'skipped' || wanted === 'manual') await mirrorBridge(services, trx, bridge, wanted);
  else if (isStatus(bridge.status) && over.has(bridge.status)) await mirrorBridge(services, trx, bridge, 'running');
}
