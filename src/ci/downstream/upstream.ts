import { actorOnBehalfOf } from '../../access/actor.ts';
import { accountRefusal } from '../../access/credentials/account-state.ts';
import { findUser } from '../../access/credentials/identify.ts';
import type { Services } from '../../access/services.ts';
import { readableProject } from '../../access/subjects.ts';
import { defaultBranch } from '../../code/repository/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import { HttpError } from '../../platform/http/errors.ts';
import { expandKnown } from '../config/public.ts';
import { type CiJobRow, jobById, lockJob, plannedJob, transitionJob } from '../jobs/public.ts';
import { lockPipeline, mayReadPipelines, type PipelineRow, recentPipelines } from '../pipelines/public.ts';
import { bridgeStatus, isStatus } from '../states/public.ts';
import { variablesOfJob } from '../variables/public.ts';
import { syncBridge } from './follow.ts';
import { insertMirrored, mirrorsOf } from './store.ts';

/** Number of recent pipelines searched for the latest one, because the newest may be child pipelines. */
const maxPipelines = 50;

/**
 * Makes a bridge mirror the latest pipeline of another project. Idempotent: a repeated run finds the bridge running.
 */
export async function mirrorUpstream(services: Services, jobId: number): Promise<void> {
  const { db } = services;
  const bridge = await jobById(db.read, jobId);
  if (bridge?.status !== 'pending') return;
  const found = await upstreamOf(services, bridge);
  await db.write(async (trx) => {
    // Locked first, in the order that pipeline changes use: a change is either visible here or reported to the bridge.
    const upstream = 'refused' in found ? undefined : await lockPipeline(trx, found.id);
    const locked = await lockJob(trx, bridge.id);
    if (locked?.status !== 'pending') return;
    if (!upstream) {
      const failureReason = 'refused' in found ? found.refused : 'upstream_bridge_project_not_found';
      await transitionJob(services, trx, bridge.id, 'drop', { failureReason });
      return;
    }
    await insertMirrored(trx, bridge.id, upstream.id);
    await transitionJob(services, trx, bridge.id, 'run');
    await mirrorStatus(services, trx, bridge.id, upstream);
  });
}

/** The latest pipeline of the default branch, if the user of the bridge can read it. */
async function upstreamOf(services: Services, bridge: CiJobRow): Promise<PipelineRow | { readonly refused: string }> {
  const { db, externalUrl } = services;
  const user = await findUser(db.read, bridge.user_id);
  if (!user || accountRefusal(user, externalUrl) !== undefined) return { refused: 'insufficient_upstream_permissions' };
  const values = new Map((await variablesOfJob(services, db.read, bridge)).map((one) => [one.key, one.value]));
  const path = expandKnown(plannedJob(bridge).upstream ?? '', (name) => values.get(name));
  const subject = await readableProject(db, actorOnBehalfOf(user), path).catch((error: unknown) => {
    if (error instanceof HttpError) return null;
    throw error;
  });
  if (!subject) return { refused: 'upstream_bridge_project_not_found' };
  if (!mayReadPipelines(subject)) return { refused: 'insufficient_upstream_permissions' };
  const recent = await recentPipelines(db.read, subject.project.id, defaultBranch(subject), maxPipelines);
  const isOwn = ({ id, source }: PipelineRow) => id !== bridge.pipeline_id && source !== 'parent_pipeline';
  return recent.find(isOwn) ?? { refused: 'upstream_bridge_project_not_found' };
}

/** Updates the bridges that mirror a changed pipeline. */
export async function followUpstream(
  services: Services,
  trx: Writer,
  { pipeline }: { readonly pipeline: PipelineRow },
): Promise<void> {
  for (const jobId of await mirrorsOf(trx, pipeline.id)) await mirrorStatus(services, trx, jobId, pipeline);
}

async function mirrorStatus(services: Services, trx: Writer, jobId: number, { status }: PipelineRow): Promise<void> {
  const bridge = await jobById(trx, jobId);
  if (!bridge || bridge.retried === 1 || !isStatus(status)) return;
  // A canceled bridge no longer mirrors the pipeline.
  if (bridge.status === 'canceled' && status !== 'canceled') return;
  await syncBridge(services, trx, bridge, bridgeStatus('mirror', status));
}

/** Fails the running bridges that mirror a removed pipeline. */
export async function failBridgesOfUpstream(
  services: Services,
  trx: Writer,
  { pipeline }: { readonly pipeline: PipelineRow },
): Promise<void> {
  for (const jobId of await mirrorsOf(trx, pipeline.id)) {
    const bridge = await jobById(trx, jobId);
    if (bridge?.status !== 'running') continue;
    await transitionJob(services, trx, jobId, 'drop', { failureReason: 'upstream_bridge_project_not_found' });
  }
}
