import { type Kysely, sql } from 'kysely';
import type { Engine, Reader, Writer } from '../../platform/database/database.ts';
import { contains } from '../../platform/database/expressions.ts';
import { type AskedOf, form } from '../../platform/database/form.ts';
import { countedRows, type Slice } from '../../platform/database/paging.ts';
import {
  type Searching,
  searchFor,
  searchIndex,
  searchLists,
  searchValues,
} from '../../platform/database/search-index.ts';
import { shaped } from '../../platform/database/shaped.ts';
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

interface NameQuestion extends LabelScope {
  readonly user: number;
  readonly id?: number;
  readonly title?: string;
}

const nameQuestion = form<NameQuestion>()({ values: ['projectId', 'user', 'id', 'title'], lists: ['namespaceIds'] });

const named = shaped(nameQuestion, (db, { projectId, namespaceIds, user, id, title }) => {
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

interface PlaceQuestion extends Searching {
  readonly kind: 'project' | 'namespace' | 'projects below';
  readonly place: number;
  /** The project that ranks labels, and the user who subscribed to some. */
  readonly project: number;
  readonly user: number;
  readonly search?: string | undefined;
  readonly archived?: boolean | undefined;
  readonly limit: number;
}

const placeQuestion = form<PlaceQuestion>()({
  values: ['place', 'project', 'user', 'search', 'limit', ...searchValues],
  lists: searchLists,
});

const labelSearch = searchIndex({ table: 'labels', columns: ['title', 'description'] });

/** The labels of one place by title: an index has them in this order, so that only those of the page are looked at. */
function labelsIn(db: Kysely<Tables>, ask: AskedOf<typeof placeQuestion>, engine: Engine) {
  const { kind, place, search, archived } = ask;
  let query = labelSearch.narrow(db.selectFrom('labels'), 'labels.id', ask, engine);
  if (kind === 'project') query = query.where('project_id', '=', place);
  if (kind === 'namespace') query = query.where('namespace_id', '=', place);
  if (kind === 'projects below') {
    const inside = db.selectFrom('projects').select('id').where('namespace_id', '=', place);
    query = query.where('project_id', 'in', inside);
  }
  if (archived !== undefined) query = query.where('archived', '=', archived ? 1 : 0);
  if (!search) return query;
  return query.where((eb) => eb.or([contains(eb.ref('title'), search), contains(eb.ref('description'), search)]));
}

const pages = shaped(placeQuestion, (db, ask, engine) =>
  labelsIn(db, ask, engine)
    .selectAll('labels')
    .select((eb) => [
      eb
        .selectFrom('label_priorities as p')
        .select('p.priority')
        .whereRef('p.label_id', '=', 'labels.id')
        .where('p.project_id', '=', ask.project)
        .as('priority'),
      sql<number>`case when exists (select 1 from label_subscriptions s
        where s.label_id = labels.id and s.user_id = ${ask.user}) then 1 else 0 end`.as('subscribed'),
    ])
    .orderBy('title')
    .orderBy('labels.id')
    .limit(ask.limit),
);

const counts = shaped(placeQuestion, (db, ask, engine) =>
  db
    .selectFrom(labelsIn(db, ask, engine).select('labels.id').limit(ask.limit).as('some'))
    .select((eb) => eb.fn.countAll<number>().as('total')),
);

/** A page of the labels of several places, merged by title. */
export async function listLabels(
  db: Reader,
  scope: LabelScope,
  user: number,
  { search, archived }: LabelFilter,
  { offset, perPage }: Slice,
): Promise<{ rows: FoundLabel[]; total: number }> {
  const places: [PlaceQuestion['kind'], number][] = scope.namespaceIds.map((id) => ['namespace', id]);
  if (scope.projectId !== null) places.unshift(['project', scope.projectId]);
  if (scope.projectsBelow) for (const id of scope.namespaceIds) places.push(['projects below', id]);
  const filter = { project: scope.projectId ?? 0, user, search: search || undefined, archived };
  const started = await labelSearch.start(db, { ...filter, ...searchFor(search) });
  const questions = (limit: number) =>
    places.map(([kind, place]): PlaceQuestion => ({ ...started, kind, place, limit }));
  const end = offset + perPage;
  const found = await Promise.all(questions(end).map((question) => pages.all(db, question)));
  const [first = [], ...others] = found.filter((rows) => rows.length > 0);
  const rows = others.length === 0 ? first : [first, ...others].flat().sort(byTitle);
  if (rows.length < end) return { rows: rows.slice(offset), total: rows.length };
  const totals = await Promise.all(questions(countedRows + 1).map((question) => counts.first(db, question)));
  return { rows: rows.slice(offset, end), total: totals.reduce((sum, one) => sum + Number(one?.total ?? 0), 0) };
}

function byTitle(a: FoundLabel, b: FoundLabel): number {
  return Buffer.compare(Buffer.from(a.title), Buffer.from(b.title)) || a.id - b.id;
}

/** By number, else by exact title; the project's own before its groups'. */
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

/** The label of exactly this title; the project's own before its groups'. */
export function findTitled(db: Reader, scope: LabelScope, title: string): Promise<FoundLabel | undefined> {
  const { projectId, namespaceIds } = scope;
  return named.first(db, { projectId, namespaceIds, user: 0, title });
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

/** Deletes every label of this title in the projects directly or indirectly inside a group. */
export async function deleteInside(trx: Writer, namespaceId: number, title: string): Promise<void> {
  const inside = trx
    .selectFrom('projects')
    .innerJoin('namespace_ancestors as a', 'a.namespace_id', 'projects.namespace_id')
    .select('projects.id')
    .where('a.ancestor_id', '=', namespaceId);
  await trx.deleteFrom('labels').where('title', '=', title).where('project_id', 'in', inside).execute();
}
