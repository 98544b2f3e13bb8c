import type { Services } from '../../../access/services.ts';
import { partsOfReleases, type ReleaseRow } from '../../../code/releases/public.ts';
import { encodePath } from '../../../code/repository/public.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { type ProjectWithNamespace, projectPart, utcText, webUrl } from './parts.ts';
import { commitPart } from './push.ts';

const formats = ['zip', 'tar.gz', 'tar.bz2', 'tar'];

/** Payload for a created, updated or deleted release. */
export async function releasePayload(
  services: Services,
  db: Reader,
  located: ProjectWithNamespace,
  { action, release }: { readonly action: 'create' | 'update' | 'delete'; readonly release: ReleaseRow },
): Promise<object> {
  const url = webUrl(services, located);
  const { links } = await partsOfReleases(db, [release.id]);
  const { git } = services;
  const repo = git.repository(located.project.id);
  const commit = release.sha === null ? null : await git.objects(repo).commit(release.sha);
  const archive = `${located.project.path}-${release.tag.replaceAll('/', '-')}`;
  return {
    id: release.id,
    created_at: utcText(release.created_at),
    description: release.description,
    name: release.name,
    released_at: utcText(release.released_at),
    tag: release.tag,
    object_kind: 'release',
    project: projectPart(services, located),
    url: `${url}/-/releases/${encodeURIComponent(release.tag)}`,
    action,
    assets: {
      count: links.length + formats.length,
      links: links.map(({ id, link_type, name, url: target }) => ({ id, link_type, name, url: target })),
      sources: formats.map((format) => ({
        format,
        url: `${url}/-/archive/${encodePath(release.tag)}/${encodeURIComponent(archive)}.${format}`,
      })),
    },
    commit: commit ? commitPart(commit, url) : null,
  };
}
