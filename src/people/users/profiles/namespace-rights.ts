import { Role } from '../../../access/roles.ts';
import type { Services } from '../../../access/services.ts';
import type { User } from '../../../access/tables.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { highestRole } from './store.ts';

/**
 * Whether a user may have personal projects and create top-level groups; some instances deny it to users who are at
 * most Guests.
 */
export async function mayHavePersonalProjects({ settings }: Services, db: Reader, user: User): Promise<boolean> {
  if (user.admin === 1 || (await settings.read()).allow_project_creation_for_guest_and_below) return true;
  return (await highestRole(db, user.id)) > Role.guest;
}
