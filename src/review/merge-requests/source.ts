import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { type ProjectSubject, projectSubject } from '../../access/subjects.ts';
import { findProject } from '../../namespaces/projects/public.ts';
import type { MergeRequestRow } from './tables.ts';

/** The source project as seen by a caller who wants to change it. */
export async function sourceOf(
  { db }: Services,
  caller: SignedInActor,
  { source_project_id }: MergeRequestRow,
): Promise<ProjectSubject | undefined> {
  const project = source_project_id === null ? undefined : await findProject(db.read, source_project_id);
  return project && projectSubject(db.read, caller, project);
}
