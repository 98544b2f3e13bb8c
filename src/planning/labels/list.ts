import { sql } from 'kysely';
import type { Reader } from '../../platform/database/database.ts';
import { boundProperties } from '../../platform/database/form.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { SearchIndex } from '../../platform/database/search-index.ts';
import type { ParamsOf } from '../../platform/http/params.ts';
import { isSet } from '../../platform/list-kit/filters.ts';
import { list } from '../../platform/list-kit/list.ts';
import { byColumn } from '../../platform/list-kit/order.ts';
import { searchFilters } from '../../platform/list-kit/searching.ts';
import type { FoundLabel, LabelScope } from './store.ts';

/** Maximum number of groups that are read by title separately and merged; the labels of more groups are sorted. */
const mergedGroups = 30;

/** The owner whose labels are listed, and the reader. */
interface OwnerScope {
  readonly kind: 'project' | 'group' | 'projects of group' | 'groups' | 'projects of groups';
  readonly ownerId?: number;
  readonly ownerIds?: readonly number[];
  /** The project whose priorities are shown. */
  readonly rankingProjectId: number;
  readonly userId: number;
}

const labelSearch = new SearchIndex({ table: 'labels', columns: ['title', 'description'] });
const { search } = searchFilters({
  index: labelSearch,
  columns: { title: 'labels.title', description: 'labels.description' },
  byWords: true,
});

/** Labels of one owner by title. An index has them in this order, so only the rows of the page are read. */
export const labelList = list({
  id: 'labels.id',
  scope: boundProperties<OwnerScope>()({ values: ['ownerId', 'rankingProjectId', 'userId'], lists: ['ownerIds'] }),
  filters: { search, archived: isSet('labels.archived') },
  orders: { title: byColumn('labels.title', 'text') },
  select: (db, { kind, ownerId = 0, ownerIds = [], rankingProjectId, userId }) => {
    const query = db
      .selectFrom('labels')
      .selectAll('labels')
      .select((eb) => [
        eb
          .selectFrom('label_priorities as p')
          .select('p.priority')
          .whereRef('p.label_id', '=', 'labels.id')
          .where('p.project_id', '=', rankingProjectId)
          .as('priority'),
        sql<number>`case when exists (select 1 from label_subscriptions s
          where s.label_id = labels.id and s.user_id = ${userId}) then 1 else 0 end`.as('subscribed'),
      ]);
    if (kind === 'project') return query.where('labels.project_id', '=', ownerId);
    if (kind === 'group') return query.where('labels.namespace_id', '=', ownerId);
    if (kind === 'groups') return query.where('labels.namespace_id', 'in', ownerIds);
    const projects = db.selectFrom('projects').select('id');
    const inside =
      kind === 'projects of group'
        ? projects.where('namespace_id', '=', ownerId)
        : projects.where('namespace_id', 'in', ownerIds);
    return query.where('labels.project_id', 'in', inside);
  },
});

/** The reader of a label list, and whether labels of projects inside the groups are included. */
export interface LabelReader {
  readonly userId: number;
  readonly projectsBelow: boolean;
}

/** Returns a page of the labels of several projects and groups, merged by title. */
export function listLabels(
  db: Reader,
  { projectId, namespaceIds }: LabelScope,
  { userId, projectsBelow }: LabelReader,
  filters: ParamsOf<typeof labelList.params>,
  slice: Slice,
): Promise<{ rows: FoundLabel[]; total: number }> {
  const reader = { rankingProjectId: projectId ?? 0, userId };
  const owners: Omit<OwnerScope, keyof typeof reader>[] = [];
  if (projectId !== null) owners.push({ kind: 'project', ownerId: projectId });
  if (namespaceIds.length > mergedGroups) {
    owners.push({ kind: 'groups', ownerIds: namespaceIds });
    if (projectsBelow) owners.push({ kind: 'projects of groups', ownerIds: namespaceIds });
  } else {
    for (const ownerId of namespaceIds) owners.push({ kind: 'group', ownerId });
    if (projectsBelow) for (const ownerId of namespaceIds) owners.push({ kind: 'projects of group', ownerId });
  }
  const scopes = owners.map((owner) => ({ ...owner, ...reader }));
  return labelList.page(db, scopes, filters, { by: 'title', direction: 'asc' }, slice);
}
