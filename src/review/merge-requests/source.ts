import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { type ProjectSubject, projectSubject } from '../../access/subjects.ts';
import { findProject } from '../../namespaces/projects/public.ts';
import type { MergeRequestRow } from './tables.ts';

/** The project that has the source branch, as whoever wants to change it finds it. */
export async function sourceOf(
  { db }: Services,
  caller: SignedInActor,
  { source_project_id }: MergeRequestRow,
): Promise<ProjectSubject | undefined> {
  const project = source_project_id === null ? undefined : await findProject(db.read, source_project_id);
  return project && projectSubject(db.read, caller, project);
}
