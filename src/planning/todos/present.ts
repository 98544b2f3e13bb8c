import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { viewerOf } from '../../access/visibility/visible.ts';
import { findProjects, presentIdentity, presentNamespaces, subjectsOf } from '../../namespaces/projects/public.ts';
import { basicUsers } from '../../people/users/public.ts';
import { instant } from '../../platform/http/schema.ts';
import { notedTexts } from '../notes/public.ts';
import type { TargetType } from '../target.ts';
import type { TodoEntity } from './schema.ts';
import { groupsPlannedBy } from './store.ts';
import type { TodoRow } from './tables.ts';

/** The target of a to-do item; missing if the reader may not see it. */
export interface ShownTarget {
  readonly entity: unknown;
  readonly url: string;
  readonly title: string;
}

/** Presents targets of one type to the owners of to-do items. */
export interface TargetPresenter {
  readonly type: TargetType;
  present(services: Services, reader: SignedInActor, ids: readonly number[]): Promise<ReadonlyMap<number, ShownTarget>>;
}

declare module '../../platform/domain-events.ts' {
  interface Contributions {
    'todos.targets': TargetPresenter;
  }
}

async function targetsOf(services: Services, reader: SignedInActor, rows: readonly TodoRow[]) {
  const shown = new Map<string, ShownTarget>();
  for (const { type, present } of services.contributions('todos.targets')) {
    const ids = rows.flatMap(({ target_type, target_id }) => (target_type === type ? (target_id ?? []) : []));
    if (ids.length === 0) continue;
    for (const [id, target] of await present(services, reader, [...new Set(ids)])) shown.set(`${type} ${id}`, target);
  }
  return shown;
}

async function projectsOf({ db }: Services, reader: SignedInActor, rows: readonly TodoRow[]) {
  const ids = [...new Set(rows.flatMap(({ project_id }) => project_id ?? []))];
  const subjects = await subjectsOf(db.read, reader, await findProjects(db.read, ids));
  return new Map(
    subjects.map((subject) => [
      subject.project.id,
      {
        identity: presentIdentity(subject.project, subject.namespace),
        internal: subject.can('read_internal_note'),
      },
    ]),
  );
}

/** Presents a page of to-do items, leaving out those whose target the owner can no longer see. */
export async function presentTodos(
  services: Services,
  reader: SignedInActor,
  rows: readonly TodoRow[],
): Promise<TodoEntity[]> {
  const [targets, projects, groups, users, notes] = await Promise.all([
    targetsOf(services, reader, rows),
    projectsOf(services, reader, rows),
    presentNamespaces(services, [...new Set(rows.flatMap(({ namespace_id }) => namespace_id ?? []))]),
    basicUsers(
      services.db.read,
      rows.map(({ author_id }) => author_id),
      services.externalUrl,
    ),
    notedTexts(
      services.db.read,
      rows.flatMap(({ note_id }) => note_id ?? []),
    ),
  ]);
  const noteOf = ({ note_id }: TodoRow) => (note_id === null ? undefined : notes.get(note_id));
  const ofGroups = rows.flatMap((row) => (noteOf(row)?.internal ? (row.namespace_id ?? []) : []));
  const planned = await groupsPlannedBy(services.db.read, viewerOf(reader), [...new Set(ofGroups)]);
  return rows.flatMap((row) => {
    const target = targets.get(`${row.target_type} ${row.target_id}`);
    if (!target) return [];
    const project = row.project_id === null ? undefined : projects.get(row.project_id);
    const group = row.namespace_id === null ? undefined : groups.get(row.namespace_id);
    const note = noteOf(row);
    if (note?.internal && project && !project.internal) return [];
    if (note?.internal && row.namespace_id !== null && !planned.has(row.namespace_id)) return [];
    return {
      id: row.id,
      ...(project && { project: project.identity }),
      ...(group && { group }),
      author: users.get(row.author_id) ?? null,
      action_name: row.action,
      target_type: row.target_type,
      target: target.entity,
      target_url: row.note_id === null ? target.url : `${target.url}#note_${row.note_id}`,
      body: note?.body || target.title,
      state: row.state,
      created_at: instant(row.created_at),
      updated_at: instant(row.updated_at),
    };
  });
}
