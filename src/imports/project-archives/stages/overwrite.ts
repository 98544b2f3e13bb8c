import { lookUpProject, projectSubject } from '../../../access/subjects.ts';
import { changeProject, removeProject } from '../../../namespaces/projects/public.ts';
import { HttpError } from '../../../platform/http/errors.ts';
import { ImportFailed, type ImportRun } from '../../project-imports/public.ts';
import type { ArchiveOptions } from '../archive.ts';
import { importerOf } from './places.ts';

/** Replaces the existing project, which is deleted in the regular way. */
export async function replaceProject(run: ImportRun): Promise<void> {
  const { overwrites } = run.options<ArchiveOptions>();
  if (!overwrites) return;
  const { db } = run.services;
  const { actor, subject } = await importerOf(run);
  try {
    const found = await lookUpProject(db.read, String(overwrites.projectId));
    // Skipped if the old project was already deleted, by an earlier attempt or by a user.
    const there =
      found?.project.path === overwrites.path && found.project.namespace_id === subject.project.namespace_id;
    if (found && there) {
      const old = await projectSubject(db.read, actor, found.project);
      if (!old.can('remove_project')) throw new ImportFailed('the project can no longer be overwritten');
      await removeProject(run.services, actor, old, { permanently_remove: false });
    }
    await changeProject(run.services, actor, subject, { name: overwrites.name, path: overwrites.path });
  } catch (error) {
    throw error instanceof HttpError ? new ImportFailed(`the project cannot be overwritten: ${error.message}`) : error;
  }
}
