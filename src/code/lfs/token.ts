import { Type } from 'typebox';
import type { Actor } from '../../access/actor.ts';
import { unusable } from '../../access/credentials/account-state.ts';
import { findTokenById, findUser, isExpired } from '../../access/credentials/identify.ts';
import type { Services } from '../../access/services.ts';
import { sealedJson } from '../../platform/secrets/sealed-json.ts';

/** How long a credential for large files lasts, in seconds. */
export const lfsTokenSeconds = 7200;

const number = Type.Optional(Type.Number());
const tokens = sealedJson(
  'lfs.token',
  Type.Object({
    /** Project. */
    p: Type.Number(),
    op: Type.Union([Type.Literal('upload'), Type.Literal('download')]),
    /** User, deploy key or deploy token: one of them. */
    u: number,
    /** The user's token that was presented: the credential ends with it. */
    a: number,
    k: number,
    t: number,
    /** Expiry, in milliseconds. */
    x: Type.Number(),
  }),
);

/** The user name that goes with such a credential; it says nothing, the password does. */
export const lfsUsername = 'lfs';

/** A credential with which the actor's LFS client may send or fetch the large files of one project for a while. */
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
  // One that was got with another lasts no longer than that: it would never end for whoever keeps asking.
  const x = actor.lfs?.until ?? Date.now() + lfsTokenSeconds * 1000;
  const claims = { p: projectId, op: operation, x, ...who };
  return tokens.seal(services.encryption, claims);
}

/** How long what is issued to an actor lasts, in seconds. */
export function lfsSecondsLeft({ lfs }: Actor): number {
  return lfs ? Math.max(1, Math.floor((lfs.until - Date.now()) / 1000)) : lfsTokenSeconds;
}

/** `Authorization` for a token. */
export function lfsAuthorization(token: string): string {
  return `Basic ${Buffer.from(`${lfsUsername}:${token}`).toString('base64')}`;
}

/** Whom a credential of ours stands for; undefined when it is none, or too old. */
export async function readLfsToken(services: Services, username: string, token: string): Promise<Actor | undefined> {
  const claims = username === lfsUsername ? tokens.open(services.encryption, token) : undefined;
  if (!claims || claims.x <= Date.now()) return undefined;
  const scopes = new Set([claims.op === 'upload' ? 'write_repository' : 'read_repository']);
  const lfs = { projectId: claims.p, until: claims.x };
  const db = services.db.read;
  if (claims.u !== undefined) {
    const user = await findUser(db, claims.u);
    if (!user || unusable(user, services.externalUrl) !== undefined) return undefined;
    const token = claims.a === undefined ? undefined : await findTokenById(db, claims.a);
    if (claims.a !== undefined && (!token || token.revoked === 1 || isExpired(token))) return undefined;
    return { user, carrier: 'lfs', scopes, lfs, ...(token ? { token } : {}) };
  }
  const carrier = claims.k === undefined ? 'deploy-token' : 'deploy-key';
  const id = claims.k ?? claims.t ?? 0;
  return { user: null, carrier, scopes, lfs, deploy: { id, projectIds: new Set(), canPush: false } };
}
