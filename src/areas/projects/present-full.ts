import { Visibility } from '../../access/roles.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { escapeHtml } from '../../platform/http/html.ts';
import { dayOrNull, instant } from '../../platform/http/schema.ts';
import type { Services } from '../../platform/services.ts';
import type { View } from './present.ts';
import type { Related, Share } from './related.ts';
import type { ProjectEntity } from './schema.ts';
import { levelOfWord, wordOfLevel } from './setting.ts';
import { settingsFor, shownSettings } from './settings.ts';

/** Everyone's default for the mails of a membership: as their own global setting says. */
const globalNotifications = 3;

/** Adds what the full view, and the one with access, show beside the basic fields. */
export function fullFields(
  services: Services,
  entity: ProjectEntity,
  subject: ProjectSubject,
  related: Related,
  view: View,
): ProjectEntity {
  const { project, namespace } = subject;
  const maintainer = subject.can('admin_project');
  const values = settingsFor(project);
  const shown = shownSettings(project, { code: subject.can('read_code'), maintainer });
  const marked = dayOrNull(project.marked_for_deletion_at);
  const issues = hasFeature(subject, project.issues_access);
  const requests = hasFeature(subject, subject.featureLevel('merge_requests'));
  const full: ProjectEntity = Object.assign(entity, shown, {
    _links: linksOf(services, project.id, issues, requests),
    marked_for_deletion_at: marked,
    marked_for_deletion_on: marked,
    packages_enabled: values.package_registry_access_level !== 'disabled',
    empty_repo: project.empty_repo === 1,
    archived: subject.archived,
    container_expiration_policy: expirationPolicy(values.container_expiration_policy_attributes),
    issues_enabled: issues,
    merge_requests_enabled: requests,
    wiki_enabled: hasFeature(subject, subject.featureLevel('wiki')),
    jobs_enabled: hasFeature(subject, subject.featureLevel('builds')),
    snippets_enabled: hasFeature(subject, subject.featureLevel('snippets')),
    container_registry_enabled: hasFeature(subject, levelOfWord(values.container_registry_access_level)),
    can_create_merge_request_in: subject.can('create_merge_request_in'),
    issues_access_level: wordOfLevel(project.issues_access),
    repository_access_level: wordOfLevel(project.repository_access),
    merge_requests_access_level: wordOfLevel(project.merge_requests_access),
    pages_access_level: values.pages_access_level ?? (project.visibility === Visibility.public ? 'enabled' : 'private'),
    emails_disabled: values.emails_enabled !== true,
    creator_id: project.creator_id,
    import_status: project.import_status,
    description_html: project.description === null ? '' : escapeHtml(project.description),
    updated_at: instant(project.updated_at),
    shared_with_groups: (related.shares.get(project.id) ?? none).map(presentShare),
    requirements_enabled: values.requirements_access_level !== 'disabled',
    security_and_compliance_enabled: hasFeature(subject, levelOfWord(values.security_and_compliance_access_level)),
    pre_receive_secret_detection_enabled: values.secret_push_protection_enabled,
    compliance_frameworks: none,
  });
  full.mr_default_target_self = project.forked_from_id === null ? undefined : values.mr_default_target_self;
  if (namespace.owner_id !== null) full.owner = related.owners.get(namespace.owner_id);
  // Nothing counts issues yet; their area does it here.
  if (issues) full.open_issues_count = 0;
  if (maintainer) addForMaintainers(services, full, subject, view);
  if (view.statistics && subject.can('read_statistics')) full.statistics = statisticsOf(subject);
  if (view.layer === 'access') full.permissions = permissionsOf(subject);
  return full;
}

const none: readonly never[] = [];

/** Does the viewer have a feature of this level? */
export function hasFeature({ standing }: ProjectSubject, level: number): boolean {
  if (level >= 20) return true;
  return level > 0 && (standing.level > 0 || standing.admin || standing.auditor);
}

function linksOf({ externalUrl }: Services, id: number, issues: boolean, requests: boolean): Record<string, string> {
  const self = `${externalUrl}/api/v4/projects/${id}`;
  const links: Record<string, string> = {
    self,
    repo_branches: `${self}/repository/branches`,
    labels: `${self}/labels`,
    events: `${self}/events`,
    members: `${self}/members`,
    cluster_agents: `${self}/cluster_agents`,
  };
  if (issues) links.issues = `${self}/issues`;
  if (requests) links.merge_requests = `${self}/merge_requests`;
  return links;
}

const untouchedPolicy = {
  cadence: '1d',
  enabled: false,
  keep_n: 10,
  older_than: '90d',
  name_regex: '.*',
  name_regex_keep: null,
  next_run_at: null,
};

function expirationPolicy(sent: unknown): object {
  return { ...untouchedPolicy, ...(sent as object | undefined) };
}

function presentShare(share: Share): object {
  return {
    group_id: share.with_namespace_id,
    group_name: share.name,
    group_full_path: share.full_path,
    group_access_level: share.access_level,
    expires_at: dayOrNull(share.expires_at),
  };
}

function addForMaintainers(services: Services, full: ProjectEntity, { project }: ProjectSubject, view: View): void {
  full.import_url = project.import_url;
  full.import_type = project.import_type;
  if (view.importError) full.import_error = project.import_error;
  full.runners_token =
    project.runners_token === null
      ? null
      : services.encryption.decrypt(project.runners_token, 'projects.runners_token');
}

function statisticsOf({ project }: ProjectSubject): object {
  const { repository_size, lfs_objects_size, uploads_size, commit_count } = project;
  return {
    commit_count,
    storage_size: repository_size + lfs_objects_size + uploads_size,
    repository_size,
    wiki_size: 0,
    lfs_objects_size,
    job_artifacts_size: 0,
    pipeline_artifacts_size: 0,
    packages_size: 0,
    snippets_size: 0,
    uploads_size,
    container_registry_size: 0,
  };
}

function permissionsOf({ levels }: ProjectSubject): object {
  const access = (level: number) =>
    level === 0 ? null : { access_level: level, notification_level: globalNotifications };
  return { project_access: access(levels.direct), group_access: access(levels.inherited) };
}
