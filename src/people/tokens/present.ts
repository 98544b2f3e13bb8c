import { isExpired } from '../../access/credentials/identify.ts';
import { readAddresses } from '../../access/credentials/last-use.ts';
import { readScopes } from '../../access/credentials/scopes.ts';
import type { AccessToken } from '../../access/tables.ts';
import { dayOrNull, instant, instantOrNull } from '../../platform/http/schema.ts';
import type { TokenEntity } from './schema.ts';

/** Whether a token is neither revoked nor expired. */
export function isActive(token: Pick<AccessToken, 'revoked' | 'expires_at'>, now = Date.now()): boolean {
  return token.revoked === 0 && !isExpired(token, now);
}

/** Serializes a token. */
export function presentToken(token: AccessToken): TokenEntity {
  return {
    id: token.id,
    name: token.name,
    revoked: token.revoked === 1,
    created_at: instant(token.created_at),
    description: token.description,
    scopes: readScopes(token.scopes),
    user_id: token.user_id,
    last_used_at: instantOrNull(token.last_used_at),
    active: isActive(token),
    expires_at: dayOrNull(token.expires_at),
  };
}

/** Serializes a token with the addresses it was last used from. */
export function presentUsed(token: AccessToken) {
  return { ...presentToken(token), last_used_ips: readAddresses(token.last_used_ips) };
}
