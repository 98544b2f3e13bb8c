import type { Reader } from '../../../platform/database/database.ts';
import { hasPublicEmail } from '../profiles/list.ts';

export function findByPublicEmail(db: Reader, email: string) {
  return db
    .selectFrom('users')
    .select(['id', 'email', 'avatar'])
    .where((eb) => hasPublicEmail(eb.ref('public_email'), email))
    .executeTakeFirst();
}
