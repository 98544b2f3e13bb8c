import type { Actor } from '../../access/actor.ts';
import type { Project, User } from '../../access/tables.ts';
import { createCommit } from '../../platform/git/commit-write.ts';
import type { Identity } from '../../platform/git/identity.ts';
import { type Repository, repositoryExists } from '../../platform/git/repository.ts';
import type { Services } from '../../platform/services.ts';
import { defaultBranch } from './present.ts';
import { updateProject } from './store.ts';

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

/** Makes the repository of a new project, with a first commit where that was asked for. */
export async function createRepository(
  services: Services,
  actor: Actor,
  project: Project,
  withReadme: boolean,
): Promise<Project> {
  const repo = await ensureRepository(services, project);
  if (!withReadme) return project;
  const branch = defaultBranch(project);
  await commitReadme(services, actor.user as User, project, repo, branch);
  return services.db.write((trx) =>
    updateProject(trx, project.id, {
      empty_repo: 0,
      default_branch: branch,
      readme_path: 'README.md',
      commit_count: 1,
    }),
  );
}

function readmeOf({ name, description }: Project): string {
  return description ? `# ${name}\n\n${description}\n` : `# ${name}\n`;
}

async function commitReadme(
  { git }: Services,
  user: User,
  project: Project,
  repo: Repository,
  branch: string,
): Promise<void> {
  const writer = git.writer(repo);
  const oid = await writer.add('blob', Buffer.from(readmeOf(project)));
  const editor = await git.editTree(repo, null);
  await editor.create('README.md', { mode: '100644', oid });
  const who: Identity = {
    name: user.name,
    email: user.commit_email ?? user.email,
    seconds: Math.floor(Date.now() / 1000),
    zone: 0,
  };
  const commit = await createCommit(writer, {
    tree: await editor.write(writer),
    parents: [],
    author: who,
    committer: who,
    message: 'Initial commit',
  });
  await writer.flush();
  const moved = await git.updateRefs(repo, [{ ref: `refs/heads/${branch}`, old: null, new: commit }]);
  if (moved.status !== 'ok') throw new Error(`the first commit of project ${project.id} was refused: ${moved.message}`);
}
