import type { Services } from '../../access/services.ts';
import { lookUpProject, settingsOf } from '../../access/subjects.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { PlannedJob } from '../config/public.ts';
import { type CiJobRow, currentJobs, plannedJob, transitionJob } from '../jobs/public.ts';
import type { PipelineRow } from '../pipelines/public.ts';
import { completed } from '../states/public.ts';
import * as store from './store.ts';
import { type ProcessMode, processModes } from './tables.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    'ci.next-for-resource': { groupId: number };
  }
}

/** A job in one of these states will want what it uses one at a time; in the others of them it wants it now. */
const upcoming: ReadonlySet<string> = new Set(['created', 'scheduled', 'waiting_for_resource']);
/** A job in one of these has left it: what waits for a hand holds nobody up. */
const gone: ReadonlySet<string> = new Set([...completed, 'manual']);

/** Notes the jobs of a new pipeline that will want something: in some modes later pipelines wait for them. */
export async function followPipeline(
  _services: Services,
  trx: Writer,
  { pipeline, jobs }: { readonly pipeline: PipelineRow; readonly jobs: readonly PlannedJob[] },
): Promise<void> {
  if (jobs.every(({ resourceGroup }) => resourceGroup === null)) return;
  for (const job of await currentJobs(trx, pipeline.id)) await expect(trx, job);
}

async function expect(trx: Writer, job: CiJobRow): Promise<number | undefined> {
  const key = plannedJob(job).resourceGroup;
  if (key === null) return undefined;
  const group =
    (await store.groupByKey(trx, job.project_id, key)) ??
    (await store.ensureGroup(trx, job.project_id, key, await defaultMode(trx, job.project_id)));
  await store.addWaiting(trx, group.id, job.id);
  return group.id;
}

/** Has jobs wait for what they use one at a time, and leave it when they are over. */
export async function followJob(services: Services, trx: Writer, { job }: { readonly job: CiJobRow }): Promise<void> {
  if (plannedJob(job).resourceGroup === null) return;
  const groupId = upcoming.has(job.status)
    ? await expect(trx, job)
    : gone.has(job.status)
      ? await store.leaveGroup(trx, job.id)
      : undefined;
  if (groupId !== undefined) await nextTurn(services, trx, groupId);
}

/** The others of a group do not wait for the jobs of a pipeline that is removed. */
export async function followRemoval(
  services: Services,
  trx: Writer,
  { pipeline }: { readonly pipeline: PipelineRow },
): Promise<void> {
  for (const groupId of await store.groupsOfPipeline(trx, pipeline.id)) await nextTurn(services, trx, groupId);
}

async function defaultMode(trx: Writer, projectId: number): Promise<ProcessMode> {
  const found = await lookUpProject(trx, `${projectId}`);
  const wanted = found && settingsOf(found.project).resource_group_default_process_mode;
  return processModes.find((mode) => mode === wanted) ?? 'unordered';
}

/** Has the resource given to whoever is next, soon after the transaction. */
export async function nextTurn({ queue }: Services, trx: Writer, groupId: number): Promise<void> {
  await queue.enqueue(trx, 'ci.next-for-resource', { groupId }, { dedupeKey: `${groupId}`, priority: 1 });
}

/** Says how a resource that is free is given to the next job. */
export function resourceJobs(services: Services): void {
  services.queue.defineJob('ci.next-for-resource', async (job) => {
    await services.db.write(async (trx) => {
      await giveNext(services, trx, job.payload.groupId);
      await job.finish(trx);
    });
  });
}

async function giveNext(services: Services, trx: Writer, groupId: number): Promise<void> {
  const group = await store.lockGroup(trx, groupId);
  if (!group || (await store.holderOf(trx, groupId))) return;
  const next = await store.firstUpcoming(trx, group);
  // The one whose turn it is may not be ready: then those behind it wait as well.
  if (next?.status !== 'waiting_for_resource') return;
  await store.setHolder(trx, next.id);
  const moved = await transitionJob(services, trx, next.id, 'enqueue_waiting_for_resource');
  if (moved) return;
  await store.leaveGroup(trx, next.id);
  await nextTurn(services, trx, groupId);
}
