import { Type } from 'typebox';
import type { Actor } from '../../access/actor.ts';
import { accountRefusal } from '../../access/credentials/account-state.ts';
import { findTokenById, findUser, isExpired } from '../../access/credentials/identify.ts';
import type { Services } from '../../access/services.ts';
import { sealedJson } from '../../platform/secrets/sealed-json.ts';

/** Lifetime of an LFS token in seconds. */
export const lfsTokenSeconds = 7200;

const number = Type.Optional(Type.Number());
const tokens = sealedJson(
  'lfs.token',
  Type.Object({
    /** Project ID. */
    p: Type.Number(),
    op: Type.Union([Type.Literal('upload'), Type.Literal('download')]),
    /** ID of the user, deploy key or deploy token: exactly one of `u`, `k` and `t`. */
    u: number,
    /** ID of the access token used; the LFS token is invalid once that is revoked or expired. */
    a: number,
    k: number,
    t: number,
    /** Expiry time in milliseconds. */
    x: Type.Number(),
  }),
);

/** The user name for LFS tokens. It carries no information; the token is the password. */
export const lfsUsername = 'lfs';

/** Issues a short-lived token to upload or download the LFS objects of one project. */
export function issueLfsToken(
  services: Services,
  actor: Actor,
  projectId: number,
  operation: 'upload' | 'download',
): string {
  const who = actor.user
    ? { u: actor.user.id, a: actor.token?.id }
    : actor.carrier === 'deploy-key'
      ? { k: actor.deploy?.id }
      : { t: actor.deploy?.id };
  // A token issued with another LFS token expires with it; otherwise it could be renewed forever.
  const x = actor.lfs?.until ?? Date.now() + lfsTokenSeconds * 1000;
  const claims = { p: projectId, op: operation, x, ...who };
  return tokens.seal(services.encryption, claims);
}

/** Remaining lifetime, in seconds, of tokens issued to an actor. */
export function lfsSecondsLeft({ lfs }: Actor): number {
  return lfs ? Math.max(1, Math.floor((lfs.until - Date.now()) / 1000)) : lfsTokenSeconds;
}

/** The `Authorization` header for a token. */
export function lfsAuthorization(token: string): string {
  return `Basic ${Buffer.from(`${lfsUsername}:${token}`).toString('base64')}`;
}

/** Authenticates an LFS token; undefined if it is invalid or expired. */
export async function readLfsToken(services: Services, username: string, token: string): Promise<Actor | undefined> {
  const claims = username === lfsUsername ? tokens.open(services.encryption, token) : undefined;
  if (!claims || claims.x <= Date.now()) return undefined;
  const scopes = new Set([claims.op === 'upload' ? 'write_repository' : 'read_repository']);
  const lfs = { projectId: claims.p, until: claims.x };
  const db = services.db.read;
  if (claims.u !== undefined) {
    const user = await findUser(db, claims.u);
    if (!user || accountRefusal(user, services.externalUrl) !== undefined) return undefined;
    const token = claims.a === undefined ? undefined : await findTokenById(db, claims.a);
    if (claims.a !== undefined && (!token || token.revoked === 1 || isExpired(token))) return undefined;
    return { user, carrier: 'lfs', scopes, lfs, ...(token ? { token } : {}) };
  }
  const carrier = claims.k === undefined ? 'deploy-token' : 'deploy-key';
  const id = claims.k ?? claims.t ?? 0;
  return { user: null, carrier, scopes, lfs, deploy: { id, projectIds: new Set(), canPush: false } };
}
