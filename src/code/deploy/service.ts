import type { Actor } from '../../access/actor.ts';
import { isExpired, scopeSet } from '../../access/credentials/identify.ts';
import type { Project } from '../../access/tables.ts';
import type { Database, Reader } from '../../platform/database/database.ts';
import { digest, safeEqual } from '../../platform/secrets/tokens.ts';
import { keyLink } from './keys/store.ts';
import { findByDigest, noteTokenUse, tokenCoversProject } from './tokens/store.ts';

const tenMinutes = 600_000;

/**
 * Authenticates a deploy token by its secret, and its user name if given. The actor has no access until it is bound to
 * a project.
 */
export async function deployTokenActor(db: Database, secret: string, username?: string): Promise<Actor | undefined> {
  const token = await findByDigest(db.read, digest(secret));
  if (!token || token.revoked === 1 || isExpired(token)) return undefined;
  if (username !== undefined && !safeEqual(token.username, username)) return undefined;
  const now = Date.now();
  if (token.last_used_at === null || token.last_used_at < now - tenMinutes) {
    await db.write((trx) => noteTokenUse(trx, token.id, now, tenMinutes));
  }
  return {
    user: null,
    carrier: 'deploy-token',
    scopes: scopeSet(token.scopes),
    deploy: { id: token.id, projectIds: new Set(), canPush: false },
  };
}

/** The actor of a deploy key. It has no access until it is bound to a project. */
export function deployKeyActor(key: { readonly id: number; readonly user_id: number | null }): Actor {
  return {
    user: null,
    carrier: 'deploy-key',
    scopes: new Set(),
    deploy: { id: key.id, projectIds: new Set(), canPush: false, ownerId: key.user_id },
  };
}

/** Grants a deploy credential its access to a project; undefined if it has none. */
export async function bindDeployCredential(db: Reader, actor: Actor, project: Project): Promise<Actor | undefined> {
  const { deploy } = actor;
  if (!deploy) return undefined;
  const projectIds = new Set([project.id]);
  if (actor.carrier === 'deploy-token') {
    const reaches = await tokenCoversProject(db, deploy.id, project);
    return reaches ? { ...actor, deploy: { ...deploy, projectIds } } : undefined;
  }
  const link = await keyLink(db, deploy.id, project.id);
  return link && { ...actor, deploy: { ...deploy, projectIds, canPush: link.can_push === 1 } };
}

/** Whether the actor is a deploy token of the group or one of its ancestors. */
export async function deployTokenCoversGroup(
  db: Reader,
  { deploy, carrier }: Actor,
  groupId: number,
): Promise<boolean> {
  // Project IDs start at 1, so this only matches group tokens.
  return carrier === 'deploy-token' && !!deploy && tokenCoversProject(db, deploy.id, { id: 0, namespace_id: groupId });
}
