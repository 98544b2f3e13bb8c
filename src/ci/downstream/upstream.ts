import { actingFor } from '../../access/actor.ts';
import { unusable } from '../../access/credentials/account-state.ts';
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
import { tellBridge } from './follow.ts';
import { insertMirrored, mirrorsOf } from './store.ts';

/** Where the latest pipeline of a branch is looked for: the newest may be those of merge requests, or children. */
const maxPipelines = 50;

/** Has a bridge show the state of the latest pipeline of another project; done twice, the second time finds it running. */
export async function mirrorUpstream(services: Services, jobId: number): Promise<void> {
  const { db } = services;
  const bridge = await jobById(db.read, jobId);
  if (bridge?.status !== 'pending') return;
  const found = await upstreamOf(services, bridge);
  await db.write(async (trx) => {
    // First, as whatever changes it does: its state is then either seen here, or told to the bridge.
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
    await show(services, trx, bridge.id, upstream);
  });
}

/** The latest pipeline of the default branch, as far as whoever the bridge runs for may see it. */
async function upstreamOf(services: Services, bridge: CiJobRow): Promise<PipelineRow | { readonly refused: string }> {
  const { db, externalUrl } = services;
  const user = await findUser(db.read, bridge.user_id);
  if (!user || unusable(user, externalUrl) !== undefined) return { refused: 'insufficient_upstream_permissions' };
  const values = new Map((await variablesOfJob(services, db.read, bridge)).map((one) => [one.key, one.value]));
  const path = expandKnown(plannedJob(bridge).upstream ?? '', (name) => values.get(name));
  const subject = await readableProject(db, actingFor(user), path).catch((error: unknown) => {
    if (error instanceof HttpError) return null;
    throw error;
  });
  if (!subject) return { refused: 'upstream_bridge_project_not_found' };
  if (!mayReadPipelines(subject)) return { refused: 'insufficient_upstream_permissions' };
  const recent = await recentPipelines(db.read, subject.project.id, defaultBranch(subject), maxPipelines);
  const isOwn = ({ id, source }: PipelineRow) => id !== bridge.pipeline_id && source !== 'parent_pipeline';
  return recent.find(isOwn) ?? { refused: 'upstream_bridge_project_not_found' };
}

/** Tells the bridges that show a pipeline what has become of it. */
export async function followUpstream(
  services: Services,
  trx: Writer,
  { pipeline }: { readonly pipeline: PipelineRow },
): Promise<void> {
  for (const jobId of await mirrorsOf(trx, pipeline.id)) await show(services, trx, jobId, pipeline);
}

async function show(services: Services, trx: Writer, jobId: number, { status }: PipelineRow): Promise<void> {
  const bridge = await jobById(trx, jobId);
  if (!bridge || bridge.retried === 1 || !isStatus(status)) return;
  // Somebody has ended it: it shows nothing any more.
  if (bridge.status === 'canceled' && status !== 'canceled') return;
  await tellBridge(services, trx, bridge, bridgeStatus('mirror', status));
}

/** What showed a pipeline that is removed has nothing to wait for any more. */
export async function loseUpstream(
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
