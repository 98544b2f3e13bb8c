import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { Forbidden, HttpError, NotFound } from '../../platform/http/errors.ts';
import { cursorOfToken, cursorPage } from '../../platform/http/pages/cursor.ts';
import { KeysetPage, Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import { readRange } from '../../platform/http/responses/byte-range.ts';
import { pipelineOfProject } from '../pipelines/public.ts';
import type { Status } from '../states/public.ts';
import { needsOf } from './job-row.ts';
import { inStates, type JobFilter, jobsOfPipeline, pageWithoutTotal, projectJobs } from './list.ts';
import { presentBridges, presentJobs } from './present.ts';
import type { BridgeEntity, JobEntity, JobInGraphEntity } from './schema.ts';
import { requireJob } from './service.ts';
import type { CiJobRow } from './tables.ts';
import { openTrace } from './trace.ts';

interface JobListing extends JobFilter {
  readonly pagination?: string;
  readonly cursor?: string;
  readonly page_token?: string;
  readonly sort: 'asc' | 'desc';
}

/** Lists the jobs of a project, with offset or keyset pagination. */
export async function listProjectJobs(
  services: Services,
  subject: ProjectSubject,
  { pagination, cursor, page_token, sort, scope, ref }: JobListing,
  page: PageRequest,
): Promise<Page<JobEntity> | KeysetPage<JobEntity>> {
  const { db } = services;
  const project = inStates(subject.project.id, scope);
  const filters = { ref };
  const order = { by: 'id', direction: sort } as const;
  const keyset = pagination === 'keyset' ? projectJobs.keyset(order) : undefined;
  if (!keyset) {
    const { rows, more } = await pageWithoutTotal(page, (slice) =>
      projectJobs.rows(db.read, project, filters, order, slice),
    );
    return new Page(await presentJobs(services, subject, rows), undefined, more);
  }
  const found = await cursorPage(keyset, cursor ?? cursorOfToken(page_token), (position) =>
    projectJobs.walk(db.read, project, filters, keyset, position, page.perPage),
  );
  return new KeysetPage(await presentJobs(services, subject, found.items), found.next, found.headers);
}

async function requirePipeline({ db }: Services, subject: ProjectSubject, id: number): Promise<void> {
  if (!(await pipelineOfProject(db.read, subject.project.id, id))) throw NotFound.record();
}

export async function listPipelineJobs(
  services: Services,
  subject: ProjectSubject,
  pipelineId: number,
  { scope, include_retried }: { readonly scope?: Status[]; readonly include_retried: boolean },
  page: PageRequest,
): Promise<Page<JobEntity>> {
  await requirePipeline(services, subject, pipelineId);
  const filter = { scope, kind: 'build', retried: include_retried } as const;
  const { rows, total } = await jobsOfPipeline(services.db.read, pipelineId, filter, page);
  return new Page(await presentJobs(services, subject, rows), total);
}

export async function listBridges(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  pipelineId: number,
  scope: Status[] | undefined,
  page: PageRequest,
): Promise<Page<BridgeEntity>> {
  await requirePipeline(services, subject, pipelineId);
  const filter = { scope, kind: 'bridge', retried: false } as const;
  const { rows, total } = await jobsOfPipeline(services.db.read, pipelineId, filter, page);
  return new Page(await presentBridges(services, caller, subject, rows), total);
}

/** Lists the jobs and their needs, to draw the pipeline graph. */
export async function listNeeds(
  services: Services,
  subject: ProjectSubject,
  pipelineId: number,
  page: PageRequest,
): Promise<Page<JobInGraphEntity>> {
  await requirePipeline(services, subject, pipelineId);
  const { rows, total } = await jobsOfPipeline(services.db.read, pipelineId, { retried: false }, page);
  const present = (row: CiJobRow): JobInGraphEntity => {
    const { id, name, kind, stage, stage_index, status } = row;
    const needs = needsOf(row);
    return { id, name, kind, stage, stage_index, status, needs: needs && [...needs] };
  };
  return new Page(rows.map(present), total);
}

/** Opens the log of a job. Debug logs may contain secrets, so they require Developer access. */
export async function readTrace(services: Services, subject: ProjectSubject, id: number, header?: string) {
  const job = await requireJob(services, subject, id);
  if (job.debug_trace === 1 && !subject.can('update_pipeline')) throw new Forbidden();
  if (job.erased_at !== null) return undefined;
  const part = readRange(header, job.trace_size);
  if (part === 'beyond') throw new HttpError(416, '', { 'content-range': `bytes */${job.trace_size}` });
  const trace = await openTrace(services, job, part);
  return trace && { ...trace, part };
}
