import { type SignedInActor, seesAll } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { findProjects, subjectsOf } from '../../namespaces/projects/public.ts';
import { Forbidden } from '../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../platform/http/pagination.ts';
import { jobsOfRunner, presentRunnerJobs, type RunnerJobEntity } from '../jobs/public.ts';
import { readableRunner } from './access.ts';

interface Listing {
  readonly id: number;
  readonly system_id?: string | undefined;
  readonly status?: string | undefined;
  readonly sort: 'asc' | 'desc';
}

/** What a runner has run, as far as the caller is a Reporter there. */
export async function listRunnerJobs(
  services: Services,
  caller: SignedInActor,
  { id, ...listing }: Listing,
  page: PageRequest,
): Promise<Page<RunnerJobEntity>> {
  const { runner, may } = await readableRunner(services, caller, id);
  if (!may.jobs) throw new Forbidden('No access granted');
  const { read } = services.db;
  const filter = { ...listing, runnerId: runner.id, userId: seesAll(caller) ? null : caller.user.id };
  const { rows, more } = await jobsOfRunner(read, filter, page);
  const projects = await findProjects(read, [...new Set(rows.map(({ project_id }) => project_id))]);
  const subjects = await subjectsOf(read, caller, projects);
  return new Page(await presentRunnerJobs(services, subjects, rows), undefined, more);
}
