import type { Services } from '../../../access/services.ts';
import type { User } from '../../../access/tables.ts';
import { encodePath } from '../../../code/repository/public.ts';
import { projectUrls } from '../../../namespaces/projects/public.ts';
import { type PageChange, wikiBranch } from '../../../planning/wikis/public.ts';
import { type ProjectWithNamespace, projectPart, userPart } from './parts.ts';

/** Payload for a created, updated or deleted wiki page. */
export function wikiPagePayload(
  services: Services,
  located: ProjectWithNamespace,
  user: User,
  change: PageChange,
): object {
  const path = `${located.namespace.full_path}/${located.project.path}`;
  const project = projectUrls(services, path);
  const wiki = projectUrls(services, `${path}.wiki`);
  const url = `${project.web}/-/wikis/${encodePath(change.slug)}`;
  return {
    object_kind: 'wiki_page',
    user: userPart(services, user),
    project: projectPart(services, located),
    wiki: {
      web_url: `${project.web}/-/wikis/home`,
      git_ssh_url: wiki.ssh,
      git_http_url: wiki.http,
      path_with_namespace: `${path}.wiki`,
      default_branch: wikiBranch,
    },
    object_attributes: {
      slug: change.slug,
      title: change.title,
      format: change.format,
      message: change.message,
      version_id: change.version,
      content: change.content,
      url,
      action: change.action,
      diff_url: `${url}/diff?version_id=${change.version}`,
    },
  };
}
