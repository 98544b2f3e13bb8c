import { sql } from 'kysely';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import './tables.ts';

/** Kinds of records numbered within a project or group: from 1, without gaps, and not reused after a deletion. */
export type NumberedKind =
  | 'issues'
  | 'merge_requests'
  | 'milestones'
  | 'epics'
  | 'iterations'
  | 'pipelines'
  | 'deployments'
  | 'feature_flag_user_lists';

/** The project or group within which numbers are assigned. */
export type NumberingScope = { readonly project_id: number } | { readonly namespace_id: number };

const next = (column: 'project_id' | 'namespace_id') =>
  statement((db, param: Param<{ place: number; kind: NumberedKind }>) =>
    db
      .insertInto('internal_ids')
      .values({ project_id: null, namespace_id: null, [column]: param('place'), kind: param('kind'), last_value: 1 })
      .onConflict((conflict) =>
        conflict
          .columns([column, 'kind'])
          .where(column, 'is not', null)
          .doUpdateSet({ last_value: sql<number>`internal_ids.last_value + 1` }),
      )
      .returning('last_value'),
  );
const nextIn = { project: next('project_id'), namespace: next('namespace_id') };

/**
 * Takes the next number. Concurrent transactions wait until this one ends; if it is rolled back, the number is assigned
 * to the next one.
 */
export async function nextInternalId(trx: Writer, scope: NumberingScope, kind: NumberedKind): Promise<number> {
  const row =
    'project_id' in scope
      ? await nextIn.project.first(trx, { place: scope.project_id, kind })
      : await nextIn.namespace.first(trx, { place: scope.namespace_id, kind });
  if (!row) throw new Error('no internal id was returned');
  return Number(row.last_value);
}

/** Returns the number that would be assigned next; a concurrent transaction may take it. */
export async function upcomingInternalId(
  db: Reader,
  { project_id }: { readonly project_id: number },
  kind: NumberedKind,
): Promise<number> {
  const last = await db
    .selectFrom('internal_ids')
    .select('last_value')
    .where('project_id', '=', project_id)
    .where('kind', '=', kind)
    .executeTakeFirst();
  return Number(last?.last_value ?? 0) + 1;
}

/** Reserves an explicitly chosen number, as imports do, so that it is not assigned again. */
export async function reserveInternalId(
  trx: Writer,
  scope: NumberingScope,
  kind: NumberedKind,
  taken: number,
): Promise<void> {
  const column = 'project_id' in scope ? 'project_id' : 'namespace_id';
  await trx
    .insertInto('internal_ids')
    .values({ project_id: null, namespace_id: null, ...scope, kind, last_value: taken })
    .onConflict((conflict) =>
      conflict
        .columns([column, 'kind'])
        .where(column, 'is not', null)
        .doUpdateSet({
          last_value: sql<number>`case when internal_ids.last_value < ${taken} then ${taken} else internal_ids.last_value end`,
        }),
    )
    .execute();
}
