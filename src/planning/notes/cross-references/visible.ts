import { type Actor, isSignedIn } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import { findProjects, subjectsOf } from '../../../namespaces/projects/public.ts';
import type { NoteRow } from '../tables.ts';
import { sourcesOf } from './store.ts';

/** Removes the system notes about mentions in items that the reader may not see. */
export async function filterVisibleNotes(
  services: Services,
  reader: Actor | undefined,
  notes: readonly NoteRow[],
): Promise<NoteRow[]> {
  const { read } = services.db;
  const system = notes.filter((note) => note.system === 1).map(({ id }) => id);
  const sources = system.length === 0 ? [] : await sourcesOf(read, system);
  if (sources.length === 0) return [...notes];
  const visible = new Set<number>();
  if (reader && isSignedIn(reader)) {
    for (const { type, present } of services.contributions('todos.targets')) {
      const own = sources.filter(({ source_type, source_id }) => source_type === type && source_id !== null);
      if (own.length === 0) continue;
      const shown = await present(services, reader, [...new Set(own.flatMap(({ source_id }) => source_id ?? []))]);
      for (const { note_id, source_id } of own) if (source_id != null && shown.has(source_id)) visible.add(note_id);
    }
    const commits = sources.filter(({ source_commit }) => source_commit !== null);
    const projects = [...new Set(commits.flatMap(({ source_project_id }) => source_project_id ?? []))];
    const subjects = projects.length === 0 ? [] : await subjectsOf(read, reader, await findProjects(read, projects));
    const readable = new Set(subjects.filter((each) => each.can('read_code')).map(({ project }) => project.id));
    for (const { note_id, source_project_id } of commits) {
      if (source_project_id != null && readable.has(source_project_id)) visible.add(note_id);
    }
  }
  const hidden = new Set(sources.map(({ note_id }) => note_id).filter((id) => !visible.has(id)));
  return notes.filter(({ id }) => !hidden.has(id));
}
