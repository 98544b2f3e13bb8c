import type { Actor } from '../../access/actor.ts';
import { findUser } from '../../access/credentials/identify.ts';
import { Role } from '../../access/roles.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { projectLevels } from '../../access/visibility/levels.ts';
import type { Reader } from '../../platform/database/database.ts';
import type { Pusher, RefRule } from './access.ts';
import { groupsWithPushRight } from './grant-store.ts';

/** Matches no grant, and is still not the absence of a key: an owner's roles never count for a key. */
const unnamedKey = 0;

/** The pusher as these rules see them; groups are asked for only where a rule names one. */
export async function pusherOf(
  db: Reader,
  actor: Actor,
  subject: ProjectSubject,
  rules: readonly RefRule[],
): Promise<Pusher> {
  if (actor.deploy) return keyPusher(db, actor.deploy, subject);
  const { user } = actor;
  const asksForGroups = rules.some((rule) => rule.grants.some((grant) => grant.group_id !== null));
  const mayPush = user !== null && subject.can('push_code');
  return {
    mayPush,
    mayChangeTags: mayPush,
    level: subject.standing.level,
    admin: subject.standing.admin,
    userId: user?.id ?? null,
    groupIds: user && asksForGroups ? await groupsWithPushRight(db, user.id) : new Set(),
    deployKeyId: null,
  };
}

async function keyPusher(db: Reader, deploy: NonNullable<Actor['deploy']>, subject: ProjectSubject): Promise<Pusher> {
  const { project } = subject;
  const enabled = deploy.canPush && deploy.projectIds.has(project.id);
  // For rules that name it, and for tags, a key is trusted for the sake of its owner: no longer than they may push.
  const trusted = enabled && (await ownerMayPush(db, deploy.ownerId ?? null, project));
  return {
    mayPush: enabled && !subject.archived && project.repository_access > 0,
    mayChangeTags: trusted,
    level: 0,
    admin: false,
    userId: null,
    groupIds: new Set(),
    deployKeyId: trusted ? deploy.id : unnamedKey,
  };
}

async function ownerMayPush(
  db: Reader,
  ownerId: number | null,
  project: { id: number; namespace_id: number },
): Promise<boolean> {
  if (ownerId === null) return false;
  const owner = await findUser(db, ownerId);
  if (owner?.state !== 'active') return false;
  return owner.admin === 1 || (await projectLevels(db, ownerId, project)).highest >= Role.developer;
}
