import type { Services } from '../../access/services.ts';
import { settingsAbove, settingsOf } from '../../access/stored-settings.ts';
import type { Project } from '../../access/tables.ts';
import type { Repository } from '../../platform/git/repository.ts';
import { repositorySize } from '../../platform/git/upkeep/size.ts';

const mebibyte = 1024 * 1024;

type Sizes = Pick<Project, 'repository_size' | 'lfs_objects_size' | 'settings' | 'namespace_id'>;

const shown = (bytes: number) => `${Math.ceil((bytes / mebibyte) * 100) / 100} MiB`;

function problem(size: number, limit: number): string | undefined {
  if (limit === 0 || size <= limit) return undefined;
  return `This repository may take ${shown(limit)} at most, its large files counted, and this would make it ${shown(size)}.`;
}

/** What administrators said of the project, of the nearest group above it, or of all repositories. */
async function limitOf({ db, settings }: Services, project: Sizes): Promise<number> {
  const above = await settingsAbove(db.read, project.namespace_id);
  const said = [settingsOf(project), ...above.map((group) => group.settings)]
    .map(({ repository_size_limit: limit }) => limit)
    .find((limit) => typeof limit === 'number');
  return (said ?? (await settings.read()).repository_size_limit) * mebibyte;
}

/**
 * Why a repository does not take these objects, if it does not. What git pushed waits in quarantine and is counted with
 * the rest. What the API writes lies among the rest by now, and a refused one for as long as housekeeping leaves it: there
 * the size counts that was noted before.
 */
export async function pushSizeProblem(services: Services, project: Sizes, repo: Repository) {
  const limit = await limitOf(services, project);
  if (limit === 0) return undefined;
  if (!repo.quarantine) return problem(project.repository_size + project.lfs_objects_size, limit);
  const sizes = await Promise.all([repositorySize({ path: repo.path }), repositorySize(repo)]);
  return problem(sizes[0] + sizes[1] + project.lfs_objects_size, limit);
}

/** Why a project does not take so many more bytes of large files, if it does not. */
export async function largeFileProblem(services: Services, project: Sizes, more: number) {
  return problem(project.repository_size + project.lfs_objects_size + more, await limitOf(services, project));
}
