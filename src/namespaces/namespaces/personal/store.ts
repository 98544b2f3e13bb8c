import { insertNamespace } from '../../../access/namespaces/addresses.ts';
import type { Namespace, User } from '../../../access/tables.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';

/** Returns the personal namespace of a user. */
export function findPersonalNamespace(db: Reader, user: number): Promise<Namespace | undefined> {
  return db.selectFrom('namespaces').selectAll().where('owner_id', '=', user).executeTakeFirst();
}

export function insertPersonalNamespace(trx: Writer, user: User, settings: object): Promise<Namespace> {
  return insertNamespace(trx, {
    kind: 'user',
    owner_id: user.id,
    parent_id: null,
    name: user.name,
    path: user.username,
    visibility: 20,
    avatar: null,
    runners_token: null,
    settings: JSON.stringify(settings),
    marked_for_deletion_at: null,
    marked_by_id: null,
    created_at: user.created_at,
    updated_at: user.created_at,
  });
}
