import type { Services } from '../../access/services.ts';
import { HttpError } from '../../platform/http/errors.ts';
import { type CiJobRow, lockJob, managerFeatures, updateJob } from '../jobs/public.ts';
import { deleteChunks } from './store.ts';

/** What a runner says of the log that it has sent. */
export interface SentLog {
  readonly logSize?: number | undefined;
  /** `crc32:` and eight digits. */
  readonly checksum?: string | undefined;
}

/** Whether a log is what its runner has sent; one that says nothing of it is believed. */
export function isComplete(
  { trace_size, trace_crc }: Pick<CiJobRow, 'trace_size' | 'trace_crc'>,
  { logSize, checksum }: SentLog,
): boolean {
  if (logSize !== undefined && logSize !== trace_size) return false;
  const [, sent] = /^crc32:([0-9a-f]{8})$/.exec(checksum ?? '') ?? [];
  return sent === undefined || Number.parseInt(sent, 16) === trace_crc;
}

/**
 * Has a log sent anew that is not what its runner has sent: once, and only where the runner can, as what was there goes.
 * Otherwise there is nothing but to note it.
 */
export async function requireComplete(services: Services, job: CiJobRow, sent: SentLog): Promise<void> {
  if (isComplete(job, sent)) return;
  const { trace_size: stored, trace_restarts: restarts } = job;
  services.log.warn({ job: job.id, sent: sent.logSize, stored, restarts }, 'the log of a job is not whole');
  const manager = job.runner_manager_id;
  const able = manager !== null && (await managerFeatures(services.db.read, manager)).trace_reset === true;
  if (!able || restarts > 0) return;
  await services.db.write(async (trx) => {
    if (!(await lockJob(trx, job.id))) return;
    await deleteChunks(trx, job.id);
    await updateJob(trx, job.id, { trace_size: 0, trace_crc: 0, trace_restarts: restarts + 1, updated_at: Date.now() });
  });
  const headers = { 'job-status': job.status, range: '0-0' };
  throw new HttpError(412, { message: '412 Precondition Failed' }, headers);
}
