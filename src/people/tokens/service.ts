import type { Actor } from '../../access/actor.ts';
import { findUser, revokedTokenError } from '../../access/credentials/identify.ts';
import { readScopes } from '../../access/credentials/scopes.ts';
import { familyOf, lockTokenFamily, revokeFamily } from '../../access/credentials/token-families.ts';
import type { Services } from '../../access/services.ts';
import type { AccessToken, User } from '../../access/tables.ts';
import type { Writer } from '../../platform/database/database.ts';
import { BadRequest } from '../../platform/http/errors.ts';
import { digest, randomToken } from '../../platform/secrets/tokens.ts';
import { expiryOf, expiryProblem, lifetimeOf, rotatedLife } from './expiry.ts';
import { insertToken, type NewToken, revokeToken } from './store.ts';

/** Attributes of a new token. */
export interface TokenInput {
  readonly name: string;
  readonly description?: string;
  readonly scopes: readonly string[];
  /** `YYYY-MM-DD`. */
  readonly expires_at?: string;
}

/** A token just created, the only time its secret is known. */
export interface IssuedToken {
  readonly row: AccessToken;
  readonly token: string;
}

/** Creates a token with the given prefix. */
export async function issueToken(
  services: Services,
  trx: Writer,
  prefix: string,
  attributes: Omit<NewToken, 'digest'>,
): Promise<IssuedToken> {
  const token = `${prefix}${randomToken(20)}`;
  return { row: await insertToken(services, trx, { ...attributes, digest: digest(token) }), token };
}

/**
 * Replaces a token by one with the same name, scopes and description, revoking the old one in the same transaction. Of
 * concurrent rotations only the first succeeds, so that a token has one successor; the others get undefined.
 */
async function rotate(
  services: Services,
  trx: Writer,
  prefix: string,
  old: AccessToken,
  expiresAt: number,
  by: User | null,
): Promise<IssuedToken | undefined> {
  await lockTokenFamily(trx, old);
  if (!(await revokeToken(services, trx, old.id, by))) return undefined;
  return issueToken(services, trx, prefix, {
    userId: old.user_id,
    name: old.name,
    description: old.description,
    scopes: readScopes(old.scopes),
    expiresAt,
    impersonation: old.impersonation === 1,
    familyId: familyOf(old),
    by,
  });
}

/** Rotates a token after validating the new expiry date. */
export async function rotateToken(
  services: Services,
  actor: Actor,
  token: AccessToken,
  expires_at: string | undefined,
): Promise<IssuedToken> {
  const instance = await services.settings.read();
  const owner = await findUser(services.db.read, token.user_id);
  const life = lifetimeOf(instance, owner?.kind);
  const expiresAt = expiryOf(expires_at, Math.min(rotatedLife, life.longest ?? rotatedLife));
  const tooFar = expiryProblem(expiresAt, life);
  if (tooFar) throw new BadRequest(`Expiration date ${tooFar}`);
  const issued = await services.db.write((trx) =>
    rotate(services, trx, instance.personal_access_token_prefix, token, expiresAt, actor.user),
  );
  if (issued) return issued;
  if (actor.token?.id !== token.id) throw new BadRequest('Token already revoked');
  // The token was active when the request arrived but was rotated concurrently, so it may have been stolen.
  await revokeFamily(services.db, token);
  throw revokedTokenError();
}
