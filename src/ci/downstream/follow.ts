import type { Services } from '../../access/services.ts';
import type { Writer } from '../../platform/database/database.ts';
import { type CiJobRow, jobById, mirrorBridge, plannedJob, transitionJob } from '../jobs/public.ts';
import type { PipelineRow } from '../pipelines/public.ts';
import { bridgeStatus, completed, isStatus, type JobEvent, type Status } from '../states/public.ts';

const events: Readonly<Partial<Record<Status, JobEvent>>> = { success: 'success', failed: 'drop', canceled: 'cancel' };

/** States in which a bridge already reflects the result of its downstream pipeline. */
const settled: ReadonlySet<Status> = new Set<Status>([...completed, 'manual']);

/** Updates the bridge of a downstream pipeline, if its strategy depends on the pipeline's status. */
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
  await syncBridge(services, trx, bridge, bridgeStatus(strategy, pipeline.status));
}

/** Moves a bridge to the status of its pipeline; null while the pipeline runs. */
export async function syncBridge(
  services: Services,
  trx: Writer,
  bridge: CiJobRow,
  status: Status | null,
): Promise<void> {
  const event = status === null ? undefined : events[status];
  if (event !== undefined) {
    // The pipeline left `manual` in between: pass through `running` first.
    if (bridge.status === 'manual') await mirrorBridge(services, trx, bridge, 'running');
    await transitionJob(services, trx, bridge.id, event);
  } else if (status === 'skipped' || status === 'manual') await mirrorBridge(services, trx, bridge, status);
  else if (isStatus(bridge.status) && settled.has(bridge.status)) await mirrorBridge(services, trx, bridge, 'running');
}
