import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import type { Project } from '../../../access/tables.ts';
import { BadRequest } from '../../../platform/http/errors.ts';
import { lockProject, updateProject } from '../store.ts';

/** Archives a project, which makes it read-only, or unarchives it. */
export async function archiveProject(
  { db, announce }: Services,
  { user: by }: SignedInActor,
  subject: ProjectSubject,
  archive: boolean,
): Promise<Project> {
  return db.write(async (trx) => {
    const project = await lockProject(trx, subject.project.id);
    const above = subject.archived && project.archived === 0 && project.marked_for_deletion_at === null;
    const reason = archive ? archivingProblem(project, above) : unarchivingProblem(project, above);
    if (reason !== undefined) throw BadRequest.plain(reason);
    const changed = await updateProject(trx, project.id, { archived: archive ? 1 : 0 });
    await announce(trx, 'project.updated', { before: project, project: changed, by });
    return changed;
  });
}

type State = Pick<Project, 'archived' | 'marked_for_deletion_at'>;

/** Returns why a project cannot be archived, or undefined. */
export function archivingProblem(project: State, archivedAbove: boolean): string | undefined {
  if (project.marked_for_deletion_at !== null) return 'Cannot archive project since it is scheduled for deletion.';
  if (archivedAbove) return 'Cannot archive project since one of the ancestors is already archived.';
  return project.archived === 1 ? 'Project is already archived.' : undefined;
}

/** Returns why a project cannot be unarchived, or undefined. */
export function unarchivingProblem(project: State, archivedAbove: boolean): string | undefined {
  if (project.marked_for_deletion_at !== null) return 'Cannot unarchive project since it is scheduled for deletion.';
  if (archivedAbove) return 'Cannot unarchive project since one of the ancestors is archived.';
  return project.archived === 0 ? 'Project is already unarchived.' : undefined;
}
