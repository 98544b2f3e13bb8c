import { type SqlBool, sql } from 'kysely';
import { nextInternalId } from '../../namespaces/internal-ids/public.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { boundProperties } from '../../platform/database/form.ts';
import { lockRow } from '../../platform/database/locks.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { SearchIndex } from '../../platform/database/search-index.ts';
import { param } from '../../platform/http/params.ts';
import { driving } from '../../platform/list-kit/filter.ts';
import { equals } from '../../platform/list-kit/filters.ts';
import { list } from '../../platform/list-kit/list.ts';
import { byId } from '../../platform/list-kit/order.ts';
import { searchFilters } from '../../platform/list-kit/searching.ts';
import {
  type DeploymentRow,
  type EnvironmentRow,
  type EnvironmentState,
  environmentStates,
  type NewDeploymentRow,
  type NewEnvironmentRow,
} from './tables.ts';

export interface EnvironmentFilter {
  readonly name?: string;
  readonly search?: string;
  readonly states?: EnvironmentState;
}

const index = new SearchIndex({ table: 'environments', columns: ['name'] });

const environments = list({
  id: 'environments.id',
  scope: boundProperties<{ project: number }>()({ values: ['project'] }),
  filters: {
    name: equals('environments.name', param.string(), { blank: true }),
    search: searchFilters({ index, columns: { name: 'environments.name' } }).search,
    states: driving(equals('environments.state', param.oneOf(environmentStates)), { scoped: true, ordered: true }),
  },
  orders: { id: byId },
  lateRows: true,
  select: (db, { project }) =>
    db.selectFrom('environments').selectAll('environments').where('environments.project_id', '=', project),
});

export function listEnvironments(
  db: Reader,
  project: number,
  { name, search, states }: EnvironmentFilter,
  slice: Slice,
) {
  return environments.page(db, { project }, { name, search, states }, { by: 'id', direction: 'asc' }, slice);
}

export function environmentOfProject(db: Reader, projectId: number, id: number): Promise<EnvironmentRow | undefined> {
  return db
    .selectFrom('environments')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export function environmentByName(db: Reader, projectId: number, name: string): Promise<EnvironmentRow | undefined> {
  return db
    .selectFrom('environments')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('name', '=', name)
    .executeTakeFirst();
}

export function environmentsById(db: Reader, ids: readonly number[]): Promise<EnvironmentRow[]> {
  if (ids.length === 0) return Promise.resolve([]);
  return db
    .selectFrom('environments')
    .selectAll()
    .where('id', 'in', [...new Set(ids)])
    .execute();
}

export function lockEnvironment(trx: Writer, id: number): Promise<EnvironmentRow | undefined> {
  return lockRow(trx, 'environments', id);
}

export function insertEnvironment(trx: Writer, row: NewEnvironmentRow): Promise<EnvironmentRow> {
  return trx.insertInto('environments').values(row).returningAll().executeTakeFirstOrThrow();
}

/** Inserts an environment unless one with its name exists, and returns the current one. */
export async function ensureEnvironment(trx: Writer, row: NewEnvironmentRow): Promise<EnvironmentRow> {
  const existing = await environmentByName(trx, row.project_id, row.name);
  if (existing) return existing;
  await trx
    .insertInto('environments')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const added = await environmentByName(trx, row.project_id, row.name);
  if (!added) throw new Error(`the environment ${row.name} has the same slug as another environment`);
  return added;
}

export function updateEnvironment(
  trx: Writer,
  id: number,
  change: Partial<Omit<EnvironmentRow, 'id' | 'project_id'>>,
): Promise<EnvironmentRow> {
  return trx.updateTable('environments').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

export async function deleteEnvironments(trx: Writer, ids: readonly number[]): Promise<void> {
  if (ids.length > 0)
    await trx
      .deleteFrom('environments')
      .where('id', 'in', [...ids])
      .execute();
}

/** A batch of environments whose auto-stop time has passed. */
export function dueToStop(db: Reader, now: number, limit: number): Promise<EnvironmentRow[]> {
  return db
    .selectFrom('environments')
    .selectAll()
    .where('state', '=', 'available')
    .where('auto_stop_at', '<=', now)
    .orderBy('auto_stop_at')
    .limit(limit)
    .execute();
}

type Place = { readonly id: number; readonly namespace_id: number };

/** SQL condition: the environment is protected by the project or one of its groups. */
const isProtected = ({ id, namespace_id }: Place) => sql<SqlBool>`(
  environments.name in (select p.name from protected_environments p where p.project_id = ${id})
  or environments.tier in (select p.name from protected_environments p
    join namespace_ancestors a on a.ancestor_id = p.namespace_id where a.namespace_id = ${namespace_id}))`;

/** The IDs of protected environments among the given ones. */
export async function protectedEnvironmentIds(
  db: Reader,
  project: Place,
  ids: readonly number[],
): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  const query = db
    .selectFrom('environments')
    .select('id')
    .where('id', 'in', [...ids]);
  const rows = await query.where(isProtected(project)).execute();
  return new Set(rows.map(({ id }) => id));
}

/** Schedules stopping of unprotected environments last changed or deployed to before the given time. */
export async function markStale(trx: Writer, project: Place, before: number, now: number): Promise<void> {
  await trx
    .updateTable('environments')
    .set({ auto_stop_at: now })
    .where('project_id', '=', project.id)
    .where(sql<SqlBool>`not ${isProtected(project)}`)
    .where('state', '=', 'available')
    .where('updated_at', '<', before)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('deployments')
            .select('deployments.id')
            .whereRef('deployments.environment_id', '=', 'environments.id')
            .where('deployments.created_at', '>=', before),
        ),
      ),
    )
    .execute();
}

/** Stopped review apps created before the given time. */
export function oldReviewApps(db: Reader, projectId: number, before: number, limit: number): Promise<EnvironmentRow[]> {
  return db
    .selectFrom('environments')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('state', '=', 'stopped')
    .where('name', '>=', 'review/')
    .where('name', '<', 'review0')
    .where('created_at', '<', before)
    .orderBy('id')
    .limit(limit)
    .execute();
}

export async function insertDeployment(trx: Writer, row: Omit<NewDeploymentRow, 'iid'>): Promise<DeploymentRow> {
  const iid = await nextInternalId(trx, { project_id: row.project_id }, 'deployments');
  return trx
    .insertInto('deployments')
    .values({ ...row, iid })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export function updateDeployment(
  trx: Writer,
  id: number,
  change: Partial<Pick<DeploymentRow, 'status' | 'updated_at' | 'finished_at' | 'user_id'>>,
): Promise<DeploymentRow> {
  return trx.updateTable('deployments').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

export function deploymentOfProject(db: Reader, projectId: number, id: number): Promise<DeploymentRow | undefined> {
  return db
    .selectFrom('deployments')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export function deploymentOfJob(db: Reader, jobId: number): Promise<DeploymentRow | undefined> {
  return db.selectFrom('deployments').selectAll().where('job_id', '=', jobId).executeTakeFirst();
}

/** The last deployment of an environment; by default the last successful one. */
export function lastDeployment(db: Reader, environmentId: number, success = true): Promise<DeploymentRow | undefined> {
  let query = db.selectFrom('deployments').selectAll().where('environment_id', '=', environmentId);
  if (success) query = query.where('status', '=', 'success');
  return query.orderBy('id', 'desc').limit(1).executeTakeFirst();
}

/** The last successful deployment of each of these environments. */
export function lastDeployments(db: Reader, environmentIds: readonly number[]): Promise<DeploymentRow[]> {
  if (environmentIds.length === 0) return Promise.resolve([]);
  return db
    .selectFrom('environments')
    .innerJoin('deployments', (join) =>
      join.on(
        'deployments.id',
        '=',
        sql<number>`(select d.id from deployments d
          where d.environment_id = environments.id and d.status = 'success' order by d.id desc limit 1)`,
      ),
    )
    .selectAll('deployments')
    .where('environments.id', 'in', [...environmentIds])
    .execute();
}

/** Environments with a successful deployment from a branch that has an `on_stop` job. */
export async function environmentsOfBranch(
  db: Reader,
  projectId: number,
  ref: string,
  limit: number,
): Promise<number[]> {
  const rows = await db
    .selectFrom('deployments')
    .innerJoin('environments', 'environments.id', 'deployments.environment_id')
    .select('environments.id')
    .distinct()
    .where('deployments.project_id', '=', projectId)
    .where('deployments.status', '=', 'success')
    .where('deployments.ref', '=', ref)
    .where('deployments.tag', '=', 0)
    .where('deployments.on_stop', 'is not', null)
    .where('environments.state', '=', 'available')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

export async function deleteDeployment(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('deployments').where('id', '=', id).execute();
}

export async function reassignDeployments(trx: Writer, userId: number, heirId: number | null): Promise<void> {
  await trx.updateTable('deployments').set({ user_id: heirId }).where('user_id', '=', userId).execute();
}

/** The jobs of deployments, by ID. */
export function deployables(db: Reader, ids: readonly number[]) {
  if (ids.length === 0) return Promise.resolve([]);
  return db
    .selectFrom('ci_jobs')
    .selectAll()
    .where('id', 'in', [...ids])
    .execute();
}

/** The latest attempt of a job of a pipeline, by name. */
export function jobNamed(db: Reader, pipelineId: number, name: string) {
  return db
    .selectFrom('ci_jobs')
    .selectAll()
    .where('pipeline_id', '=', pipelineId)
    .where('name', '=', name)
    .where('retried', '=', 0)
    .executeTakeFirst();
}

/** The last successful deployment of an environment, with the ID of its pipeline. */
export function latestSuccess(db: Reader, environmentId: number) {
  return db
    .selectFrom('deployments as d')
    .leftJoin('ci_jobs as j', 'j.id', 'd.job_id')
    .select(['d.id', 'd.sha', 'j.pipeline_id'])
    .where('d.environment_id', '=', environmentId)
    .where('d.status', '=', 'success')
    .orderBy('d.id', 'desc')
    .limit(1)
    .executeTakeFirst();
}
