import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { Role } from '../../../access/roles.ts';
import { namespaceSearch } from '../../../access/search.ts';
import type { Namespace } from '../../../access/tables.ts';
import { memberGroups } from '../../../access/visibility/visible.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { contains } from '../../../platform/database/expressions.ts';
import { type AskedOf, form } from '../../../platform/database/form.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { type Searching, searchFor, searchLists, searchValues } from '../../../platform/database/search-index.ts';
import { shapedList } from '../../../platform/database/shaped.ts';
import type { Tables } from '../../../platform/database/tables.ts';

export interface LocationFilter {
  readonly namespace: number;
  readonly admin: boolean;
  /** Someone who may have projects in groups. */
  readonly user?: number | undefined;
  readonly now: number;
  readonly search?: string | undefined;
}

const filterForm = form<LocationFilter & Searching>()({
  values: ['namespace', 'user', 'now', 'search', ...searchValues],
  lists: searchLists,
});

// Settings are packed by us, without spaces, and a quote inside a text would be escaped: this is found only as the key.
const createdBy = (...levels: string[]): Expression<SqlBool> =>
  sql<SqlBool>`(${sql.join(
    levels.map((level) => sql`namespaces.settings like ${`%"project_creation_level":"${level}"%`}`),
    sql` or `,
  )})`;

/** Groups that take projects from the actor. */
function takesProjects(
  eb: ExpressionBuilder<Tables, 'namespaces'>,
  { admin, user, now }: AskedOf<typeof filterForm>,
): Expression<SqlBool> {
  if (admin) return eb.not(createdBy('noone'));
  if (!user) return sql<SqlBool>`1 = 0`;
  return eb.or([
    eb.and([memberGroups(eb, user, Role.owner, now), eb.not(createdBy('noone', 'administrator'))]),
    eb.and([memberGroups(eb, user, Role.maintainer, now), eb.not(createdBy('noone', 'administrator', 'owner'))]),
  ]);
}

const locations = shapedList(filterForm, (db, ask, engine) => {
  const query = namespaceSearch
    .narrow(db.selectFrom('namespaces'), 'namespaces.id', ask, engine)
    .selectAll('namespaces')
    .where('namespaces.kind', '=', sql.lit('group'))
    .where('namespaces.id', '!=', ask.namespace)
    .where((eb) => takesProjects(eb, ask))
    .orderBy('namespaces.name')
    .orderBy('namespaces.id');
  const { search } = ask;
  if (!search) return query;
  return query.where((eb) =>
    eb.or([contains(eb.ref('namespaces.full_name'), search), contains(eb.ref('namespaces.full_path'), search)]),
  );
});

/** The groups that a project can be moved into, by name. */
export function listTransferLocations(
  db: Reader,
  { search, ...filter }: LocationFilter,
  slice: Slice,
): Promise<{ rows: Namespace[]; total: number }> {
  const wanted = { ...filter, search: search || undefined, ...searchFor(search) };
  return namespaceSearch.page(locations, db, wanted, slice);
}
