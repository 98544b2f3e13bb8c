import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import { NotFound, Unprocessable } from '../../../platform/http/errors.ts';
import { digest } from '../../../platform/secrets/tokens.ts';
import { presentToken } from '../present.ts';
import { findToken, findTokenByDigest, revokeToken } from '../store.ts';
import type { KnownToken } from '../tables.ts';

/** Identifies an access token of a user or bot. */
export async function knownAccessToken(services: Services, text: string): Promise<KnownToken | undefined> {
  const found = await findTokenByDigest(services.db.read, digest(text));
  const token = found && (await findToken(services.db.read, found.id));
  if (!token) return undefined;
  return {
    entity: { ...presentToken(token), impersonation: token.impersonation === 1 },
    revoke: ({ user }) => services.db.write(async (trx) => void (await revokeToken(services, trx, token.id, user))),
  };
}

/** Identifies a token of any kind; rejects secrets with an unknown prefix. */
async function identify(services: Services, text: string): Promise<KnownToken> {
  const kinds = services.contributions('tokens.known');
  for (const kind of kinds) {
    const known = await kind.identify(services, text);
    if (known) return known;
  }
  const { personal_access_token_prefix: own } = await services.settings.read();
  const prefixes = kinds.map(({ prefix }) => prefix ?? own).filter((prefix) => prefix !== '');
  if (!prefixes.some((prefix) => text.startsWith(prefix))) throw new Unprocessable('The token type is not supported');
  throw new NotFound();
}

/** Returns what a leaked token is. */
export async function identifyToken(services: Services, text: string) {
  return (await identify(services, text)).entity;
}

/** Revokes a leaked token. */
export async function revokeIdentified(services: Services, caller: SignedInActor, text: string): Promise<void> {
  await (await identify(services, text)).revoke(caller);
}
