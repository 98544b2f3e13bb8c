import { type SqlBool, sql } from 'kysely';
import { boundProperties } from '../../platform/database/form.ts';
import { SearchIndex } from '../../platform/database/search-index.ts';
import { param, withDefault } from '../../platform/http/params.ts';
import { driving } from '../../platform/list-kit/filter.ts';
import { choice, equals, flag } from '../../platform/list-kit/filters.ts';
import { list } from '../../platform/list-kit/list.ts';
import { byColumn, byExpression, byId, type Ordering, type OrderKey } from '../../platform/list-kit/order.ts';
import { searchFilters } from '../../platform/list-kit/searching.ts';
import { packageTypes } from './tables.ts';

const index = new SearchIndex({ table: 'packages', columns: ['name'] });
const status = sql.ref('packages.status');
const version = sql.ref('packages.version');

/** An index provides the rows of each value within the scope, in ID order. */
const indexed = { scoped: true, ordered: true } as const;

/** Filters shared by all package lists. */
export const packageFilters = {
  package_type: driving(equals('packages.package_type', param.oneOf(packageTypes)), indexed),
  package_name: searchFilters({ index, columns: { name: 'packages.name' } }).search,
  package_version: driving(equals('packages.version', param.string({ description: 'Exact version' })), indexed),
  include_versionless: flag(sql<SqlBool>`1 = 1`, {
    // Prevents SQLite from using the version index: it assumes that few packages have a version.
    otherwise: (_, engine) => (engine === 'sqlite' ? sql`+${version} is not null` : sql`${version} is not null`),
    param: withDefault(param.boolean({ description: 'Include packages without a version' }), false),
  }),
  status: driving(
    choice({
      /** Packages that are neither hidden nor being processed or deleted. */
      shown: sql<SqlBool>`${status} in ('default', 'error')`,
      default: sql<SqlBool>`${status} = 'default'`,
      hidden: sql<SqlBool>`${status} = 'hidden'`,
      processing: sql<SqlBool>`${status} = 'processing'`,
      error: sql<SqlBool>`${status} = 'error'`,
      pending_destruction: sql<SqlBool>`${status} = 'pending_destruction'`,
      deprecated: sql<SqlBool>`${status} = 'deprecated'`,
    }),
    { ...indexed, words: ['hidden', 'processing', 'error', 'pending_destruction', 'deprecated'] },
  ),
};

/** Packages without a version come last. Without them, an index provides the order. */
function byVersion({ direction, filters }: Ordering<unknown>): OrderKey[] {
  const missing: OrderKey = [sql`case when ${version} is null then 1 else 0 end`, 'asc'];
  return [...(filters.include_versionless?.word === 'false' ? [] : [missing]), [version, direction]];
}

/** Within one type, packages are already ordered by ID. */
function byType({ direction, filters }: Ordering<unknown>): OrderKey[] {
  return filters.package_type ? [] : [[sql.ref('packages.package_type'), direction]];
}

/** Orders shared by all package lists. */
export const packageOrders = {
  created_at: byId,
  name: byColumn('packages.name', 'text'),
  version: byExpression(byVersion),
  type: byExpression(byType),
};

/** The packages of a project. */
export const packageList = list({
  id: 'packages.id',
  scope: boundProperties<{ readonly project: number }>()({ values: ['project'] }),
  filters: packageFilters,
  orders: packageOrders,
  lateRows: true,
  select: (db, { project }) =>
    db.selectFrom('packages').selectAll('packages').where('packages.project_id', '=', project),
});
