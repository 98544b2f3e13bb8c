import type { PasswordDirectory } from '../../access/credentials/passwords.ts';
import type { Services } from '../../access/services.ts';
import { identitiesOf } from '../users/public.ts';
import { offeredProviders } from './provider.ts';

/**
 * If administrators disable passwords for users with SSO identities, their passwords are refused. While the provider is
 * disabled they work again, so that nobody is locked out.
 */
export function ssoPasswordPolicy(services: Services): readonly PasswordDirectory[] {
  const owns: PasswordDirectory['owns'] = async (db, user) => {
    const settings = await services.settings.read();
    if (!settings.disable_password_authentication_for_users_with_sso_identities) return false;
    const offered = new Set((await offeredProviders(services)).map(({ name }) => name));
    const own = offered.size === 0 ? [] : ((await identitiesOf(db, [user.id])).get(user.id) ?? []);
    return own.some(({ provider }) => offered.has(provider));
  };
  return [{ owns, check: async () => undefined }];
}
