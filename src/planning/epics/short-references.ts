import type { Namespace, Project } from '../../access/tables.ts';

type Place = Pick<Namespace, 'id' | 'full_path'>;

/**
 * Shortest reference to an issue in a text of a group: without the namespace if the project is directly in the group.
 */
export function issueReference(group: Place, project: Pick<Project, 'path'>, namespace: Place, iid: number): string {
  return `${namespace.id === group.id ? '' : `${namespace.full_path}/`}${project.path}#${iid}`;
}

/** Shortest reference to an epic in a text of a project: without the group if the project is directly in it. */
export function epicReference(group: Place, namespace: Pick<Place, 'id'>, iid: number): string {
  return `${namespace.id === group.id ? '' : group.full_path}&${iid}`;
}
