import type { Services } from '../../access/services.ts';
import { lookUpProject, settingsOf } from '../../access/subjects.ts';
import type { Writer } from '../../platform/database/database.ts';
import { type CiJobRow, plannedJob, transitionJob } from '../jobs/public.ts';
import { completed, isStatus } from '../states/public.ts';
import * as store from './store.ts';
import { type ProcessMode, processModes } from './tables.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    'ci.next-for-resource': { groupId: number };
  }
}

/** Has jobs wait for what they use one at a time, and leave it when they are over. */
export async function followJob(services: Services, trx: Writer, { job }: { readonly job: CiJobRow }): Promise<void> {
  if (job.status === 'waiting_for_resource') {
    const key = plannedJob(job).resourceGroup;
    if (key === null) return;
    const group = await store.ensureGroup(trx, job.project_id, key, await defaultMode(trx, job.project_id));
    await store.addWaiting(trx, group.id, job.id);
    await nextTurn(services, trx, group.id);
  } else if (plannedJob(job).resourceGroup !== null && isStatus(job.status) && completed.has(job.status)) {
    const groupId = await store.leaveGroup(trx, job.id);
    if (groupId !== undefined) await nextTurn(services, trx, groupId);
  }
}

async function defaultMode(trx: Writer, projectId: number): Promise<ProcessMode> {
  const found = await lookUpProject(trx, `${projectId}`);
  const wanted = found && settingsOf(found.project).resource_group_default_process_mode;
  return processModes.find((mode) => mode === wanted) ?? 'unordered';
}

async function nextTurn({ queue }: Services, trx: Writer, groupId: number): Promise<void> {
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
  const next = await store.firstWaiting(trx, group);
  if (!next) return;
  await store.setHolder(trx, next.id);
  const moved = await transitionJob(services, trx, next.id, 'enqueue_waiting_for_resource');
  if (moved) return;
  await store.leaveGroup(trx, next.id);
  await nextTurn(services, trx, groupId);
}
