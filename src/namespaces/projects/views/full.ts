import { imagePrefix } from '../../../access/registry-address.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { escapeHtml } from '../../../platform/http/responses/html.ts';
import { dayOrNull, instant, instantOrNull } from '../../../platform/http/schema.ts';
import { hasFeature, pagesLevel } from '../features.ts';
import type { ProjectEntity } from '../schema.ts';
import { accessLevelName, accessLevelNumber } from '../settings/field-kinds.ts';
import { settingsFor, shownSettings } from '../settings/values.ts';
import type { Related, View } from './related.ts';
import type { Share } from './store.ts';

/** Default notification level of memberships: the user's global setting. */
const globalNotifications = 3;

/** Creates an entity that contains only the settings visible to the viewer. */
export function entityWithSettings(subject: ProjectSubject): object {
  return shownSettings(subject.project, {
    code: subject.can('read_code'),
    developer: subject.can('push_code'),
    maintainer: subject.can('admin_project'),
  });
}

/** Adds the fields of the `full` and `access` layers to the basic fields and settings. */
export function addFullView(
  entity: ProjectEntity,
  services: Services,
  subject: ProjectSubject,
  related: Related,
  view: View,
): void {
  const { project, namespace } = subject;
  const values = settingsFor(project);
  const marked = dayOrNull(project.marked_for_deletion_at);
  const issues = hasFeature(subject, project.issues_access);
  const requests = hasFeature(subject, subject.featureLevel('merge_requests'));
  if (subject.featureLevel('container_registry') > 0) {
    entity.container_registry_image_prefix = imagePrefix(services, subject.fullPath);
  }
  entity._links = linksOf(services, project.id, issues, requests);
  entity.marked_for_deletion_at = marked;
  entity.marked_for_deletion_on = marked;
  entity.packages_enabled = values.package_registry_access_level !== 'disabled';
  entity.empty_repo = project.empty_repo === 1;
  entity.archived = subject.archived;
  if (namespace.owner_id !== null) entity.owner = related.owners.get(namespace.owner_id);
  entity.container_expiration_policy = expirationPolicy(
    values.container_expiration_policy_attributes,
    related.cleanups.get(project.id),
  );
  addFeatures(entity, subject, values, issues, requests);
  entity.emails_disabled = values.emails_enabled !== true;
  entity.creator_id = project.creator_id;
  entity.import_status = project.import_status;
  if (issues) entity.open_issues_count = openIssues(subject, related);
  entity.description_html = project.description === null ? '' : escapeHtml(project.description);
  entity.updated_at = instant(project.updated_at);
  entity.shared_with_groups = (related.shares.get(project.id) ?? none).map(presentShare);
  entity.compliance_frameworks = none;
  // Only a fork has another project that its merge requests can target.
  entity.mr_default_target_self = project.forked_from_id === null ? undefined : values.mr_default_target_self;
  if (subject.can('admin_project')) addForMaintainers(services, entity, subject, view);
  if (view.statistics && subject.can('read_statistics')) entity.statistics = statisticsOf(subject, related);
  if (view.layer === 'access') entity.permissions = permissionsOf(subject);
}

/** Number of open issues visible to the viewer. */
function openIssues(subject: ProjectSubject, { openIssues: counts }: Related): number {
  const { open, confidential } = counts.get(subject.project.id) ?? { open: 0, confidential: 0 };
  return subject.can('read_confidential_issue') ? open : open - confidential;
}

/** Adds the feature flags and access levels. */
function addFeatures(
  entity: ProjectEntity,
  subject: ProjectSubject,
  values: Readonly<Record<string, unknown>>,
  issues: boolean,
  requests: boolean,
): void {
  const { project } = subject;
  entity.issues_enabled = issues;
  entity.merge_requests_enabled = requests;
  entity.wiki_enabled = hasFeature(subject, subject.featureLevel('wiki'));
  entity.jobs_enabled = hasFeature(subject, subject.featureLevel('builds'));
  entity.snippets_enabled = hasFeature(subject, subject.featureLevel('snippets'));
  entity.container_registry_enabled = hasFeature(subject, subject.featureLevel('container_registry'));
  // There is no incoming mail, so there is no service desk address.
  if (subject.can('admin_issue')) entity.service_desk_address = null;
  entity.can_create_merge_request_in = subject.can('create_merge_request_in');
  entity.issues_access_level = accessLevelName(project.issues_access);
  entity.repository_access_level = accessLevelName(project.repository_access);
  entity.merge_requests_access_level = accessLevelName(project.merge_requests_access);
  entity.pages_access_level = pagesLevel(project);
  entity.requirements_enabled = values.requirements_access_level !== 'disabled';
  entity.security_and_compliance_enabled = hasFeature(
    subject,
    accessLevelNumber(values.security_and_compliance_access_level),
  );
  if (subject.can('push_code')) entity.pre_receive_secret_detection_enabled = values.secret_push_protection_enabled;
}

const none: readonly never[] = [];

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
};

function expirationPolicy(policy: unknown, nextRun: number | undefined): object {
  return { ...untouchedPolicy, ...(policy as object | undefined), next_run_at: instantOrNull(nextRun ?? null) };
}

function presentShare(share: Share): object {
  return {
    group_id: share.with_namespace_id,
    group_name: share.name,
    group_full_path: share.full_path,
    group_access_level: share.access_level,
    expires_at: dayOrNull(share.expires_at),
    ...(share.member_role_id === null ? {} : { member_role_id: share.member_role_id }),
  };
}

function addForMaintainers(
  { encryption }: Services,
  full: ProjectEntity,
  { project }: ProjectSubject,
  view: View,
): void {
  full.import_url = project.import_url;
  full.import_type = project.import_type;
  if (view.importError) full.import_error = project.import_error;
  const sealed = project.runners_token;
  full.runners_token = sealed === null ? null : encryption.decrypt(sealed, 'projects.runners_token');
}

function statisticsOf({ project }: ProjectSubject, { artifacts, snippets }: Related): object {
  const { repository_size, wiki_size, lfs_objects_size, uploads_size, packages_size } = project;
  const { container_registry_size, commit_count } = project;
  const job_artifacts_size = artifacts.get(project.id) ?? 0;
  const snippets_size = snippets.get(project.id) ?? 0;
  const stored = repository_size + wiki_size + lfs_objects_size + uploads_size + packages_size;
  return {
    commit_count,
    storage_size: stored + snippets_size + job_artifacts_size,
    repository_size,
    wiki_size,
    lfs_objects_size,
    job_artifacts_size,
    pipeline_artifacts_size: 0,
    packages_size,
    snippets_size,
    uploads_size,
    container_registry_size,
  };
}

function permissionsOf({ levels }: ProjectSubject): object {
  const access = (level: number) =>
    level === 0 ? null : { access_level: level, notification_level: globalNotifications };
  return { project_access: access(levels.direct), group_access: access(levels.inherited) };
}
