import type { Actor } from '../../access/actor.ts';
import { findUser } from '../../access/credentials/identify.ts';
import { Role } from '../../access/roles.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { projectLevels } from '../../access/visibility/levels.ts';
import type { Reader } from '../../platform/database/database.ts';
import type { Pusher, RefRule } from './access.ts';
import { groupsWithPushRight } from './grant-store.ts';

/** Matches no grant, but still marks the actor as a deploy key, so that roles are not considered. */
const untrustedKey = 0;

/** Returns the pusher for these rules. Groups are only loaded if a rule refers to one. */
export async function pusherOf(
  db: Reader,
  actor: Actor,
  subject: ProjectSubject,
  rules: readonly RefRule[],
): Promise<Pusher> {
  if (actor.deploy) return keyPusher(db, actor.deploy, subject);
  const { user } = actor;
  const needsGroups = rules.some((rule) => rule.grants.some((grant) => grant.group_id !== null));
  const mayPush = user !== null && subject.can('push_code');
  return {
    mayPush,
    mayChangeTags: mayPush,
    level: subject.standing.level,
    admin: subject.standing.admin,
    userId: user?.id ?? null,
    groupIds: user && needsGroups ? await groupsWithPushRight(db, user.id) : new Set(),
    deployKeyId: null,
  };
}

async function keyPusher(db: Reader, deploy: NonNullable<Actor['deploy']>, subject: ProjectSubject): Promise<Pusher> {
  const { project } = subject;
  const enabled = deploy.canPush && deploy.projectIds.has(project.id);
  // For tags and for rules naming it, a deploy key is only trusted as long as its owner may push.
  const trusted = enabled && (await ownerMayPush(db, deploy.ownerId ?? null, project));
  return {
    mayPush: enabled && !subject.archived && project.repository_access > 0,
    mayChangeTags: trusted,
    level: 0,
    admin: false,
    userId: null,
    groupIds: new Set(),
    deployKeyId: trusted ? deploy.id : untrustedKey,
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
