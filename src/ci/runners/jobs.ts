import { canReadEverything, type SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { findProjects, subjectsOf } from '../../namespaces/projects/public.ts';
import { Forbidden } from '../../platform/http/errors.ts';
import { cursorOfToken, cursorPage } from '../../platform/http/pages/cursor.ts';
import { KeysetPage, Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import {
  type CiJobRow,
  pageWithoutTotal,
  presentRunnerJobs,
  type RunnerJobEntity,
  runnerJobs,
} from '../jobs/public.ts';
import type { Status } from '../states/public.ts';
import { readableRunner } from './access.ts';
import { findManager } from './store.ts';

interface Listing {
  readonly id: number;
  readonly system_id?: string | undefined;
  readonly status?: Status | undefined;
  readonly sort: 'asc' | 'desc';
  readonly pagination?: string | undefined;
  readonly cursor?: string | undefined;
  readonly page_token?: string | undefined;
}

/**
 * Lists the jobs of a runner in projects the caller has at least the Reporter role for, with offset or keyset
 * pagination.
 */
export async function listRunnerJobs(
  services: Services,
  caller: SignedInActor,
  { id, pagination, cursor, page_token, system_id, status, sort }: Listing,
  page: PageRequest,
): Promise<Page<RunnerJobEntity> | KeysetPage<RunnerJobEntity>> {
  const { runner, may } = await readableRunner(services, caller, id);
  if (!may.jobs) throw new Forbidden('No access granted');
  const { read } = services.db;
  const manager = system_id === undefined ? undefined : await findManager(read, runner.id, system_id);
  if (system_id !== undefined && !manager) return new Page([], undefined, false);
  const scope = {
    runner: runner.id,
    manager: manager?.id,
    user: canReadEverything(caller) ? undefined : caller.user.id,
    now: Date.now(),
  };
  const filters = { status };
  const order = { by: 'id', direction: sort } as const;
  const present = async (rows: readonly CiJobRow[]) => {
    const projects = await findProjects(read, [...new Set(rows.map(({ project_id }) => project_id))]);
    return presentRunnerJobs(services, await subjectsOf(read, caller, projects), rows);
  };
  const keyset = pagination === 'keyset' ? runnerJobs.keyset(order) : undefined;
  if (!keyset) {
    const { rows, more } = await pageWithoutTotal(page, (slice) => runnerJobs.rows(read, scope, filters, order, slice));
    return new Page(await present(rows), undefined, more);
  }
  const found = await cursorPage(keyset, cursor ?? cursorOfToken(page_token), (position) =>
    runnerJobs.walk(read, scope, filters, keyset, position, page.perPage),
  );
  return new KeysetPage(await present(found.items), found.next, found.headers);
}
