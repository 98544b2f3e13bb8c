import { type Compilable, type Kysely, type SqlBool, sql } from 'kysely';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { escapeLike } from '../../platform/database/expressions.ts';
import { countedRows, type Slice } from '../../platform/database/paging.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import type { Tables } from '../../platform/database/tables.ts';
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
      return eb.or(places);
    });
}

type Places = 'project' | 'namespace' | 'projects below';

interface PlaceParams {
  readonly place: number;
  readonly project: number;
  readonly user: number;
  readonly pattern: string | null;
  readonly archived: number | null;
  readonly limit: number;
}

/** The labels of one place by title: an index has them in this order, so that only those of the page are looked at. */
function labelsIn(db: Kysely<Tables>, param: Param<PlaceParams>, places: Places) {
  const inside = db.selectFrom('projects').select('id').where('namespace_id', '=', param('place'));
  const pattern = sql<string | null>`cast(${param('pattern')} as text)`;
  const archived = sql<number | null>`cast(${param('archived')} as integer)`;
  return db
    .selectFrom('labels')
    .$if(places === 'project', (query) => query.where('project_id', '=', param('place')))
    .$if(places === 'namespace', (query) => query.where('namespace_id', '=', param('place')))
    .$if(places === 'projects below', (query) => query.where('project_id', 'in', inside))
    .where(
      sql<SqlBool>`(${pattern} is null or lower(title) like lower(${pattern}) escape '\\'
        or lower(description) like lower(${pattern}) escape '\\')`,
    )
    .where(sql<SqlBool>`(${archived} is null or archived = ${archived})`);
}

const pages = perPlace((db, param: Param<PlaceParams>, places) =>
  labelsIn(db, param, places)
    .selectAll('labels')
    .select((eb) => [
      eb
        .selectFrom('label_priorities as p')
        .select('p.priority')
        .whereRef('p.label_id', '=', 'labels.id')
        .where('p.project_id', '=', param('project'))
        .as('priority'),
      sql<number>`case when exists (select 1 from label_subscriptions s
        where s.label_id = labels.id and s.user_id = ${param('user')}) then 1 else 0 end`.as('subscribed'),
    ])
    .orderBy('title')
    .orderBy('id')
    .limit(param('limit')),
);

const counts = perPlace((db, param: Param<PlaceParams>, places) =>
  db
    .selectFrom(labelsIn(db, param, places).select('id').limit(param('limit')).as('some'))
    .select((eb) => eb.fn.countAll<number>().as('total')),
);

function perPlace<R>(build: (db: Kysely<Tables>, param: Param<PlaceParams>, places: Places) => Compilable<R>) {
  const of = (places: Places) => statement((db, param: Param<PlaceParams>) => build(db, param, places));
  return { project: of('project'), namespace: of('namespace'), 'projects below': of('projects below') };
}

/** A page of the labels of several places, merged by title. */
export async function listLabels(
  db: Reader,
  scope: LabelScope,
  user: number,
  { search, archived }: LabelFilter,
  { offset, perPage }: Slice,
): Promise<{ rows: FoundLabel[]; total: number }> {
  const places: [Places, number][] = scope.namespaceIds.map((id) => ['namespace', id]);
  if (scope.projectId !== null) places.unshift(['project', scope.projectId]);
  if (scope.projectsBelow) places.push(...scope.namespaceIds.map((id): [Places, number] => ['projects below', id]));
  const filter = {
    project: scope.projectId ?? 0,
    user,
    pattern: search ? `%${escapeLike(search)}%` : null,
    archived: archived === undefined ? null : archived ? 1 : 0,
  };
  const end = offset + perPage;
  const found = await Promise.all(places.map(([kind, place]) => pages[kind].all(db, { ...filter, place, limit: end })));
  const rows = found.length === 1 ? (found[0] ?? []) : found.flat().sort(byTitle);
  if (rows.length < end) return { rows: rows.slice(offset), total: rows.length };
  const limit = countedRows + 1;
  const totals = await Promise.all(places.map(([kind, place]) => counts[kind].first(db, { ...filter, place, limit })));
  return { rows: rows.slice(offset, end), total: totals.reduce((sum, one) => sum + Number(one?.total ?? 0), 0) };
}

function byTitle(a: FoundLabel, b: FoundLabel): number {
  return Buffer.compare(Buffer.from(a.title), Buffer.from(b.title)) || a.id - b.id;
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
