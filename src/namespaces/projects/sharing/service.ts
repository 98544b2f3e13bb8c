import { type Actor, isAdmin, type SignedInActor } from '../../../access/actor.ts';
import { readExpiry } from '../../../access/credentials/expiry.ts';
import { Role } from '../../../access/roles.ts';
import type { Services } from '../../../access/services.ts';
import { settingsWithAncestors } from '../../../access/stored-settings.ts';
import { groupSubject, lookUpNamespace, type ProjectSubject } from '../../../access/subjects.ts';
import { viewerOf } from '../../../access/visibility/visible.ts';
import { uniqueViolation } from '../../../platform/database/errors.ts';
import { BadRequest, Conflict, Forbidden, HttpError, NotFound } from '../../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { dayOrNull } from '../../../platform/http/schema.ts';
import type { GroupEntity, PublicGroupEntity } from '../../groups/public.ts';
import { leavesHierarchy, presentGroups, presentPublicGroup } from '../../groups/public.ts';
import { roleToGive } from '../../member-roles/public.ts';
import { checkDirectoryLock } from '../../members/public.ts';
import * as list from './list.ts';
import type { GroupLinkEntity, InvitedParams, ProjectGroupsParams, ShareParams } from './schema.ts';
import { deleteShare, findShare, insertShare } from './store.ts';

const hidden = () => new HttpError(404, { message: 'Not Found' });

/** Shares a project with a group at an access level. */
export async function shareProject(
  services: Services,
  actor: SignedInActor,
  subject: ProjectSubject,
  params: ShareParams,
): Promise<GroupLinkEntity> {
  const { db } = services;
  const { project } = subject;
  const group = await lookUpNamespace(db.read, String(params.group_id));
  if (group?.kind !== 'group') throw new NotFound('Group');
  const other = await groupSubject(db.read, actor, group);
  if (!other.can('read_group')) throw new NotFound('Group');
  if (!subject.can('share_project') || (other.levels.highest === 0 && !other.standing.admin)) throw hidden();
  if (await leavesHierarchy(db.read, project.namespace_id, group.id)) throw hidden();
  await checkDirectoryLock(services, subject);
  const around = await settingsWithAncestors(db.read, project.namespace_id);
  if (around.some(({ settings }) => settings.share_with_group_lock === true)) {
    throw BadRequest.plain('The project sharing with group is disabled');
  }
  if (around.some(({ id }) => id === group.id)) {
    throw new Conflict('Project cannot be shared with the group it is in or one of its ancestors.');
  }
  const { group_access, member_role_id } = params;
  const expires = readExpiry(params.expires_at);
  const share = {
    project_id: project.id,
    with_namespace_id: group.id,
    access_level: group_access,
    expires_at: expires,
  };
  const id = await db
    .write(async (trx) => {
      const role = await roleToGive(trx, subject, { access_level: group_access, member_role_id });
      return insertShare(trx, { ...share, member_role_id: role });
    })
    .catch((error: unknown) => {
      throw uniqueViolation(error) ? new Conflict('Group already shared with this group') : error;
    });
  const link = { id, project_id: project.id, group_id: group.id, group_access, expires_at: dayOrNull(expires) };
  return member_role_id === undefined ? link : { ...link, member_role_id };
}

/** Deletes a share; allowed for owners of the project and of the group. */
export async function unshareProject(
  { db }: Services,
  actor: SignedInActor,
  subject: ProjectSubject,
  groupId: number,
): Promise<void> {
  const link = await findShare(db.read, subject.project.id, groupId);
  if (!link) throw new NotFound('Group Link');
  const group = await lookUpNamespace(db.read, String(groupId));
  const ownsGroup = group !== undefined && (await groupSubject(db.read, actor, group)).can('admin_group');
  if (!subject.can('share_project') && !ownsGroup) throw Forbidden.plain('Forbidden');
  await db.write((trx) => deleteShare(trx, link.id));
}

const aboutProject = (actor: Actor, { project }: ProjectSubject) => ({
  ...viewerOf(actor),
  project: project.id,
  namespace: project.namespace_id,
});

/** Lists the groups invited to a project or its ancestors. */
export async function listInvitedGroups(
  services: Services,
  actor: Actor,
  subject: ProjectSubject,
  params: InvitedParams,
  slice: PageRequest,
): Promise<Page<GroupEntity>> {
  const relations = params.relation?.length ? params.relation : ['direct', 'inherited'];
  const scope = {
    ...aboutProject(actor, subject),
    direct: relations.includes('direct'),
    inherited: relations.includes('inherited'),
    least: params.min_access_level,
  };
  const { rows, total } = await list.listInvitableGroups(services.db.read, scope, params.search, slice);
  return new Page(await presentGroups(services, actor, rows, params), total);
}

/**
 * Lists the groups a project can be shared with: those in which the caller has a role and that are not yet related to
 * it.
 */
export async function listShareLocations(
  services: Services,
  actor: SignedInActor,
  subject: ProjectSubject,
  search: string | undefined,
  slice: PageRequest,
): Promise<Page<GroupEntity>> {
  const least = isAdmin(actor) ? undefined : Role.minimal;
  const scope = { ...aboutProject(actor, subject), direct: false, inherited: false, least };
  const { rows, total } = await list.listInvitableGroups(services.db.read, scope, search, slice);
  return new Page(await presentGroups(services, actor, rows, {}), total);
}

/** Lists the ancestor groups of a project and, if requested, the groups it is shared with. */
export async function listProjectGroups(
  { db, externalUrl }: Services,
  actor: Actor,
  subject: ProjectSubject,
  { search, skip_groups, with_shared, shared_min_access_level }: ProjectGroupsParams,
  slice: PageRequest,
): Promise<Page<PublicGroupEntity>> {
  const scope = { ...aboutProject(actor, subject), with_shared, least: shared_min_access_level ?? 0 };
  const { rows, total } = await list.queryProjectGroups(db.read, scope, { search, skip_groups }, slice);
  return new Page(rows, total).map((row) => presentPublicGroup(row, externalUrl));
}
