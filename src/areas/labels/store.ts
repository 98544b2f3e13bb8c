import { sql } from 'kysely';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { contains } from '../../platform/database/expressions.ts';
import { fetchPage, type Slice } from '../../platform/database/paging.ts';
import type { LabelRow } from './tables.ts';

/** Where labels are looked for: in one project, in groups, or both. */
export interface LabelScope {
  readonly projectId: number | null;
  readonly namespaceIds: readonly number[];
  /** Projects inside these groups too. */
  readonly projectsBelow?: boolean;
}

/** A label with what its reader and its project add to it. */
export interface FoundLabel extends LabelRow {
  priority: number | null;
  subscribed: number;
}

export interface LabelFilter {
  readonly search?: string | undefined;
  readonly archived?: boolean | undefined;
}

function found(db: Reader, scope: LabelScope, userId: number) {
  return db
    .selectFrom('labels')
    .leftJoin('label_priorities as p', (join) =>
      join.onRef('p.label_id', '=', 'labels.id').on('p.project_id', '=', scope.projectId ?? 0),
    )
    .leftJoin('label_subscriptions as s', (join) =>
      join.onRef('s.label_id', '=', 'labels.id').on('s.user_id', '=', userId),
    )
    .selectAll('labels')
    .select(['p.priority', sql<number>`case when s.user_id is null then 0 else 1 end`.as('subscribed')])
    .where((eb) => {
      const places = [];
      if (scope.projectId !== null) places.push(eb('labels.project_id', '=', scope.projectId));
      if (scope.namespaceIds.length > 0) places.push(eb('labels.namespace_id', 'in', [...scope.namespaceIds]));
      if (scope.projectsBelow) {
        const below = eb
          .selectFrom('projects')
          .select('id')
          .where('namespace_id', 'in', [...scope.namespaceIds]);
        places.push(eb('labels.project_id', 'in', below));
      }
      return eb.or(places);
    });
}

export async function listLabels(
  db: Reader,
  scope: LabelScope,
  userId: number,
  filter: LabelFilter,
  slice: Slice,
): Promise<{ rows: FoundLabel[]; total: number }> {
  let query = found(db, scope, userId);
  const { search, archived } = filter;
  if (search) {
    query = query.where((eb) =>
      eb.or([contains(eb.ref('labels.title'), search), contains(eb.ref('labels.description'), search)]),
    );
  }
  if (archived !== undefined) query = query.where('labels.archived', '=', archived ? 1 : 0);
  return fetchPage(db, query.orderBy('labels.title').orderBy('labels.id'), slice);
}

/** By number, else by exact title; the project's own before its groups'. */
export async function findLabel(
  db: Reader,
  scope: LabelScope,
  userId: number,
  name: string,
): Promise<FoundLabel | undefined> {
  if (/^\d{1,15}$/.test(name)) {
    const byId = await found(db, scope, userId).where('labels.id', '=', Number(name)).executeTakeFirst();
    if (byId) return byId;
  }
  return found(db, scope, userId)
    .where('labels.title', '=', name)
    .orderBy(sql`case when labels.project_id is null then 1 else 0 end`)
    .orderBy('labels.id')
    .executeTakeFirst();
}

export async function insertLabel(trx: Writer, row: Omit<LabelRow, 'id'>): Promise<number> {
  const { id } = await trx.insertInto('labels').values(row).returning('id').executeTakeFirstOrThrow();
  return id;
}

export async function updateLabel(trx: Writer, id: number, change: Partial<LabelRow>): Promise<void> {
  await trx.updateTable('labels').set(change).where('id', '=', id).execute();
}

export async function deleteLabel(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('labels').where('id', '=', id).execute();
}

export async function setPriority(trx: Writer, label: number, project: number, priority: number | null): Promise<void> {
  await trx.deleteFrom('label_priorities').where('label_id', '=', label).where('project_id', '=', project).execute();
  if (priority === null) return;
  await trx.insertInto('label_priorities').values({ label_id: label, project_id: project, priority }).execute();
}

/** Says whether anything changed. */
export async function subscribe(trx: Writer, label: number, user: number, wanted: boolean): Promise<boolean> {
  if (wanted) {
    const result = await trx
      .insertInto('label_subscriptions')
      .values({ label_id: label, user_id: user })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    return Number(result.numInsertedOrUpdatedRows ?? 0) > 0;
  }
  const result = await trx
    .deleteFrom('label_subscriptions')
    .where('label_id', '=', label)
    .where('user_id', '=', user)
    .executeTakeFirst();
  return Number(result.numDeletedRows) > 0;
}

/** Every label of this title in the projects directly or indirectly inside a group. */
export async function sameTitleBelow(trx: Reader, namespaceId: number, title: string): Promise<LabelRow[]> {
  return trx
    .selectFrom('labels')
    .innerJoin('projects', 'projects.id', 'labels.project_id')
    .innerJoin('namespace_ancestors as a', 'a.namespace_id', 'projects.namespace_id')
    .selectAll('labels')
    .where('a.ancestor_id', '=', namespaceId)
    .where('labels.title', '=', title)
    .execute();
}
