import type { Reader } from '../../platform/database/database.ts';
import { boundProperties } from '../../platform/database/form.ts';
import { param } from '../../platform/http/params.ts';
import { driving } from '../../platform/list-kit/filter.ts';
import { compare } from '../../platform/list-kit/filters.ts';
import { list } from '../../platform/list-kit/list.ts';
import { byId } from '../../platform/list-kit/order.ts';
import { storedCount } from '../../platform/list-kit/stored-count.ts';
import type { AuditEventRow, EntityType } from './tables.ts';

/** Entity whose audit events are listed; all if absent. */
export interface AuditScope {
  readonly type?: EntityType | undefined;
  readonly id?: number | undefined;
}

export const auditList = list({
  id: 'audit_events.id',
  scope: boundProperties<AuditScope>()({ values: ['id'] }),
  filters: {
    created_after: driving(compare('audit_events.created_at', '>=', param.dateTime()), { scoped: true }),
    created_before: driving(compare('audit_events.created_at', '<=', param.dateTime()), { scoped: true }),
  },
  orders: { id: byId },
  kept: ({ type, id }) => (type && id ? storedCount(`audit_events.${type}`, id) : undefined),
  select: (db, { type, id }) => {
    let query = db.selectFrom('audit_events').selectAll('audit_events');
    if (type) query = query.where('audit_events.entity_type', '=', type);
    if (id) query = query.where('audit_events.entity_id', '=', id);
    return query;
  },
});

export function findAuditEvent(db: Reader, id: number): Promise<AuditEventRow | undefined> {
  return db.selectFrom('audit_events').selectAll().where('id', '=', id).executeTakeFirst();
}
