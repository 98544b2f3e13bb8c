import type { ApplicationSettings } from '../application-settings/list.ts';
import type { Services } from '../services.ts';
import type { User } from '../tables.ts';

const day = 86_400_000;
/** Days within which an address must be confirmed with the `soft` setting. */
const days = 3;

type Account = Pick<User, 'kind' | 'confirmed_at' | 'created_at'>;

/** Whether the account cannot be used with its password until its address is confirmed. */
export function needsConfirmation(
  { kind, confirmed_at, created_at }: Account,
  setting: ApplicationSettings['email_confirmation_setting'],
  now = Date.now(),
): boolean {
  if (kind !== 'human' || confirmed_at !== null || setting === 'off') return false;
  return setting === 'hard' || created_at <= now - days * day;
}

/** Like `needsConfirmation`, with the current setting. */
export async function mustConfirm({ settings }: Pick<Services, 'settings'>, user: Account): Promise<boolean> {
  return needsConfirmation(user, (await settings.read()).email_confirmation_setting);
}
