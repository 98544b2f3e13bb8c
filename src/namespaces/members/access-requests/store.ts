import type { Selectable } from 'kysely';
import { belongs, type OwnerColumns } from '../../../access/project-or-group.ts';
import type { AccessRequestsTable } from '../../../access/tables.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { form } from '../../../platform/database/form.ts';
import { shapedList } from '../../../platform/database/shaped.ts';

export type AccessRequestRow = Selectable<AccessRequestsTable>;

type RequestFilter = OwnerColumns & { readonly user?: number };

/** The requests to a project or group, or the one of a user. */
export const accessRequests = shapedList(
  form<RequestFilter>()({ values: ['namespace_id', 'project_id', 'user'] }),
  (db, { user, ...owner }) => {
    const query = db.selectFrom('access_requests').selectAll().where(belongs('access_requests', owner)).orderBy('id');
    return user ? query.where('user_id', '=', user) : query;
  },
);

export async function insertRequest(trx: Writer, row: Omit<AccessRequestRow, 'id'>): Promise<AccessRequestRow> {
  return trx.insertInto('access_requests').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function deleteRequest(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('access_requests').where('id', '=', id).execute();
}
