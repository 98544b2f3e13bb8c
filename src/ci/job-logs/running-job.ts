import type { Services } from '../../access/services.ts';
import { findProject } from '../../namespaces/projects/public.ts';
import { Forbidden, HttpError } from '../../platform/http/errors.ts';
import { digest, safeEqual } from '../../platform/secrets/tokens.ts';
import { type CiJobRow, jobById, statusOf } from '../jobs/public.ts';
import { recordJobContact } from '../runners/public.ts';
import { executing } from '../states/public.ts';

/** A 403 with the status of the job: a runner stops at once when it reads that the job ended. */
export function jobForbidden(reason: string, job: CiJobRow): HttpError {
  return new HttpError(403, { message: `403 Forbidden - ${reason}` }, { 'job-status': job.status });
}

/**
 * Authenticates a runner's report by the job token and returns the job. Any error is a 403, upon which the runner
 * aborts the job.
 */
export async function runningJob(services: Services, id: number, token: string | undefined): Promise<CiJobRow> {
  const { db } = services;
  const job = await jobById(db.read, id);
  if (!job?.token_digest || token === undefined || !safeEqual(job.token_digest, digest(token))) throw new Forbidden();
  const project = await findProject(db.read, job.project_id);
  if (!project || project.marked_for_deletion_at !== null) throw new Forbidden('Project has been deleted!');
  assertExecuting(job);
  await recordJobContact(services, job);
  return job;
}

/** Rejects reports on jobs that a runner no longer executes. */
export function assertExecuting(job: CiJobRow): void {
  if (job.erased_at !== null) throw new Forbidden('Job has been erased!');
  if (!executing.has(statusOf(job))) throw jobForbidden('Job is not processing on runner', job);
}

/** Reads the job token from the header or, if absent, the parameter. */
export function jobTokenIn(headers: Readonly<Record<string, unknown>>, sent?: string): string | undefined {
  const header = headers['job-token'];
  return typeof header === 'string' && header !== '' ? header : sent;
}
