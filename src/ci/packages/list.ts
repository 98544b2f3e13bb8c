import { type SqlBool, sql } from 'kysely';
import { form } from '../../platform/database/form.ts';
import { SearchIndex } from '../../platform/database/search-index.ts';
import { param, withDefault } from '../../platform/http/params.ts';
import { choice, equals, flag, searching } from '../../platform/list-kit/filters.ts';
import { list } from '../../platform/list-kit/list.ts';
import { byColumn, byId, byNullable } from '../../platform/list-kit/order.ts';
import { packageTypes } from './tables.ts';

const index = new SearchIndex({ table: 'packages', columns: ['name'] });
const status = sql.ref('packages.status');

/** What every list of packages can be asked for. */
export const packageFilters = {
  package_type: equals('packages.package_type', param.oneOf(packageTypes)),
  package_name: searching({ index, columns: { name: 'packages.name' } }).search,
  package_version: equals('packages.version', param.string({ description: 'Exactly this version' })),
  include_versionless: flag(sql<SqlBool>`1 = 1`, {
    otherwise: sql<SqlBool>`packages.version is not null`,
    param: withDefault(param.boolean({ description: 'Packages without a version too' }), false),
  }),
  status: choice({
    /** What nobody has hidden and is not on its way in or out. */
    shown: sql<SqlBool>`${status} in ('default', 'error')`,
    default: sql<SqlBool>`${status} = 'default'`,
    hidden: sql<SqlBool>`${status} = 'hidden'`,
    processing: sql<SqlBool>`${status} = 'processing'`,
    error: sql<SqlBool>`${status} = 'error'`,
    pending_destruction: sql<SqlBool>`${status} = 'pending_destruction'`,
    deprecated: sql<SqlBool>`${status} = 'deprecated'`,
  }),
};

/** The packages of a project. */
export const packageList = list({
  id: 'packages.id',
  scope: form<{ readonly project: number }>()({ values: ['project'] }),
  filters: packageFilters,
  orders: {
    created_at: byId,
    name: byColumn('packages.name', 'text'),
    version: byNullable('packages.version'),
    type: byColumn('packages.package_type', 'text'),
  },
  select: (db, { project }) =>
    db.selectFrom('packages').selectAll('packages').where('packages.project_id', '=', project),
});
