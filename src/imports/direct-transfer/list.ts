import { boundProperties } from '../../platform/database/form.ts';
import { param } from '../../platform/http/params.ts';
import { equals } from '../../platform/list-kit/filters.ts';
import { list } from '../../platform/list-kit/list.ts';
import { byId } from '../../platform/list-kit/order.ts';
import { transferStatuses } from './tables.ts';

/** Bulk imports of a user. */
export const bulkImportList = list({
  id: 'bulk_imports.id',
  scope: boundProperties<{ user: number }>()({ values: ['user'] }),
  filters: { status: equals('bulk_imports.status', param.oneOf(transferStatuses)) },
  orders: { id: byId },
  select: (db, ask) =>
    db.selectFrom('bulk_imports').selectAll('bulk_imports').where('bulk_imports.user_id', '=', ask.user),
});

/** Entities of all bulk imports of a user. */
export const entityList = list({
  id: 'bulk_import_entities.id',
  scope: boundProperties<{ user: number }>()({ values: ['user'] }),
  filters: { status: equals('bulk_import_entities.status', param.oneOf(transferStatuses)) },
  orders: { id: byId },
  select: (db, ask) =>
    db
      .selectFrom('bulk_import_entities')
      .selectAll('bulk_import_entities')
      .where('bulk_import_entities.user_id', '=', ask.user),
});

/** Entities of a bulk import. */
export const entitiesOfImport = list({
  id: 'bulk_import_entities.id',
  scope: boundProperties<{ bulkImport: number }>()({ values: ['bulkImport'] }),
  filters: { status: equals('bulk_import_entities.status', param.oneOf(transferStatuses)) },
  orders: { id: byId },
  select: (db, ask) =>
    db
      .selectFrom('bulk_import_entities')
      .selectAll('bulk_import_entities')
      .where('bulk_import_entities.bulk_import_id', '=', ask.bulkImport),
});
