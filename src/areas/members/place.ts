import type { GroupSubject, ProjectSubject } from '../../access/subjects.ts';
import type { Namespace } from '../../access/tables.ts';

/** The project or group whose members are asked for. */
export type Place = ProjectSubject | GroupSubject;

export function isProject(place: Place): place is ProjectSubject {
  return 'project' in place;
}

/** The columns by which rows belong to a place. */
export interface PlaceColumns {
  readonly namespace_id: number | null;
  readonly project_id: number | null;
}

export function columnsOf(place: Place): PlaceColumns {
  return isProject(place)
    ? { namespace_id: null, project_id: place.project.id }
    : { namespace_id: place.group.id, project_id: null };
}

/** The namespace that roles are inherited through. */
export function namespaceOf(place: Place): Namespace {
  return isProject(place) ? place.namespace : place.group;
}

/** Whose personal project this is, if it is one: they stay its Owner. */
export function personalOwner(place: Place): number | null {
  return isProject(place) ? place.namespace.owner_id : null;
}
