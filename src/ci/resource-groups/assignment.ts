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

/** States before a job holds the resource; `waiting_for_resource` requests it now. */
const upcoming: ReadonlySet<string> = new Set(['created', 'scheduled', 'waiting_for_resource']);
/** States in which a job does not need the resource; manual jobs must not block others. */
const released: ReadonlySet<string> = new Set([...completed, 'manual']);

/** Registers the jobs of a new pipeline: in some modes, jobs of later pipelines wait for them. */
export async function followPipeline(
  _services: Services,
  trx: Writer,
  { pipeline, jobs }: { readonly pipeline: PipelineRow; readonly jobs: readonly PlannedJob[] },
): Promise<void> {
  if (jobs.every(({ resourceGroup }) => resourceGroup === null)) return;
  for (const job of await currentJobs(trx, pipeline.id)) await register(trx, job);
}

async function register(trx: Writer, job: CiJobRow): Promise<number | undefined> {
  const key = plannedJob(job).resourceGroup;
  if (key === null) return undefined;
  const group =
    (await store.groupByKey(trx, job.project_id, key)) ??
    (await store.ensureGroup(trx, job.project_id, key, await defaultMode(trx, job.project_id)));
  await store.addWaiting(trx, group.id, job.id);
  return group.id;
}

/** Registers a job when it needs the resource and removes it when it ends. */
export async function followJob(services: Services, trx: Writer, { job }: { readonly job: CiJobRow }): Promise<void> {
  if (plannedJob(job).resourceGroup === null) return;
  const groupId = upcoming.has(job.status)
    ? await register(trx, job)
    : released.has(job.status)
      ? await store.leaveGroup(trx, job.id)
      : undefined;
  if (groupId !== undefined) await scheduleNext(services, trx, groupId);
}

/** Removal of a pipeline may free resources for other jobs. */
export async function followRemoval(
  services: Services,
  trx: Writer,
  { pipeline }: { readonly pipeline: PipelineRow },
): Promise<void> {
  for (const groupId of await store.groupsOfPipeline(trx, pipeline.id)) await scheduleNext(services, trx, groupId);
}

async function defaultMode(trx: Writer, projectId: number): Promise<ProcessMode> {
  const found = await lookUpProject(trx, `${projectId}`);
  const configured = found && settingsOf(found.project).resource_group_default_process_mode;
  return processModes.find((mode) => mode === configured) ?? 'unordered';
}

/** Schedules assigning the resource to the next job after the transaction. */
export async function scheduleNext({ queue }: Services, trx: Writer, groupId: number): Promise<void> {
  await queue.enqueue(trx, 'ci.next-for-resource', { groupId }, { dedupeKey: `${groupId}`, priority: 1 });
}

/** Defines the job that assigns a free resource to the next job. */
export function resourceJobs(services: Services): void {
  services.queue.defineJob('ci.next-for-resource', async (job) => {
    await services.db.write(async (trx) => {
      await assignNext(services, trx, job.payload.groupId);
      await job.finish(trx);
    });
  });
}

async function assignNext(services: Services, trx: Writer, groupId: number): Promise<void> {
  const group = await store.lockGroup(trx, groupId);
  if (!group || (await store.holderOf(trx, groupId))) return;
  const next = await store.firstUpcoming(trx, group);
  // The next job may not be ready; then those behind it wait as well.
  if (next?.status !== 'waiting_for_resource') return;
  await store.setHolder(trx, next.id);
  const moved = await transitionJob(services, trx, next.id, 'enqueue_waiting_for_resource');
  if (moved) return;
  await store.leaveGroup(trx, next.id);
  await scheduleNext(services, trx, groupId);
}
