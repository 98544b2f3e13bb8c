import { type Insertable, type SqlBool, sql } from 'kysely';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { fetchPage } from '../../../platform/list-kit/fetch-page.ts';
import type { DeliveryRow, WebhookDeliveriesTable } from '../tables.ts';

/** Range `[from, to]` of response statuses; null for deliveries without a response. */
export type StatusRange = readonly [number, number] | null;

export function insertDelivery(trx: Writer, row: Insertable<WebhookDeliveriesTable>): Promise<DeliveryRow> {
  return trx.insertInto('webhook_deliveries').values(row).returningAll().executeTakeFirstOrThrow();
}

/** Must match the condition of the partial index on unsuccessful deliveries. */
const unsuccessful = sql<SqlBool>`(response_status is null or response_status >= 300)`;
const isUnsuccessful = (range: StatusRange) => range === null || range[0] >= 300;

/** Returns the deliveries of a webhook, newest first. */
export function listDeliveries(
  db: Reader,
  hookId: number,
  since: number,
  statuses: readonly StatusRange[] | undefined,
  slice: Slice,
) {
  let query = db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('webhook_id', '=', hookId)
    .where('created_at', '>', since)
    .orderBy('id', 'desc');
  if (statuses) {
    query = query.where((eb) =>
      eb.or(
        statuses.map((range) =>
          range === null ? eb('response_status', 'is', null) : eb.between('response_status', range[0], range[1]),
        ),
      ),
    );
  }
  return fetchPage(db, statuses?.every(isUnsuccessful) ? query.where(unsuccessful) : query, slice);
}

export function findDelivery(db: Reader, hookId: number, id: number): Promise<DeliveryRow | undefined> {
  return db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('webhook_id', '=', hookId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Deletes up to `limit` deliveries older than an instant and returns their number. */
export async function deleteOldDeliveries(trx: Writer, before: number, limit: number): Promise<number> {
  const old = trx
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('created_at', '<', before)
    .orderBy('created_at')
    .limit(limit);
  const { numDeletedRows } = await trx.deleteFrom('webhook_deliveries').where('id', 'in', old).executeTakeFirst();
  return Number(numDeletedRows);
}
