import type { Namespace, Project } from '../../access/tables.ts';

type Place = Pick<Namespace, 'id' | 'full_path'>;

/** What an issue is called in a text of a group: by the name of its project where that is right in the group. */
export function issueReference(group: Place, project: Pick<Project, 'path'>, namespace: Place, iid: number): string {
  return `${namespace.id === group.id ? '' : `${namespace.full_path}/`}${project.path}#${iid}`;
}

/** What an epic is called in a text of a project: without its group where the project is right in it. */
export function epicReference(group: Place, namespace: Pick<Place, 'id'>, iid: number): string {
  return `${namespace.id === group.id ? '' : group.full_path}&${iid}`;
}
