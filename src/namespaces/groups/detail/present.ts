import type { Actor } from '../../../access/actor.ts';
import { Role } from '../../../access/roles.ts';
import type { Services } from '../../../access/services.ts';
import { type GroupSubject, groupSubject, lookUpNamespace } from '../../../access/subjects.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { NotFound } from '../../../platform/http/errors.ts';
import type { PageRequest } from '../../../platform/http/pages/pagination.ts';
import { dayOrNull } from '../../../platform/http/schema.ts';
import { listGroupProjects, listProjectsSharedWith } from '../../projects/public.ts';
import { extrasOf, type OptionalAttributes, presentGroup } from '../present.ts';
import { settingsOfGroup } from '../settings/values.ts';
import { invitedTo } from '../sharing/store.ts';
import type { GroupDetailEntity, SharedWithGroupEntity } from './schema.ts';

/** Which optional parts of the detail view to include. */
export interface DetailView extends OptionalAttributes {
  /** Include the deprecated project lists. */
  readonly projects?: boolean;
  /** Include attributes visible to administrators of the group only. */
  readonly secrets?: boolean;
}

/** Returns the invited groups that the caller may see. */
async function sharedWith(db: Reader, actor: Actor, id: number): Promise<SharedWithGroupEntity[]> {
  const rows = await invitedTo(db, actor, id);
  return rows.map((row) => ({
    group_id: row.id,
    group_name: row.name,
    group_full_path: row.full_path,
    group_access_level: row.access_level,
    expires_at: dayOrNull(row.expires_at),
    ...(row.member_role_id === null ? {} : { member_role_id: row.member_role_id }),
  }));
}

const atMost100: PageRequest = { page: 1, perPage: 100, offset: 0 };

async function projectsOf(services: Services, actor: Actor, subject: GroupSubject) {
  const [projects, shared] = await Promise.all([
    listGroupProjects(services, actor, subject, { with_shared: false }, atMost100),
    listProjectsSharedWith(services, actor, subject, {}, atMost100),
  ]);
  return { projects: [...projects.items], shared_projects: [...shared.items] };
}

function secretsOf({ encryption }: Services, { group }: GroupSubject): Partial<GroupDetailEntity> {
  const settings = settingsOfGroup(group);
  return {
    ...(group.runners_token === null
      ? {}
      : { runners_token: encryption.decrypt(group.runners_token, 'namespaces.runners_token') }),
    ...(group.parent_id === null ? { enabled_git_access_protocol: settings.enabled_git_access_protocol } : {}),
    step_up_auth_required_oauth_provider: settings.step_up_auth_required_oauth_provider,
    unique_project_download_limit: settings.unique_project_download_limit,
    unique_project_download_limit_interval_in_seconds: settings.unique_project_download_limit_interval_in_seconds,
    unique_project_download_limit_allowlist: settings.unique_project_download_limit_allowlist,
    unique_project_download_limit_alertlist: settings.unique_project_download_limit_alertlist,
    auto_ban_user_on_excessive_projects_download: settings.auto_ban_user_on_excessive_projects_download,
  };
}

/** Serializes the detail view of a group loaded by a gate. */
export async function presentDetail(
  services: Services,
  actor: Actor,
  subject: GroupSubject,
  view: DetailView = {},
): Promise<GroupDetailEntity> {
  const { db, externalUrl } = services;
  const { group, standing } = subject;
  const settings = settingsOfGroup(group);
  const [extras, shared, projects] = await Promise.all([
    extrasOf(services, actor, [group], view, standing.admin || standing.level >= Role.owner),
    sharedWith(db.read, actor, group.id),
    view.projects ? projectsOf(services, actor, subject) : {},
  ]);
  return {
    ...presentGroup(group, extras(group), externalUrl),
    shared_with_groups: shared,
    ...(view.secrets && subject.can('admin_group') ? secretsOf(services, subject) : {}),
    ...(group.parent_id === null
      ? { prevent_sharing_groups_outside_hierarchy: settings.prevent_sharing_groups_outside_hierarchy }
      : {}),
    ...projects,
    shared_runners_minutes_limit: settings.shared_runners_minutes_limit,
    extra_shared_runners_minutes_limit: settings.extra_shared_runners_minutes_limit,
    repository_size_limit: settings.repository_size_limit,
    prevent_forking_outside_group: settings.prevent_forking_outside_group,
    membership_lock: settings.membership_lock,
    allowed_email_domains_list: settings.allowed_email_domains_list,
    only_allow_merge_if_pipeline_succeeds: settings.only_allow_merge_if_pipeline_succeeds,
    allow_merge_on_skipped_pipeline: settings.allow_merge_on_skipped_pipeline,
    only_allow_merge_if_all_discussions_are_resolved: settings.only_allow_merge_if_all_discussions_are_resolved,
  };
}

/** Reloads a group after a change and serializes its detail view. */
export async function detailOf(
  services: Services,
  actor: Actor,
  id: number,
  view?: DetailView,
): Promise<GroupDetailEntity> {
  const group = await lookUpNamespace(services.db.read, String(id));
  if (!group) throw new NotFound('Group');
  return presentDetail(services, actor, await groupSubject(services.db.read, actor, group), view);
}
