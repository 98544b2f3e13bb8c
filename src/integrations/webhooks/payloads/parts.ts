import type { Services } from '../../../access/services.ts';
import { settingsOf } from '../../../access/stored-settings.ts';
import { findNamespace, projectById } from '../../../access/subject-queries.ts';
import type { Namespace, Project, User } from '../../../access/tables.ts';
import { projectUrls } from '../../../namespaces/projects/public.ts';
import { avatarUrl } from '../../../people/avatars/public.ts';
import { userAvatarUrl } from '../../../people/users/public.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { instant } from '../../../platform/http/schema.ts';

/** A project and its namespace. */
export interface ProjectWithNamespace {
  readonly project: Project;
  readonly namespace: Namespace;
}

/** Loads a project and its namespace; undefined if the project is deleted. */
export async function locateProject(db: Reader, projectId: number): Promise<ProjectWithNamespace | undefined> {
  const project = await projectById.first(db, { id: projectId });
  const namespace = project && (await findNamespace(db, project.namespace_id));
  return namespace && { project, namespace };
}

const fullPath = ({ project, namespace }: ProjectWithNamespace) => `${namespace.full_path}/${project.path}`;

export function webUrl(services: Services, located: ProjectWithNamespace): string {
  return projectUrls(services, fullPath(located)).web;
}

/** `project` of a payload; the last four keys are deprecated names of others. */
export function projectPart(services: Services, located: ProjectWithNamespace) {
  const { project, namespace } = located;
  const urls = projectUrls(services, fullPath(located));
  const ciFile = settingsOf(project).ci_config_path;
  return {
    id: project.id,
    name: project.name,
    description: project.description,
    web_url: urls.web,
    avatar_url: avatarUrl(services.externalUrl, 'project', project.id, project.avatar),
    git_ssh_url: urls.ssh,
    git_http_url: urls.http,
    namespace: namespace.name,
    visibility_level: project.visibility,
    path_with_namespace: fullPath(located),
    default_branch: project.default_branch ?? 'main',
    ci_config_path: typeof ciFile === 'string' ? ciFile : null,
    homepage: urls.web,
    url: urls.ssh,
    ssh_url: urls.ssh,
    http_url: urls.http,
  };
}

/** `group` of a payload. */
export function groupPart({ id, name, path, full_path }: Namespace) {
  return { group_name: name, group_path: path, group_id: id, full_path };
}

/** `repository` of a payload. */
export function repositoryPart(services: Services, located: ProjectWithNamespace) {
  const urls = projectUrls(services, fullPath(located));
  return {
    name: located.project.name,
    url: urls.ssh,
    description: located.project.description,
    homepage: urls.web,
  };
}

/** `repository` of push payloads. */
export function gitRepositoryPart(services: Services, located: ProjectWithNamespace) {
  const urls = projectUrls(services, fullPath(located));
  return {
    ...repositoryPart(services, located),
    git_http_url: urls.http,
    git_ssh_url: urls.ssh,
    visibility_level: located.project.visibility,
  };
}

/** `user` of a payload. Contains the e-mail address only if it is public. */
export function userPart({ externalUrl }: Services, user: User) {
  return {
    id: user.id,
    name: user.name,
    username: user.username,
    avatar_url: userAvatarUrl(user, externalUrl),
    email: user.public_email || '[REDACTED]',
  };
}

/** Formats a timestamp as `2016-08-12 15:23:28 UTC`. */
export function utcText(ms: number): string {
  return `${instant(ms).slice(0, 19).replace('T', ' ')} UTC`;
}

export function utcTextOrNull(ms: number | null): string | null {
  return ms === null ? null : utcText(ms);
}
