import type { Services } from '../../access/services.ts';
import { HttpError } from '../../platform/http/errors.ts';
import { type CiJobRow, lockJob, managerFeatures, updateJob } from '../jobs/public.ts';
import { deleteChunks } from './store.ts';

/** Size and checksum that a runner states for the log it sent. */
export interface SentLog {
  readonly logSize?: number | undefined;
  /** `crc32:` and eight hexadecimal digits. */
  readonly checksum?: string | undefined;
}

/** Whether the stored log matches the size and checksum stated by the runner, as far as they are given. */
export function isComplete(
  { trace_size, trace_crc }: Pick<CiJobRow, 'trace_size' | 'trace_crc'>,
  { logSize, checksum }: SentLog,
): boolean {
  if (logSize !== undefined && logSize !== trace_size) return false;
  const [, sent] = /^crc32:([0-9a-f]{8})$/.exec(checksum ?? '') ?? [];
  return sent === undefined || Number.parseInt(sent, 16) === trace_crc;
}

/**
 * Requests an incomplete log again by discarding it. Only done once, and only if the runner supports it, because the
 * stored log is lost. Otherwise only logs a warning.
 */
export async function requireComplete(services: Services, job: CiJobRow, sent: SentLog): Promise<void> {
  if (isComplete(job, sent)) return;
  const { trace_size: stored, trace_restarts: restarts } = job;
  services.log.warn({ job: job.id, sent: sent.logSize, stored, restarts }, 'the stored log of a job is incomplete');
  const manager = job.runner_manager_id;
  const canResend = manager !== null && (await managerFeatures(services.db.read, manager)).trace_reset === true;
  if (!canResend || restarts > 0) return;
  await services.db.write(async (trx) => {
    if (!(await lockJob(trx, job.id))) return;
    await deleteChunks(trx, job.id);
    await updateJob(trx, job.id, { trace_size: 0, trace_crc: 0, trace_restarts: restarts + 1, updated_at: Date.now() });
  });
  const headers = { 'job-status': job.status, range: '0-0' };
  throw new HttpError(412, { message: '412 Precondition Failed' }, headers);
}
