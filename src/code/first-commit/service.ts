import type { SignedInActor } from '../../access/actor.ts';
import { Role } from '../../access/roles.ts';
import type { Services } from '../../access/services.ts';
import { ProjectSubject, projectSubject } from '../../access/subjects.ts';
import type { Project, User } from '../../access/tables.ts';
import { defaultBranch, ensureRepository, updateProject } from '../../namespaces/projects/public.ts';
import { createCommit } from '../../platform/git/objects/commit-write.ts';
import type { Repository } from '../../platform/git/repository.ts';
import { moveRefsOrBadRequest } from '../pushes/public.ts';
import { committerOf } from '../repository/public.ts';

const readme = 'README.md';

/** Commits a README to the default branch of a new project. A push rule violation is reported as 400. */
export async function commitReadme(services: Services, actor: SignedInActor, project: Project): Promise<Project> {
  const { db } = services;
  const repo = await ensureRepository(services, project);
  const commit = await writeCommit(services, actor.user, project, repo);
  const ref = `refs/heads/${defaultBranch(project)}`;
  const subject = withFullAccess(await projectSubject(db.read, actor, project));
  const changes = [{ ref, old: null, new: commit }];
  const moved = await moveRefsOrBadRequest(services, { actor, subject, changes, protocol: 'web' });
  if (moved.status !== 'ok')
    throw new Error(`the first commit of project ${project.id} was rejected: ${moved.message}`);
  // A background job computes these after a push, which would be too late for this response.
  return db.write((trx) => updateProject(trx, project.id, { readme_path: readme, commit_count: 1 }));
}

/**
 * The subject with full access: the creator of a project may initialize it, even if their group role does not allow
 * pushes or the repository is hidden.
 */
function withFullAccess({ project, namespace, levels, standing }: ProjectSubject): ProjectSubject {
  const open = { ...project, repository_access: 20 };
  return new ProjectSubject(open, namespace, levels, { ...standing, level: Role.owner }, false);
}

function textOf({ name, description }: Project): string {
  return description ? `# ${name}\n\n${description}\n` : `# ${name}\n`;
}

async function writeCommit(services: Services, user: User, project: Project, repo: Repository): Promise<string> {
  const { git } = services;
  const writer = git.writer(repo);
  const oid = await writer.add('blob', Buffer.from(textOf(project)));
  const editor = await git.editTree(repo, null);
  await editor.create(readme, { mode: '100644', oid });
  const who = committerOf(services, user);
  const tree = await editor.write(writer);
  const commit = { tree, parents: [], author: who, committer: who, message: 'Initial commit' };
  const id = await createCommit(writer, commit);
  await writer.flush();
  return id;
}
