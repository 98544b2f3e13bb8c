import type { Services } from '../../access/services.ts';
import type { Project } from '../../access/tables.ts';
import { type Repository, repositoryExists } from '../../platform/git/repository.ts';
import { NotFound } from '../../platform/http/errors.ts';
import { findProject } from './store.ts';

/** The branch that the project names, or would: an empty repository has one too. */
export function defaultBranch(project: Pick<Project, 'default_branch'>): string {
  return project.default_branch ?? 'main';
}

/**
 * The repository of a project, made if it is not there. A project's row is written first and its repository after it,
 * so a crash in between leaves a project without one: it counts as empty, and whoever is about to use it asks here.
 */
export async function ensureRepository({ git, db }: Services, project: Project): Promise<Repository> {
  const repo = git.repository(project.id);
  if (await repositoryExists(repo)) return repo;
  await git.createIfMissing(project.id, { defaultBranch: defaultBranch(project) });
  if (await findProject(db.read, project.id)) return repo;
  // Removed meanwhile: whoever clears up after it may have been here already.
  await git.remove(repo);
  throw new NotFound('Project');
}

/** Whether a fork still waits for the history of its source. */
export function isBeingCopied({ import_status }: Pick<Project, 'import_status'>): boolean {
  return import_status === 'scheduled' || import_status === 'started';
}
