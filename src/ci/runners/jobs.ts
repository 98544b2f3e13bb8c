import { type SignedInActor, seesAll } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { findProjects, subjectsOf } from '../../namespaces/projects/public.ts';
import { Forbidden } from '../../platform/http/errors.ts';
import { cursorPage } from '../../platform/http/pages/cursor.ts';
import { KeysetPage, Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import {
  type CiJobRow,
  jobsOfRunner,
  jobsOfRunnerBeyond,
  presentRunnerJobs,
  type RunnerJobEntity,
} from '../jobs/public.ts';
import { readableRunner } from './access.ts';

interface Listing {
  readonly id: number;
  readonly system_id?: string | undefined;
  readonly status?: string | undefined;
  readonly sort: 'asc' | 'desc';
  readonly pagination?: string | undefined;
  readonly cursor?: string | undefined;
  readonly page_token?: string | undefined;
}

/** What a runner has run, as far as the caller is a Reporter there: by offset or by cursor. */
export async function listRunnerJobs(
  services: Services,
  caller: SignedInActor,
  { id, pagination, cursor, page_token, ...listing }: Listing,
  page: PageRequest,
): Promise<Page<RunnerJobEntity> | KeysetPage<RunnerJobEntity>> {
  const { runner, may } = await readableRunner(services, caller, id);
  if (!may.jobs) throw new Forbidden('No access granted');
  const { read } = services.db;
  const filter = { ...listing, runnerId: runner.id, userId: seesAll(caller) ? null : caller.user.id };
  const present = async (rows: readonly CiJobRow[]) => {
    const projects = await findProjects(read, [...new Set(rows.map(({ project_id }) => project_id))]);
    return presentRunnerJobs(services, await subjectsOf(read, caller, projects), rows);
  };
  if (pagination !== 'keyset') {
    const { rows, more } = await jobsOfRunner(read, filter, page);
    return new Page(await present(rows), undefined, more);
  }
  const order = { columns: { id: 'integer' }, descending: listing.sort === 'desc' } as const;
  const found = await cursorPage(order, cursor ?? page_token, (position) =>
    jobsOfRunnerBeyond(read, filter, order, position, page.perPage),
  );
  return new KeysetPage(await present(found.items), found.next, found.headers);
}
