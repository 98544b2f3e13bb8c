import { sql } from 'kysely';
import type { OwnerColumns } from '../../access/project-or-group.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import { fetchPage } from '../../platform/list-kit/fetch-page.ts';
import type { NewVariableRow, VariableChange, VariableRow } from './tables.ts';

function ownedBy(db: Reader, { project_id, namespace_id }: OwnerColumns) {
  const query = db.selectFrom('ci_variables').selectAll();
  if (project_id !== null) return query.where('project_id', '=', project_id);
  if (namespace_id !== null) return query.where('namespace_id', '=', namespace_id);
  return query.where('project_id', 'is', null).where('namespace_id', 'is', null);
}

export function listVariables(db: Reader, owner: OwnerColumns, slice: Slice) {
  return fetchPage(db, ownedBy(db, owner).orderBy('id'), slice);
}

/** Returns up to two variables with a key. There can be several, one per environment scope. */
export function variablesOfKey(
  db: Reader,
  owner: OwnerColumns,
  key: string,
  scope: string | undefined,
): Promise<VariableRow[]> {
  const query = ownedBy(db, owner).where('key', '=', key).orderBy('id').limit(2);
  return (scope === undefined ? query : query.where('environment_scope', '=', scope)).execute();
}

/** Counts the variables of an owner, up to `limit`. */
export async function countVariables(db: Reader, owner: OwnerColumns, limit: number): Promise<number> {
  const some = ownedBy(db, owner).clearSelect().select(sql<number>`1`.as('one')).limit(limit);
  const { count } = await db
    .selectFrom(some.as('some'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

export function insertVariable(trx: Writer, row: NewVariableRow): Promise<VariableRow> {
  return trx
    .insertInto('ci_variables')
    .values({ ...row, updated_at: Date.now() })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export function updateVariable(trx: Writer, id: number, change: VariableChange): Promise<VariableRow | undefined> {
  return trx
    .updateTable('ci_variables')
    .set({ ...change, updated_at: Date.now() })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export async function deleteVariable(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('ci_variables').where('id', '=', id).execute();
}

const reaching = statement((db, param: Param<{ project: number; namespace: number }>) =>
  db
    .selectFrom('ci_variables as v')
    .leftJoin('namespace_ancestors as a', (join) =>
      join.onRef('a.ancestor_id', '=', 'v.namespace_id').on('a.namespace_id', '=', param('namespace')),
    )
    .selectAll('v')
    .select('a.depth')
    .where((eb) =>
      eb.or([
        eb('v.project_id', '=', param('project')),
        eb(
          'v.namespace_id',
          'in',
          db.selectFrom('namespace_ancestors').select('ancestor_id').where('namespace_id', '=', param('namespace')),
        ),
        eb.and([eb('v.project_id', 'is', null), eb('v.namespace_id', 'is', null)]),
      ]),
    )
    .orderBy('v.id'),
);

/**
 * Returns every variable that jobs of a project can get: those of the project, its ancestor groups and the instance.
 */
export function variablesReaching(db: Reader, project: { readonly id: number; readonly namespace_id: number }) {
  return reaching.all(db, { project: project.id, namespace: project.namespace_id });
}
