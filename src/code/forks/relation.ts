import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { type ProjectSubject, readableProject } from '../../access/subjects.ts';
import type { Project } from '../../access/tables.ts';
import { incrementCounter, lockProject, mayCreateIn, updateProject } from '../../namespaces/projects/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import { lockRows } from '../../platform/database/locks.ts';
import { BadRequest, Conflict, Forbidden, NotModified, Unauthorized } from '../../platform/http/errors.ts';
import { mayForkTo } from './rules.ts';

/** Marks a project as a fork of another. */
export async function linkFork(
  { db }: Services,
  actor: SignedInActor,
  subject: ProjectSubject,
  sourceId: string,
): Promise<Project> {
  const source = await readableProject(db, actor, sourceId);
  if (!source.can('fork_project')) throw new Forbidden();
  const { namespace } = subject;
  if (!(await mayCreateIn(db.read, actor, namespace)) || !(await mayForkTo(db.read, source.project, namespace)))
    throw new Unauthorized('Target Namespace');
  if (source.project.id === subject.project.id) {
    throw BadRequest.plain('Target project cannot be equal to source project');
  }
  return db.write(async (trx) => {
    await lockRows(trx, 'projects', [subject.project.id, source.project.id]);
    const project = await lockProject(trx, subject.project.id);
    if (project.forked_from_id !== null) throw new Conflict('Project already forked');
    const { id, fork_root_id } = source.project;
    await incrementCounter(trx, id, 'forks_count', 1);
    return updateProject(trx, project.id, { forked_from_id: id, fork_root_id: fork_root_id ?? id });
  });
}

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    /** A project has left its fork network. */
    'fork.unlinked': { readonly project: Project; readonly userId: number };
  }
}

/** Removes a project from its fork network. Throws 304 if it is not a fork. */
export async function unlinkFork(
  { db, announce }: Services,
  { user }: SignedInActor,
  subject: ProjectSubject,
): Promise<void> {
  await db.write(async (trx) => {
    const project = await lockProject(trx, subject.project.id);
    if (project.forked_from_id === null) throw new NotModified();
    await incrementCounter(trx, project.forked_from_id, 'forks_count', -1);
    const unlinked = await updateProject(trx, project.id, { forked_from_id: null, fork_root_id: null });
    await announce(trx, 'fork.unlinked', { project: unlinked, userId: user.id });
  });
}

/** Decrements the fork count of the source when a fork is deleted. */
export async function decrementForksCount(
  _services: Services,
  trx: Writer,
  { project }: { readonly project: Project },
): Promise<void> {
  if (project.forked_from_id !== null) await incrementCounter(trx, project.forked_from_id, 'forks_count', -1);
}
