import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { Role } from '../../../access/roles.ts';
import { namespaceSearch } from '../../../access/search.ts';
import type { Namespace } from '../../../access/tables.ts';
import { memberGroups } from '../../../access/visibility/visible.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { type BoundFilterOf, boundProperties } from '../../../platform/database/form.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import type { Tables } from '../../../platform/database/tables.ts';
import { list } from '../../../platform/list-kit/list.ts';
import { byColumn } from '../../../platform/list-kit/order.ts';
import { searchFilters } from '../../../platform/list-kit/searching.ts';

interface LocationScope {
  readonly namespace: number;
  readonly admin: boolean;
  /** A user who may have projects in groups. */
  readonly user?: number | undefined;
  readonly now: number;
}

const locationScope = boundProperties<LocationScope>()({ values: ['namespace', 'user', 'now'] });

// Settings are stored as compact JSON, and a quote inside a string would be escaped, so this pattern matches only the
// key.
const createdBy = (...levels: string[]): Expression<SqlBool> =>
  sql<SqlBool>`(${sql.join(
    levels.map((level) => sql`namespaces.settings like ${`%"project_creation_level":"${level}"%`}`),
    sql` or `,
  )})`;

/** Condition for groups in which the actor may create projects. */
function takesProjects(
  eb: ExpressionBuilder<Tables, 'namespaces'>,
  { admin, user, now }: BoundFilterOf<typeof locationScope>,
): Expression<SqlBool> {
  if (admin) return eb.not(createdBy('noone'));
  if (!user) return sql<SqlBool>`1 = 0`;
  return eb.or([
    eb.and([memberGroups(eb, user, Role.owner, now), eb.not(createdBy('noone', 'administrator'))]),
    eb.and([memberGroups(eb, user, Role.maintainer, now), eb.not(createdBy('noone', 'administrator', 'owner'))]),
  ]);
}

const locations = list({
  id: 'namespaces.id',
  scope: locationScope,
  filters: {
    search: searchFilters({
      index: namespaceSearch,
      columns: { name: 'namespaces.full_name', path: 'namespaces.full_path' },
      byWords: true,
    }).search,
  },
  orders: { name: byColumn('namespaces.name', 'text') },
  select: (db, ask) =>
    db
      .selectFrom('namespaces')
      .selectAll('namespaces')
      .where('namespaces.kind', '=', sql.lit('group'))
      .where('namespaces.id', '!=', ask.namespace)
      .where((eb) => takesProjects(eb, ask)),
});

/** Lists the groups to which a project can be transferred, ordered by name. */
export function listTransferLocations(
  db: Reader,
  scope: LocationScope,
  search: string | undefined,
  slice: Slice,
): Promise<{ rows: Namespace[]; total: number }> {
  return locations.page(db, scope, { search }, { by: 'name', direction: 'asc' }, slice);
}
