import type { Services } from '../../access/services.ts';
import type { Project } from '../../access/tables.ts';
import { type Repository, repositoryExists } from '../../platform/git/repository.ts';
import { NotFound } from '../../platform/http/errors.ts';
import { findProject } from './store.ts';

/** Returns the default branch; also defined for an empty repository. */
export function defaultBranch(project: Pick<Project, 'default_branch'>): string {
  return project.default_branch ?? 'main';
}

/**
 * Returns the repository of a project, creating it if missing. The row is written before the repository, so a crash in
 * between leaves a project without one: it counts as empty and is created here on first use.
 */
export async function ensureRepository({ git, db }: Services, project: Project): Promise<Repository> {
  const repo = git.repository(project.id);
  if (await repositoryExists(repo)) return repo;
  await git.createIfMissing(project.id, { defaultBranch: defaultBranch(project) });
  if (await findProject(db.read, project.id)) return repo;
  // Deleted meanwhile; its cleanup may already have run.
  await git.remove(repo);
  throw new NotFound('Project');
}

/** Whether a fork is still waiting for the history of its source. */
export function isBeingCopied({ import_status }: Pick<Project, 'import_status'>): boolean {
  return import_status === 'scheduled' || import_status === 'started';
}
