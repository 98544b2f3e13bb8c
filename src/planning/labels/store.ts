import { sql } from 'kysely';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { boundProperties } from '../../platform/database/form.ts';
import { shapedQuery } from '../../platform/database/shaped.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import type { LabelRow } from './tables.ts';

/** The project or groups, or both, that labels are searched in. */
export interface LabelScope {
  readonly projectId: number | null;
  readonly namespaceIds: readonly number[];
}

/** A label with the reader's subscription and the project's priority. */
export interface FoundLabel extends LabelRow {
  priority: number | null;
  subscribed: number;
}

interface NameFilter extends LabelScope {
  readonly user: number;
  readonly id?: number;
  readonly title?: string;
}

const nameFilter = boundProperties<NameFilter>()({
  values: ['projectId', 'user', 'id', 'title'],
  lists: ['namespaceIds'],
});

const named = shapedQuery(nameFilter, (db, { projectId, namespaceIds, user, id, title }) => {
  let query = db
    .selectFrom('labels')
    .leftJoin('label_priorities as p', (join) =>
      join.onRef('p.label_id', '=', 'labels.id').on('p.project_id', '=', projectId ?? 0),
    )
    .leftJoin('label_subscriptions as s', (join) =>
      join.onRef('s.label_id', '=', 'labels.id').on('s.user_id', '=', user),
    )
    .selectAll('labels')
    .select(['p.priority', sql<number>`case when s.user_id is null then 0 else 1 end`.as('subscribed')])
    .where((eb) => {
      const inGroups = eb('labels.namespace_id', 'in', namespaceIds);
      return projectId ? eb.or([eb('labels.project_id', '=', projectId), inGroups]) : inGroups;
    })
    .orderBy(sql`case when labels.project_id is null then 1 else 0 end`)
    .orderBy('labels.id')
    .limit(1);
  if (id) query = query.where('labels.id', '=', id);
  if (title) query = query.where('labels.title', '=', title);
  return query;
});

/** By id, otherwise by exact title; project labels before group labels. */
export async function findLabel(
  db: Reader,
  { projectId, namespaceIds }: LabelScope,
  user: number,
  name: string,
): Promise<FoundLabel | undefined> {
  const where = { projectId, namespaceIds, user };
  const byId = /^\d{1,15}$/.test(name) ? await named.first(db, { ...where, id: Number(name) }) : undefined;
  return byId ?? named.first(db, { ...where, title: name });
}

/** By exact title; project labels before group labels. */
export function findTitled(db: Reader, scope: LabelScope, title: string): Promise<FoundLabel | undefined> {
  const { projectId, namespaceIds } = scope;
  return named.first(db, { projectId, namespaceIds, user: 0, title });
}

export async function insertLabel(trx: Writer, row: Omit<LabelRow, 'id'>): Promise<number> {
  const { id } = await trx.insertInto('labels').values(row).returning('id').executeTakeFirstOrThrow();
  return id;
}

/** Inserts a label that another request may be creating at the same moment. */
export async function ensureLabel(trx: Writer, row: Omit<LabelRow, 'id'>): Promise<LabelRow> {
  const inserted = await trx
    .insertInto('labels')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  if (inserted) return inserted;
  const column = row.project_id === null ? 'namespace_id' : 'project_id';
  return trx
    .selectFrom('labels')
    .selectAll()
    .where(column, '=', row[column])
    .where('title', '=', row.title)
    .executeTakeFirstOrThrow();
}

export async function updateLabel(trx: Writer, id: number, change: Partial<LabelRow>): Promise<void> {
  await trx.updateTable('labels').set(change).where('id', '=', id).execute();
}

export async function deleteLabels(trx: Writer, ids: readonly number[]): Promise<void> {
  await trx.deleteFrom('labels').where('id', 'in', ids).execute();
}

export async function setPriority(trx: Writer, label: number, project: number, priority: number | null): Promise<void> {
  if (priority === null) {
    await trx.deleteFrom('label_priorities').where('label_id', '=', label).where('project_id', '=', project).execute();
    return;
  }
  await trx
    .insertInto('label_priorities')
    .values({ label_id: label, project_id: project, priority })
    .onConflict((conflict) => conflict.columns(['label_id', 'project_id']).doUpdateSet({ priority }))
    .execute();
}

/** Transfers the project priorities of merged labels to the remaining one. */
export async function mergePriorities(trx: Writer, labels: readonly number[], into: number): Promise<void> {
  if (labels.length === 0) return;
  await trx
    .updateTable('label_priorities')
    .set({ label_id: into })
    .where('label_id', 'in', labels)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('label_priorities as held')
            .select('held.label_id')
            .where('held.label_id', '=', into)
            .whereRef('held.project_id', '=', 'label_priorities.project_id'),
        ),
      ),
    )
    .execute();
}

/** Returns whether anything changed. */
export async function setSubscribed(trx: Writer, label: number, user: number, wanted: boolean): Promise<boolean> {
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

/** Returns a batch of labels with this title in projects below a group. */
export async function labelsInside(trx: Writer, namespaceId: number, title: string, limit: number): Promise<number[]> {
  const inside = trx
    .selectFrom('projects')
    .innerJoin('namespace_ancestors as a', 'a.namespace_id', 'projects.namespace_id')
    .select('projects.id')
    .where('a.ancestor_id', '=', namespaceId);
  const rows = await trx
    .selectFrom('labels')
    .select('id')
    .where('title', '=', title)
    .where('project_id', 'in', inside)
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

const titled = shapedQuery(
  boundProperties<LabelScope & { readonly titles: readonly string[] }>()({
    values: ['projectId', 'titles'],
    lists: ['namespaceIds'],
  }),
  (db, { projectId, namespaceIds, titles }) =>
    db
      .selectFrom('labels')
      .selectAll()
      .where((eb) => {
        const inGroups = eb('labels.namespace_id', 'in', namespaceIds);
        return projectId ? eb.or([eb('labels.project_id', '=', projectId), inGroups]) : inGroups;
      })
      .where('labels.title', 'in', titles)
      .orderBy('labels.id'),
);

/** The labels of these titles, by title; project labels before group labels. */
export async function labelsTitled(
  db: Reader,
  { projectId, namespaceIds }: LabelScope,
  titles: readonly string[],
): Promise<ReadonlyMap<string, LabelRow>> {
  if (titles.length === 0) return new Map();
  const found = new Map<string, LabelRow>();
  for (const label of await titled.all(db, { projectId, namespaceIds, titles })) {
    if (!found.has(label.title) || label.project_id !== null) found.set(label.title, label);
  }
  return found;
}

const byIds = shapedQuery(boundProperties<{ ids: readonly number[] }>()({ lists: ['ids'] }), (db, { ids }) =>
  db.selectFrom('labels').selectAll().where('id', 'in', ids).orderBy('title').orderBy('id'),
);

/** Labels by id, ordered by title. */
export function labelsById(db: Reader, ids: readonly number[]): Promise<LabelRow[]> {
  return ids.length === 0 ? Promise.resolve([]) : byIds.all(db, { ids: [...new Set(ids)] });
}

/** The titles of these labels, in the given order. */
export async function titlesById(db: Reader, ids: readonly number[]): Promise<string[]> {
  const titles = new Map((await labelsById(db, ids)).map(({ id, title }) => [id, title]));
  return ids.flatMap((id) => titles.get(id) ?? []);
}

/** What lists show of a label. */
export type ShownLabel = Pick<LabelRow, 'id' | 'title' | 'description' | 'color'>;

const shownByIds = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom('labels')
    .select(['id', 'title', 'description', 'color'])
    .where('id', 'in', param.ids('ids'))
    .orderBy('title')
    .orderBy('id'),
);

/** The labels of several issues, epics or merge requests whose label IDs are given, each ordered by title. */
export async function labelsOfEach(
  db: Reader,
  labelIds: ReadonlyMap<number, readonly number[]>,
): Promise<ReadonlyMap<number, readonly ShownLabel[]>> {
  const ids = [...new Set([...labelIds.values()].flat())];
  const rows = ids.length === 0 ? [] : await shownByIds.all(db, { ids });
  const places = new Map(rows.map(({ id }, place) => [id, place]));
  const inOrder = (own: readonly number[]) =>
    [...new Set(own)].flatMap((id) => places.get(id) ?? []).sort((a, b) => a - b);
  return new Map([...labelIds].map(([id, own]) => [id, inOrder(own).flatMap((place) => rows[place] ?? [])]));
}

/** The best priority that a project gives to one of these labels; null if it prioritizes none of them. */
export async function bestPriority(db: Reader, projectId: number, ids: readonly number[]): Promise<number | null> {
  if (ids.length === 0) return null;
  const found = await db
    .selectFrom('label_priorities')
    .select((eb) => eb.fn.min<number | null>('priority').as('priority'))
    .where('project_id', '=', projectId)
    .where('label_id', 'in', ids)
    .executeTakeFirst();
  return found?.priority ?? null;
}
