import type { Services } from '../../access/services.ts';
import { findProject } from '../../namespaces/projects/public.ts';
import { Forbidden, HttpError } from '../../platform/http/errors.ts';
import { digest, safeEqual } from '../../platform/secrets/tokens.ts';
import { type CiJobRow, jobById, statusOf } from '../jobs/public.ts';
import { heardOfJob } from '../runners/public.ts';
import { executing } from '../states/public.ts';

/** A refusal that says how the job stands: a runner stops at once where it reads that the job is over. */
export function refused(reason: string, job: CiJobRow): HttpError {
  return new HttpError(403, { message: `403 Forbidden - ${reason}` }, { 'job-status': job.status });
}

/** The job that a runner reports of, by the job's own token. Anything that is wrong is a 403, which ends the job there. */
export async function runningJob(services: Services, id: number, token: string | undefined): Promise<CiJobRow> {
  const { db } = services;
  const job = await jobById(db.read, id);
  if (!job?.token_digest || token === undefined || !safeEqual(job.token_digest, digest(token))) throw new Forbidden();
  const project = await findProject(db.read, job.project_id);
  if (!project || project.marked_for_deletion_at !== null) throw new Forbidden('Project has been deleted!');
  if (job.erased_at !== null) throw new Forbidden('Job has been erased!');
  if (!executing.has(statusOf(job))) throw refused('Job is not processing on runner', job);
  await heardOfJob(services, job);
  return job;
}

/** Where a runner puts the token of a job. */
export function jobTokenIn(headers: Readonly<Record<string, unknown>>, sent?: string): string | undefined {
  const header = headers['job-token'];
  return typeof header === 'string' && header !== '' ? header : sent;
}
