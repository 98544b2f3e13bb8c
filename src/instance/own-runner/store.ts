import type { User } from '../../access/tables.ts';
import type { Reader } from '../../platform/database/database.ts';

export function firstAdministrator(db: Reader): Promise<User | undefined> {
  return db
    .selectFrom('users')
    .selectAll()
    .where('admin', '=', 1)
    .where('state', '=', 'active')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
}
