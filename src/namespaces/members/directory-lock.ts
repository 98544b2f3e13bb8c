import { namespaceOf, type ProjectOrGroup } from '../../access/project-or-group.ts';
import type { Services } from '../../access/services.ts';
import { Forbidden } from '../../platform/http/errors.ts';

/**
 * If the instance locks memberships to LDAP, only administrators manage members of groups and of what is inside them.
 * Users may still leave, and manage the members of their personal projects.
 */
export async function checkDirectoryLock({ settings, directories }: Services, subject: ProjectOrGroup): Promise<void> {
  if (subject.standing.admin || directories.length === 0 || namespaceOf(subject).kind !== 'group') return;
  if ((await settings.read()).lock_memberships_to_ldap) throw new Forbidden();
}
