import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import { OAuthError } from './errors.ts';
import { actsFor } from './rules.ts';
import type { OAuthApplication } from './tables.ts';

/** Refuses to let a program act for an administrator where the instance does not have it, unless it is trusted. */
export async function checkAdministrator(
  { settings }: Services,
  user: User,
  { trusted }: OAuthApplication,
  scopes: readonly string[],
): Promise<void> {
  if (user.admin !== 1 || trusted === 1 || !actsFor(scopes)) return;
  if ((await settings.read()).disable_admin_oauth_scopes)
    throw new OAuthError('access_denied', 'Applications do not act for administrators here.');
}
