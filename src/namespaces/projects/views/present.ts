import { type Actor, isAdmin } from '../../../access/actor.ts';
import { visibilityName } from '../../../access/roles.ts';
import type { Services } from '../../../access/services.ts';
import { type ProjectSubject, projectSubject } from '../../../access/subjects.ts';
import type { Namespace, Project } from '../../../access/tables.ts';
import { avatarUrl } from '../../../people/avatars/public.ts';
import { instant } from '../../../platform/http/schema.ts';
import { storedStrings } from '../../../platform/stored-json.ts';
import { trimTrailing } from '../../../platform/trim.ts';
import { defaultBranch } from '../repository.ts';
import type { BasicProjectEntity, ProjectEntity, ProjectIdentityEntity } from '../schema.ts';
import { featureLevelsOf } from '../settings/values.ts';
import { addFullView, entityWithSettings } from './full.ts';
import { loadRelated, type Related, subjectsOf, type View } from './related.ts';
import { findNamespaces } from './store.ts';

/** Serializes projects in their order with a fixed number of queries. */
export async function presentProjects(
  services: Services,
  actor: Actor,
  rows: readonly Project[],
  view: View,
): Promise<ProjectEntity[]> {
  return presentSubjects(services, actor, await subjectsOf(services.db.read, actor, rows), view);
}

/** Serializes projects whose namespaces and roles are loaded already. */
export async function presentSubjects(
  services: Services,
  actor: Actor,
  subjects: readonly ProjectSubject[],
  view: View,
): Promise<ProjectEntity[]> {
  const related = await loadRelated(services, actor, subjects, view);
  return subjects.map((subject) => present(services, actor, subject, related, view));
}

/** Serializes a project loaded by a gate. */
export async function presentProject(
  services: Services,
  actor: Actor,
  subject: ProjectSubject,
  view: View,
): Promise<ProjectEntity> {
  const [entity] = await presentSubjects(services, actor, [subject], view);
  return entity as ProjectEntity;
}

/** Serializes a project after a change, in the full view. */
export async function presentChanged(
  services: Services,
  actor: Actor,
  change: Promise<Project>,
): Promise<ProjectEntity> {
  const subject = await projectSubject(services.db.read, actor, await change);
  return presentProject(services, actor, subject, { layer: 'full', importError: true });
}

function present(
  services: Services,
  actor: Actor,
  subject: ProjectSubject,
  related: Related,
  view: View,
): ProjectEntity {
  const { project } = subject;
  const full = view.layer === 'full' || view.layer === 'access';
  const entity = (full ? entityWithSettings(subject) : Object.create(null)) as ProjectEntity;
  addBasics(entity, services, actor, subject, related, view);
  if (related.attributes) entity.custom_attributes = [...(related.attributes.get(project.id) ?? [])];
  if (view.layer === 'basic') return entity;
  const source = project.forked_from_id === null ? undefined : related.sources.get(project.forked_from_id);
  if (source) {
    entity.forked_from_project = {} as BasicProjectEntity;
    addBasics(entity.forked_from_project, services, actor, source, related, { layer: 'basic' });
  }
  if (full) addFullView(entity, services, subject, related, view);
  else if (view.accessLevels) Object.assign(entity, featureLevelsOf(project));
  return entity;
}

/** Serializes the short form of a project. */
export function presentIdentity(
  project: Pick<Project, 'id' | 'description' | 'name' | 'path' | 'created_at'>,
  namespace: Pick<Namespace, 'full_name' | 'full_path'>,
): ProjectIdentityEntity {
  return {
    id: project.id,
    description: project.description,
    name: project.name,
    name_with_namespace: `${namespace.full_name} / ${project.name}`,
    path: project.path,
    path_with_namespace: `${namespace.full_path}/${project.path}`,
    created_at: instant(project.created_at),
  };
}

function addBasics(
  entity: BasicProjectEntity,
  services: Services,
  actor: Actor,
  subject: ProjectSubject,
  related: Related,
  view: View,
): void {
  const { project, namespace } = subject;
  const urls = projectUrls(services, subject.fullPath);
  const topics = topicsOf(project);
  entity.id = project.id;
  entity.description = project.description;
  entity.name = project.name;
  entity.name_with_namespace = `${namespace.full_name} / ${project.name}`;
  entity.path = project.path;
  entity.path_with_namespace = subject.fullPath;
  entity.created_at = instant(project.created_at);
  entity.tag_list = topics;
  entity.topics = topics;
  entity.ssh_url_to_repo = urls.ssh;
  entity.http_url_to_repo = urls.http;
  entity.web_url = urls.web;
  entity.avatar_url = avatarUrl(services.externalUrl, 'project', project.id, project.avatar);
  entity.star_count = project.star_count;
  entity.last_activity_at = instant(project.last_activity_at);
  entity.visibility = visibilityName(project.visibility);
  entity.namespace = presentNamespace(services, namespace, related);
  if (subject.can('read_code')) {
    entity.default_branch = defaultBranch(project);
    entity.forks_count = project.forks_count;
    entity.readme_url = readmeUrl(urls.web, project);
  }
  if (view.license) {
    // Licenses are not detected yet.
    entity.license_url = null;
    entity.license = null;
  }
  if (isAdmin(actor)) entity.repository_storage = project.repository_storage;
}

function readmeUrl(web: string, project: Project): string | null {
  if (project.readme_path === null) return null;
  return `${web}/-/blob/${encodePath(defaultBranch(project))}/${encodePath(project.readme_path)}`;
}

const none: string[] = [];

/** Returns the sorted topic names of a project. */
function topicsOf(project: Pick<Project, 'topics'>): string[] {
  if (project.topics === '[]') return none;
  return [...storedStrings(project.topics)].sort((a, b) => (a < b ? -1 : 1));
}

const encodePath = (path: string) => path.split('/').map(encodeURIComponent).join('/');

/** Serializes groups as embedded in projects, keyed by id. */
export async function presentNamespaces(
  services: Services,
  ids: readonly number[],
): Promise<ReadonlyMap<number, BasicProjectEntity['namespace']>> {
  const groups = ids.length === 0 ? [] : await findNamespaces(services.db.read, ids);
  return new Map(groups.map((group) => [group.id, presentNamespace(services, group, { owners: new Map() })]));
}

/** Serializes a namespace as embedded in projects. */
function presentNamespace(
  { externalUrl }: Services,
  namespace: Namespace,
  { owners }: Pick<Related, 'owners'>,
): BasicProjectEntity['namespace'] {
  const owner = namespace.owner_id === null ? undefined : owners.get(namespace.owner_id);
  return {
    id: namespace.id,
    name: namespace.name,
    path: namespace.path,
    kind: namespace.kind,
    full_path: namespace.full_path,
    parent_id: namespace.parent_id,
    avatar_url: owner ? owner.avatar_url : avatarUrl(externalUrl, 'group', namespace.id, namespace.avatar),
    web_url: namespaceUrl(externalUrl, namespace),
  };
}

/** Returns the web URL and the HTTP and SSH clone URLs of a project. */
export function projectUrls(services: Services, fullPath: string): { web: string; http: string; ssh: string } {
  const web = `${services.externalUrl}/${fullPath}`;
  return { web, http: httpCloneUrl(services, `${fullPath}.git`), ssh: `${sshPrefix(services)}${fullPath}.git` };
}

/** Returns the HTTP clone URL of a repository, using the custom root if configured. */
export function httpCloneUrl({ externalUrl, settings }: Services, path: string): string {
  const root = settings.latest().custom_http_clone_url_root;
  if (!root) return `${externalUrl}/${path}`;
  const below = new URL(externalUrl).pathname.replace(/\/$/, '');
  return `${trimTrailing(root, '/')}${below}/${path}`;
}

/** Prefix of SSH clone URLs. */
export function sshPrefix({ externalUrl, config }: Services): string {
  const host = new URL(externalUrl).hostname;
  const port = config.sshPort ?? 22;
  return port === 22 ? `git@${host}:` : `ssh://git@${host}:${port}/`;
}

/** Returns the web URL of a group or user. */
function namespaceUrl(externalUrl: string, namespace: Pick<Namespace, 'kind' | 'full_path'>): string {
  return `${externalUrl}/${namespace.kind === 'group' ? 'groups/' : ''}${namespace.full_path}`;
}
