import { unusable } from '../../access/account-state.ts';
import type { Actor } from '../../access/actor.ts';
import { findUser } from '../../access/identify.ts';
import { Undecryptable } from '../../platform/secrets/encryption.ts';
import type { Services } from '../../platform/services.ts';

/** How long a credential for large files lasts, in seconds. */
export const lfsTokenSeconds = 7200;

const purpose = 'lfs.token';

interface Claims {
  /** Project. */
  readonly p: number;
  readonly op: 'upload' | 'download';
  /** User, deploy key or deploy token: one of them. */
  readonly u?: number;
  readonly k?: number;
  readonly t?: number;
  /** Expiry, in milliseconds. */
  readonly x: number;
}

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
    ? { u: actor.user.id }
    : actor.carrier === 'deploy-key'
      ? { k: actor.deploy?.id }
      : { t: actor.deploy?.id };
  const claims = { p: projectId, op: operation, x: Date.now() + lfsTokenSeconds * 1000, ...who };
  return services.encryption.encrypt(JSON.stringify(claims), purpose);
}

/** `Authorization` for a token. */
export function lfsAuthorization(token: string): string {
  return `Basic ${Buffer.from(`${lfsUsername}:${token}`).toString('base64')}`;
}

function readClaims(services: Services, token: string): Claims | undefined {
  try {
    return JSON.parse(services.encryption.decrypt(token, purpose)) as Claims;
  } catch (error) {
    if (error instanceof Undecryptable) return undefined;
    throw error;
  }
}

/** Whom a credential of ours stands for; undefined when it is none, or too old. */
export async function readLfsToken(services: Services, username: string, token: string): Promise<Actor | undefined> {
  const claims = username === lfsUsername ? readClaims(services, token) : undefined;
  if (!claims || claims.x <= Date.now()) return undefined;
  const scopes = new Set([claims.op === 'upload' ? 'write_repository' : 'read_repository']);
  const lfs = { projectId: claims.p };
  if (claims.u !== undefined) {
    const user = await findUser(services.db.read, claims.u);
    if (!user || unusable(user, services.externalUrl) !== undefined) return undefined;
    return { user, carrier: 'lfs', scopes, lfs };
  }
  const carrier = claims.k === undefined ? 'deploy-token' : 'deploy-key';
  const id = claims.k ?? claims.t ?? 0;
  return { user: null, carrier, scopes, lfs, deploy: { id, projectIds: new Set(), canPush: false } };
}
