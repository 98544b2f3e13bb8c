import { type SqlBool, sql } from 'kysely';
import type { Reader } from '../../platform/database/database.ts';
import { type BoundFilterOf, boundProperties } from '../../platform/database/form.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { param } from '../../platform/http/params.ts';
import { driving, type Filter } from '../../platform/list-kit/filter.ts';
import { choice, matches, whenTrue } from '../../platform/list-kit/filters.ts';
import { list } from '../../platform/list-kit/list.ts';
import { byId } from '../../platform/list-kit/order.ts';
import { type Status, statuses } from '../states/public.ts';
import type { CiJobRow } from './tables.ts';

const oneOrMoreStatuses = param.oneOrMoreOf(statuses, { description: 'Job statuses to return; defaults to all' });

/** Bound as separate values: with a single status, an index returns the jobs in order. */
const scope: Filter<typeof oneOrMoreStatuses, unknown, false> = {
  param: oneOrMoreStatuses,
  negatable: false,
  read: (requested: readonly Status[]) => (requested.length === 0 ? undefined : { values: [...new Set(requested)] }),
  condition: ({ values }) => sql<SqlBool>`ci_jobs.status in (${sql.join(values)})`,
};

export interface JobFilter {
  readonly scope?: Status[] | undefined;
  readonly ref?: string | undefined;
}

/** Parameter for job statuses. */
export const scopeParam = scope.param;

interface ProjectScope {
  readonly project: number;
  readonly status?: Status;
}

const projectScope = boundProperties<ProjectScope>()({ values: ['project', 'status'] });
type BoundProject = BoundFilterOf<typeof projectScope>;

/**
 * With a status given, SQLite is kept from using the index on refs: it would read all jobs of the ref instead of the
 * few with the status.
 */
const ref = driving(
  matches(
    param.string(),
    (name, { status }: BoundProject, engine) =>
      status && engine === 'sqlite' ? sql<SqlBool>`+ci_jobs.ref = ${name}` : sql<SqlBool>`ci_jobs.ref = ${name}`,
    { blank: true },
  ),
  {
    ordered: true,
    ids: ({ values: [name] }, { project }: BoundProject) =>
      sql`select ci_jobs.id as id from ci_jobs where ci_jobs.project_id = ${project} and ci_jobs.ref = ${name}`,
  },
);

/** The jobs of a project. There may be millions, so pages have no total. */
export const projectJobs = list({
  id: 'ci_jobs.id',
  scope: projectScope,
  filters: { ref },
  orders: { id: byId },
  lateRows: true,
  select: (db, { project, status }) => {
    const jobs = db
      .selectFrom('ci_jobs')
      .selectAll('ci_jobs')
      .where('ci_jobs.project_id', '=', project)
      .where('ci_jobs.kind', '=', sql.lit('build'));
    return status ? jobs.where('ci_jobs.status', '=', status) : jobs;
  },
});

/** One scope per requested status: an index returns the jobs of each in order. */
export function inStates(project: number, states: readonly Status[] | undefined): ProjectScope[] {
  if (!states || states.length === 0) return [{ project }];
  return [...new Set(states)].map((status) => ({ project, status }));
}

const pipelineJobs = list({
  id: 'ci_jobs.id',
  scope: boundProperties<{ pipeline: number }>()({ values: ['pipeline'] }),
  filters: {
    scope,
    kind: choice({ build: sql<SqlBool>`ci_jobs.kind = 'build'`, bridge: sql<SqlBool>`ci_jobs.kind = 'bridge'` }),
    current: whenTrue(sql<SqlBool>`ci_jobs.retried = 0`),
  },
  orders: { id: byId },
  select: (db, { pipeline }) => db.selectFrom('ci_jobs').selectAll('ci_jobs').where('pipeline_id', '=', pipeline),
});

/** One page of the builds, bridges or both of a pipeline. */
export function jobsOfPipeline(
  db: Reader,
  pipeline: number,
  { scope: states, kind, retried }: JobFilter & { readonly kind?: 'build' | 'bridge'; readonly retried: boolean },
  slice: Slice,
): Promise<{ rows: CiJobRow[]; total: number }> {
  const filters = { scope: states, kind, current: !retried };
  return pipelineJobs.page(db, { pipeline }, filters, { by: 'id', direction: 'desc' }, slice);
}

/** Reads a page without a total by fetching one more row, and reports whether there are more. */
export async function pageWithoutTotal<R>(
  { offset, perPage }: Slice,
  read: (slice: Slice) => Promise<R[]>,
): Promise<{ rows: R[]; more: boolean }> {
  const rows = await read({ offset, perPage: perPage + 1 });
  return { rows: rows.slice(0, perPage), more: rows.length > perPage };
}
