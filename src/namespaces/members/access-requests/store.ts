import type { Selectable } from 'kysely';
import { belongsTo, type OwnerColumns } from '../../../access/project-or-group.ts';
import type { AccessRequestsTable } from '../../../access/tables.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { fetchPage } from '../../../platform/list-kit/fetch-page.ts';
import { storedCountOf } from '../../../platform/list-kit/stored-count.ts';

export type AccessRequestRow = Selectable<AccessRequestsTable>;

/** Query for the access requests of a project or group. */
function requestsTo(db: Reader, owner: OwnerColumns) {
  return db.selectFrom('access_requests').selectAll().where(belongsTo('access_requests', owner));
}

export function listRequests(db: Reader, owner: OwnerColumns, slice: Slice) {
  return fetchPage(db, requestsTo(db, owner).orderBy('id'), slice, storedCountOf('access_requests', owner));
}

export function findRequest(db: Reader, owner: OwnerColumns, user: number): Promise<AccessRequestRow | undefined> {
  return requestsTo(db, owner).where('user_id', '=', user).executeTakeFirst();
}

export async function insertRequest(trx: Writer, row: Omit<AccessRequestRow, 'id'>): Promise<AccessRequestRow> {
  return trx.insertInto('access_requests').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function deleteRequest(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('access_requests').where('id', '=', id).execute();
}
