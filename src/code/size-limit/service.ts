import type { Services } from '../../access/services.ts';
import { settingsOf, settingsWithAncestors } from '../../access/stored-settings.ts';
import type { Project } from '../../access/tables.ts';
import type { Repository } from '../../platform/git/repository.ts';
import { repositorySize } from '../../platform/git/upkeep/size.ts';

const mebibyte = 1024 * 1024;

type Sizes = Pick<Project, 'repository_size' | 'lfs_objects_size' | 'settings' | 'namespace_id'>;

const formatSize = (bytes: number) => `${Math.ceil((bytes / mebibyte) * 100) / 100} MiB`;

function problem(size: number, limit: number): string | undefined {
  if (limit === 0 || size <= limit) return undefined;
  return `This repository is limited to ${formatSize(limit)} including LFS objects, and would grow to ${formatSize(size)}.`;
}

/** The limit of the project, or else of its nearest ancestor group, or else of the instance. */
async function limitOf({ db, settings }: Services, project: Sizes): Promise<number> {
  const ancestors = await settingsWithAncestors(db.read, project.namespace_id);
  const configured = [settingsOf(project), ...ancestors.map((group) => group.settings)]
    .map(({ repository_size_limit: limit }) => limit)
    .find((limit) => typeof limit === 'number');
  return (configured ?? (await settings.read()).repository_size_limit) * mebibyte;
}

/**
 * Returns why new objects exceed the size limit, if they do. Objects pushed by git are in quarantine and included in
 * the size. Objects written by the API are already in the repository, even if the request is rejected, so the last
 * recorded size is used.
 */
export async function pushSizeProblem(services: Services, project: Sizes, repo: Repository) {
  const limit = await limitOf(services, project);
  if (limit === 0) return undefined;
  if (!repo.quarantine) return problem(project.repository_size + project.lfs_objects_size, limit);
  const sizes = await Promise.all([repositorySize({ path: repo.path }), repositorySize(repo)]);
  return problem(sizes[0] + sizes[1] + project.lfs_objects_size, limit);
}

/** Returns why additional LFS bytes exceed the size limit, if they do. */
export async function largeFileProblem(services: Services, project: Sizes, addedBytes: number) {
  return problem(project.repository_size + project.lfs_objects_size + addedBytes, await limitOf(services, project));
}
