import { namespaceOf, type ProjectOrGroup } from '../../access/project-or-group.ts';
import type { Services } from '../../access/services.ts';
import { Forbidden } from '../../platform/http/errors.ts';

/**
 * Where the instance leaves memberships to its directories, nobody but administrators says who has a role in a group or in
 * what is inside one. People still leave by themselves, and have whom they like in projects of their own.
 */
export async function refuseLocked({ settings, directories }: Services, subject: ProjectOrGroup): Promise<void> {
  if (subject.standing.admin || directories.length === 0 || namespaceOf(subject).kind !== 'group') return;
  if ((await settings.read()).lock_memberships_to_ldap) throw new Forbidden();
}
