import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import { OAuthError } from './errors.ts';
import { hasNonIdentityScope } from './rules.ts';
import type { OAuthApplication } from './tables.ts';

/** Refuses applications that act for an administrator if the instance disables this, unless they are trusted. */
export async function checkAdministrator(
  { settings }: Services,
  user: User,
  { trusted }: OAuthApplication,
  scopes: readonly string[],
): Promise<void> {
  if (user.admin !== 1 || trusted === 1 || !hasNonIdentityScope(scopes)) return;
  if ((await settings.read()).disable_admin_oauth_scopes)
    throw new OAuthError('access_denied', 'Applications may not act for administrators on this instance.');
}
