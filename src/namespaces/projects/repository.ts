import type { Actor } from '../../access/actor.ts';
import { Role } from '../../access/roles.ts';
import type { Services } from '../../access/services.ts';
import { ProjectSubject, projectSubject } from '../../access/subjects.ts';
import type { Project, User } from '../../access/tables.ts';
import { moveRefs } from '../../code/pushes/service.ts';
import { committerOf } from '../../code/repository/public.ts';
import { createCommit } from '../../platform/git/objects/commit-write.ts';
import { type Repository, repositoryExists } from '../../platform/git/repository.ts';
import { updateProject } from './store.ts';
import { defaultBranch } from './views/present.ts';

/**
 * The repository of a project, made if it is not there. A project's row is written first and its repository after it,
 * so a crash in between leaves a project without one: it counts as empty, and whoever is about to use it asks here.
 */
export async function ensureRepository({ git }: Services, project: Project): Promise<Repository> {
  const repo = git.repository(project.id);
  if (await repositoryExists(repo)) return repo;
  try {
    return await git.create(project.id, { defaultBranch: defaultBranch(project) });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Another request was faster.
    if (code === 'EEXIST' || code === 'ENOTEMPTY') return repo;
    throw error;
  }
}

/** Whether a fork still waits for the history of its source. */
export function isBeingCopied({ import_status }: Pick<Project, 'import_status'>): boolean {
  return import_status === 'scheduled' || import_status === 'started';
}

/** Makes the repository of a new project, with a first commit where that was asked for. */
export async function createRepository(
  services: Services,
  actor: Actor,
  project: Project,
  withReadme: boolean,
): Promise<Project> {
  const { db } = services;
  const repo = await ensureRepository(services, project);
  if (!withReadme) return project;
  const commit = await commitReadme(services, actor.user as User, project, repo);
  const ref = `refs/heads/${defaultBranch(project)}`;
  const subject = asFounder(await projectSubject(db.read, actor, project));
  const changes = [{ ref, old: null, new: commit }];
  const moved = await moveRefs(services, { actor, subject, changes, protocol: 'web' });
  if (moved.status !== 'ok') throw new Error(`the first commit of project ${project.id} was refused: ${moved.message}`);
  // The push has these worked out in the background; this answer would come too early.
  return db.write((trx) => updateProject(trx, project.id, { readme_path: 'README.md', commit_count: 1 }));
}

/** Whoever may create a project may fill it, even where the role that their group gives would not let them push. */
function asFounder({ project, namespace, levels, standing }: ProjectSubject): ProjectSubject {
  return new ProjectSubject(project, namespace, levels, { ...standing, level: Role.owner }, false);
}

function readmeOf({ name, description }: Project): string {
  return description ? `# ${name}\n\n${description}\n` : `# ${name}\n`;
}

async function commitReadme(services: Services, user: User, project: Project, repo: Repository): Promise<string> {
  const { git } = services;
  const writer = git.writer(repo);
  const oid = await writer.add('blob', Buffer.from(readmeOf(project)));
  const editor = await git.editTree(repo, null);
  await editor.create('README.md', { mode: '100644', oid });
  const who = committerOf(services, user);
  const tree = await editor.write(writer);
  const commit = { tree, parents: [], author: who, committer: who, message: 'Initial commit' };
  const id = await createCommit(writer, commit);
  await writer.flush();
  return id;
}
