import { namespaceOf, type ProjectOrGroup } from '../../access/project-or-group.ts';
import type { Services } from '../../access/services.ts';
import { samlProvidersOf } from '../../config/saml-providers.ts';
import { Forbidden } from '../../platform/http/errors.ts';

/**
 * If the instance locks memberships to LDAP or SAML, only administrators manage members of groups and of what is inside them.
 * Users may still leave, and manage the members of their personal projects.
 */
export async function checkDirectoryLock(
  { settings, directories, config }: Pick<Services, 'settings' | 'directories' | 'config'>,
  subject: ProjectOrGroup,
): Promise<void> {
  const [ldap, saml] = [directories.length > 0, samlProvidersOf(config).length > 0];
  if (subject.standing.admin || !(ldap || saml) || namespaceOf(subject).kind !== 'group') return;
  const { lock_memberships_to_ldap: toLdap, lock_memberships_to_saml: toSaml } = await settings.read();
  if ((ldap && toLdap) || (saml && toSaml)) throw new Forbidden();
}
