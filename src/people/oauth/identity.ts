import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import { userAvatarUrl } from '../users/public.ts';
import { signer } from './keys/keys.ts';
import type { OAuthApplication } from './tables.ts';

const life = 120;

/** Returns the claims about a user that the scopes allow. */
export function claimsOf(services: Services, user: User, scopes: readonly string[]) {
  const profile = {
    name: user.name,
    nickname: user.username,
    preferred_username: user.username,
    profile: `${services.externalUrl}/${user.username}`,
    picture: userAvatarUrl(user, services.externalUrl),
  };
  return {
    sub: String(user.id),
    ...(scopes.includes('profile') ? profile : {}),
    ...(scopes.includes('email') ? { email: user.email, email_verified: user.confirmed_at !== null } : {}),
  };
}

interface Whose {
  readonly application: OAuthApplication;
  readonly user: User;
  readonly scopes: readonly string[];
  readonly nonce?: string | null;
}

/** Creates a signed ID token for an application. */
export async function identityToken(services: Services, { application, user, scopes, nonce }: Whose): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const sign = await signer(services);
  return sign({
    iss: services.externalUrl,
    ...claimsOf(services, user, scopes),
    aud: application.uid,
    exp: now + life,
    iat: now,
    ...(nonce ? { nonce } : {}),
  });
}
