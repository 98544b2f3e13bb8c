import { type Kysely, sql } from 'kysely';
import type { Engine, Reader } from '../../platform/database/database.ts';
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
import type { FoundLabel, LabelScope } from './store.ts';

/** What a list of labels is narrowed by, and who reads it. */
export interface LabelFilter {
  readonly userId: number;
  readonly search?: string | undefined;
  readonly archived?: boolean | undefined;
  /** Those of the projects inside the groups of the scope too. */
  readonly projectsBelow?: boolean;
}

/** The filter as it is put to one project or group of the scope. */
interface OwnerFilter extends Searching, LabelFilter {
  readonly kind: 'project' | 'group' | 'projects of group';
  readonly ownerId: number;
  /** The project whose ranks are shown. */
  readonly rankingProjectId: number;
  readonly limit: number;
}

const ownerFilter = form<OwnerFilter>()({
  values: ['ownerId', 'rankingProjectId', 'userId', 'search', 'limit', ...searchValues],
  lists: searchLists,
});

const labelSearch = searchIndex({ table: 'labels', columns: ['title', 'description'] });

/** The labels of one owner by title: an index has them in this order, so that only those of the page are looked at. */
function labelsIn(db: Kysely<Tables>, filter: AskedOf<typeof ownerFilter>, engine: Engine) {
  const { kind, ownerId, search, archived } = filter;
  let query = labelSearch.narrow(db.selectFrom('labels'), 'labels.id', filter, engine);
  if (kind === 'project') query = query.where('project_id', '=', ownerId);
  if (kind === 'group') query = query.where('namespace_id', '=', ownerId);
  if (kind === 'projects of group') {
    const inside = db.selectFrom('projects').select('id').where('namespace_id', '=', ownerId);
    query = query.where('project_id', 'in', inside);
  }
  if (archived !== undefined) query = query.where('archived', '=', archived ? 1 : 0);
  if (!search) return query;
  return query.where((eb) => eb.or([contains(eb.ref('title'), search), contains(eb.ref('description'), search)]));
}

const pages = shaped(ownerFilter, (db, filter, engine) =>
  labelsIn(db, filter, engine)
    .selectAll('labels')
    .select((eb) => [
      eb
        .selectFrom('label_priorities as p')
        .select('p.priority')
        .whereRef('p.label_id', '=', 'labels.id')
        .where('p.project_id', '=', filter.rankingProjectId)
        .as('priority'),
      sql<number>`case when exists (select 1 from label_subscriptions s
        where s.label_id = labels.id and s.user_id = ${filter.userId}) then 1 else 0 end`.as('subscribed'),
    ])
    .orderBy('title')
    .orderBy('labels.id')
    .limit(filter.limit),
);

const counts = shaped(ownerFilter, (db, filter, engine) =>
  db
    .selectFrom(labelsIn(db, filter, engine).select('labels.id').limit(filter.limit).as('some'))
    .select((eb) => eb.fn.countAll<number>().as('total')),
);

/** A page of the labels of several projects and groups, merged by title. */
export async function listLabels(
  db: Reader,
  { projectId, namespaceIds }: LabelScope,
  { userId, search, archived, projectsBelow }: LabelFilter,
  { offset, perPage }: Slice,
): Promise<{ rows: FoundLabel[]; total: number }> {
  const owners: [OwnerFilter['kind'], number][] = namespaceIds.map((id) => ['group', id]);
  if (projectId !== null) owners.unshift(['project', projectId]);
  if (projectsBelow) for (const id of namespaceIds) owners.push(['projects of group', id]);
  const filter = { rankingProjectId: projectId ?? 0, userId, search: search || undefined, archived };
  const started = await labelSearch.start(db, { ...filter, ...searchFor(search) });
  const eachOwner = (limit: number) =>
    owners.map(([kind, ownerId]): OwnerFilter => ({ ...started, kind, ownerId, limit }));
  const end = offset + perPage;
  const found = await Promise.all(eachOwner(end).map((one) => pages.all(db, one)));
  const [first = [], ...others] = found.filter((rows) => rows.length > 0);
  const rows = others.length === 0 ? first : [first, ...others].flat().sort(byTitle);
  if (rows.length < end) return { rows: rows.slice(offset), total: rows.length };
  const totals = await Promise.all(eachOwner(countedRows + 1).map((one) => counts.first(db, one)));
  return { rows: rows.slice(offset, end), total: totals.reduce((sum, one) => sum + Number(one?.total ?? 0), 0) };
}

function byTitle(a: FoundLabel, b: FoundLabel): number {
  return Buffer.compare(Buffer.from(a.title), Buffer.from(b.title)) || a.id - b.id;
}
