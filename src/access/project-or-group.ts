import { type Expression, type SqlBool, sql } from 'kysely';
import type { GroupSubject, ProjectSubject } from './subjects.ts';
import type { Namespace } from './tables.ts';

/** A project or a group: the owner of members, labels, rules and tokens. */
export type ProjectOrGroup = ProjectSubject | GroupSubject;

export function isProject(place: ProjectOrGroup): place is ProjectSubject {
  return 'project' in place;
}

/** The columns that refer to the owner of a row: one of them is null. */
export interface OwnerColumns {
  readonly namespace_id: number | null;
  readonly project_id: number | null;
}

/** The owner column that is not null; throws if both are. */
export function ownerOf({ project_id, namespace_id }: OwnerColumns) {
  if (project_id !== null) return { project_id };
  if (namespace_id === null) throw new TypeError('a row belongs to neither a project nor a group');
  return { namespace_id };
}

export function ownerColumnsOf(place: ProjectOrGroup): OwnerColumns {
  return isProject(place)
    ? { namespace_id: null, project_id: place.project.id }
    : { namespace_id: place.group.id, project_id: null };
}

/** The group itself, or the namespace of the project. */
export function namespaceOf(place: ProjectOrGroup): Namespace {
  return isProject(place) ? place.namespace : place.group;
}

/** SQL condition for rows that belong to a project or group. */
export function belongsTo(
  table: string,
  { namespace_id, project_id }: { [C in keyof OwnerColumns]: OwnerColumns[C] | Expression<number> | undefined },
): Expression<SqlBool> {
  return project_id == null
    ? sql<SqlBool>`${sql.ref(`${table}.namespace_id`)} = ${namespace_id}`
    : sql<SqlBool>`${sql.ref(`${table}.project_id`)} = ${project_id}`;
}
