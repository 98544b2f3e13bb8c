import { Role } from '../../../access/roles.ts';
import type { Reader } from '../../../platform/database/database.ts';

/** Returns the owners of a project: its own members, or those of its namespace. */
export async function ownersOf(db: Reader, projectId: number, namespaceId: number) {
  return db
    .selectFrom('members as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select(['u.name', 'u.public_email'])
    .where((eb) => eb.or([eb('m.project_id', '=', projectId), eb('m.namespace_id', '=', namespaceId)]))
    .where('m.access_level', '=', Role.owner)
    .orderBy('u.id')
    .limit(100)
    .execute();
}
