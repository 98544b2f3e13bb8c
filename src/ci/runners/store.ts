import { type Insertable, sql, type Updateable } from 'kysely';
import { Role } from '../../access/roles.ts';
import { memberProjectIds } from '../../access/visibility/visible.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import { fetchPage } from '../../platform/list-kit/fetch-page.ts';
import type { RunnerManagerRow, RunnerManagersTable, RunnerRow, RunnersTable } from './tables.ts';

const byId = statement((db, param: Param<{ id: number }>) =>
  db.selectFrom('runners').selectAll().where('id', '=', param('id')),
);
const byDigest = statement((db, param: Param<{ digest: string }>) =>
  db.selectFrom('runners').selectAll().where('token_digest', '=', param('digest')),
);

export function findRunner(db: Reader, id: number): Promise<RunnerRow | undefined> {
  return byId.first(db, { id });
}

export function findRunnerByDigest(db: Reader, digest: string): Promise<RunnerRow | undefined> {
  return byDigest.first(db, { digest });
}

export function insertRunner(trx: Writer, row: Insertable<RunnersTable>): Promise<RunnerRow> {
  return trx.insertInto('runners').values(row).returningAll().executeTakeFirstOrThrow();
}

export function updateRunner(trx: Writer, id: number, change: Updateable<RunnersTable>): Promise<RunnerRow> {
  return trx.updateTable('runners').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

export async function deleteRunner(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('runners').where('id', '=', id).execute();
}

export async function assignProject(trx: Writer, runnerId: number, projectId: number): Promise<boolean> {
  const result = await trx
    .insertInto('runner_projects')
    .values({ runner_id: runnerId, project_id: projectId, created_at: Date.now() })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return Number(result.numInsertedOrUpdatedRows ?? 0) > 0;
}

export async function unassignProject(trx: Writer, runnerId: number, projectId: number): Promise<void> {
  await trx
    .deleteFrom('runner_projects')
    .where('runner_id', '=', runnerId)
    .where('project_id', '=', projectId)
    .execute();
}

const projectsOf = statement((db, param: Param<{ runner: number }>) =>
  db
    .selectFrom('runner_projects')
    .select('project_id')
    .where('runner_id', '=', param('runner'))
    .orderBy('created_at')
    .orderBy('project_id')
    .limit(1000),
);

/** Project IDs of a runner, the owner project first. */
export async function projectIdsOf(db: Reader, runner: number): Promise<number[]> {
  return (await projectsOf.all(db, { runner })).map(({ project_id }) => project_id);
}

/** Whether a user has at least the Maintainer role in a project below a group. */
export async function maintainsDescendant(db: Reader, user: number, group: number): Promise<boolean> {
  const maintained = memberProjectIds(user, Role.maintainer, Date.now());
  const { rows } = await sql`
    select 1 from projects p join namespace_ancestors a on a.namespace_id = p.namespace_id
    where a.ancestor_id = ${group} and p.id in (${maintained}) limit 1`.execute(db);
  return rows.length > 0;
}

const latest = statement((db, param: Param<{ runner: number }>) =>
  db
    .selectFrom('runner_managers')
    .selectAll()
    .where('runner_id', '=', param('runner'))
    .orderBy('contacted_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1),
);

/** The runner manager with the most recent contact. */
export function latestManager(db: Reader, runner: number): Promise<RunnerManagerRow | undefined> {
  return latest.first(db, { runner });
}

/** Managers of a runner, newest first. */
export function listManagers(db: Reader, runner: number, slice: Slice) {
  const query = db.selectFrom('runner_managers').selectAll().where('runner_id', '=', runner).orderBy('id', 'desc');
  return fetchPage(db, query, slice);
}

const managerBySystem = statement((db, param: Param<{ runner: number; system: string }>) =>
  db
    .selectFrom('runner_managers')
    .selectAll()
    .where('runner_id', '=', param('runner'))
    .where('system_id', '=', param('system')),
);

/** Finds a runner manager by system ID. */
export function findManager(db: Reader, runner: number, system: string): Promise<RunnerManagerRow | undefined> {
  return managerBySystem.first(db, { runner, system });
}

/** Saves the contact of a runner manager, with its details. */
export async function touchManager(
  trx: Writer,
  row: Insertable<RunnerManagersTable> & { readonly contacted_at: number },
): Promise<RunnerManagerRow> {
  const { runner_id, system_id, created_at, ...changes } = row;
  await trx.updateTable('runners').set({ contacted_at: row.contacted_at }).where('id', '=', runner_id).execute();
  return trx
    .insertInto('runner_managers')
    .values(row)
    .onConflict((conflict) => conflict.columns(['runner_id', 'system_id']).doUpdateSet(changes))
    .returningAll()
    .executeTakeFirstOrThrow();
}

const contactOf = statement((db, param: Param<{ id: number }>) =>
  db.selectFrom('runner_managers').select('contacted_at').where('id', '=', param('id')),
);

/** Time of the last contact of a runner manager. */
export async function managerContact(db: Reader, id: number): Promise<number | null | undefined> {
  return (await contactOf.first(db, { id }))?.contacted_at;
}

/** Updates only the contact time of a runner and its manager. */
export async function renewContact(trx: Writer, runnerId: number, managerId: number, at: number): Promise<void> {
  await trx.updateTable('runners').set({ contacted_at: at }).where('id', '=', runnerId).execute();
  await trx.updateTable('runner_managers').set({ contacted_at: at }).where('id', '=', managerId).execute();
}

export async function deleteManager(trx: Writer, runner: number, systemId: string): Promise<boolean> {
  const result = await trx
    .deleteFrom('runner_managers')
    .where('runner_id', '=', runner)
    .where('system_id', '=', systemId)
    .executeTakeFirst();
  return Number(result.numDeletedRows) > 0;
}

const runningJobs = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom('ci_jobs')
    .select(['runner_id', 'runner_manager_id'])
    .distinct()
    .where('runner_id', 'in', param.ids('ids'))
    .where('status', 'in', ['running', 'canceling']),
);

/** Returns which of these runners, and which of their managers, are running jobs. */
export async function busyRunners(db: Reader, ids: readonly number[]) {
  const rows = ids.length === 0 ? [] : await runningJobs.all(db, { ids });
  return {
    runners: new Set(rows.flatMap(({ runner_id }) => runner_id ?? [])),
    managers: new Set(rows.flatMap(({ runner_manager_id }) => runner_manager_id ?? [])),
  };
}

/** Counts the runners of a project, or directly in a group, up to a limit. */
export async function countRunners(
  db: Reader,
  { namespaceId, projectId }: { readonly namespaceId: number | null; readonly projectId: number | null },
  limit: number,
): Promise<number> {
  const rows =
    projectId === null
      ? db.selectFrom('runners').select('id').where('namespace_id', '=', namespaceId).limit(limit)
      : db.selectFrom('runner_projects').select('runner_id as id').where('project_id', '=', projectId).limit(limit);
  const { count } = await db
    .selectFrom(rows.as('counted'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}
