import { findUser } from '../../../access/credentials/identify.ts';
import { roleName, visibilityName } from '../../../access/roles.ts';
import type { Member, Namespace, User } from '../../../access/tables.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { instant, instantOrNull } from '../../../platform/http/schema.ts';
import type { ProjectWithNamespace } from './parts.ts';
import { ownersOf } from './places-store.ts';

/** Placeholders that legacy system hook payloads use for groups and projects. */
const shownEmail = (user: Pick<User, 'public_email'> | undefined) => user?.public_email || '[REDACTED]';

const stamps = (row: { readonly created_at: number; readonly updated_at?: number | null }) => ({
  created_at: instant(row.created_at),
  updated_at: instant(row.updated_at ?? row.created_at),
});

/** Payload for a created, destroyed, renamed or transferred project. */
export async function projectPayload(
  db: Reader,
  { project, namespace }: ProjectWithNamespace,
  event: string,
  formerPath?: string,
): Promise<object> {
  const rows = await ownersOf(db, project.id, namespace.id);
  const personal = await findUser(db, namespace.owner_id);
  const owners = (rows.length > 0 || !personal ? rows : [personal]).map((user) => ({
    name: user.name,
    email: shownEmail(user),
  }));
  return {
    event_name: event,
    ...stamps(project),
    name: project.name,
    path: project.path,
    path_with_namespace: `${namespace.full_path}/${project.path}`,
    project_id: project.id,
    project_namespace_id: namespace.id,
    owners,
    owner_name: owners[0]?.name ?? namespace.name,
    owner_email: owners[0]?.email ?? '[REDACTED]',
    project_visibility: visibilityName(project.visibility),
    ...(formerPath === undefined ? {} : { old_path_with_namespace: formerPath }),
  };
}

/** Payload for a created, destroyed or renamed group. */
export function groupPayload(group: Namespace, event: string, before?: Namespace): object {
  return {
    event_name: event,
    ...stamps(group),
    name: group.name,
    path: group.path,
    full_path: group.full_path,
    group_id: group.id,
    owner_email: null,
    owner_name: null,
    ...(before ? { old_path: before.path, old_full_path: before.full_path } : {}),
  };
}

/** Payload that the parent group's webhooks get for a subgroup. */
export function subgroupPayload(group: Namespace, parent: Namespace, event: string): object {
  return {
    ...stamps(group),
    event_name: event,
    name: group.name,
    path: group.path,
    full_path: group.full_path,
    group_id: group.id,
    parent_group_id: parent.id,
    parent_name: parent.name,
    parent_path: parent.path,
    parent_full_path: parent.full_path,
  };
}

function memberPart(user: User) {
  return {
    user_username: user.username,
    user_name: user.name,
    user_email: shownEmail(user),
    user_id: user.id,
  };
}

/** Payload for a group membership. */
export function groupMemberPayload(group: Namespace, user: User, member: Member, event: string): object {
  return {
    ...stamps(member),
    group_name: group.name,
    group_path: group.path,
    group_id: group.id,
    ...memberPart(user),
    group_access: roleName(member.access_level),
    group_plan: null,
    expires_at: instantOrNull(member.expires_at),
    event_name: event,
  };
}

/** Payload for a project membership. */
export function projectMemberPayload(located: ProjectWithNamespace, user: User, member: Member, event: string): object {
  const { project, namespace } = located;
  return {
    ...stamps(member),
    event_name: event,
    access_level: roleName(member.access_level),
    project_id: project.id,
    project_name: project.name,
    project_path: project.path,
    project_path_with_namespace: `${namespace.full_path}/${project.path}`,
    ...memberPart(user),
    project_visibility: visibilityName(project.visibility),
  };
}

/** Payload for a user. */
export function userPayload(user: User, event: string, more: object = {}): object {
  return {
    event_name: event,
    ...stamps(user),
    name: user.name,
    email: shownEmail(user),
    user_id: user.id,
    username: user.username,
    ...more,
  };
}

interface NamedKey {
  readonly id: number;
  readonly key: string;
  readonly created_at: number;
}

/** Payload for an SSH key or deploy key; the user who added a deploy key may be deleted. */
export function keyPayload(user: User | undefined, key: NamedKey, event: string): object {
  const owner = user ? { username: user.username } : {};
  return { event_name: event, ...stamps(key), ...owner, key: key.key, id: key.id };
}
