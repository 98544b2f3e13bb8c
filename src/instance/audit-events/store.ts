import type { Insertable } from 'kysely';
import type { Writer } from '../../platform/database/database.ts';
import type { AuditEventsTable } from './tables.ts';

export async function insertAuditEvent(trx: Writer, row: Insertable<AuditEventsTable>): Promise<void> {
  await trx.insertInto('audit_events').values(row).execute();
}
