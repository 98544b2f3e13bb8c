import { selfAndAncestorIds } from '../../access/namespaces/hierarchy.ts';
import { namespaceOf, ownerColumnsOf, type ProjectOrGroup } from '../../access/project-or-group.ts';
import type { Reader } from '../../platform/database/database.ts';
import type { LabelScope } from './store.ts';

/** The labels of a project or group and, by default, those of its ancestor groups. */
export async function labelScopeOf(db: Reader, subject: ProjectOrGroup, ancestors: boolean): Promise<LabelScope> {
  const { project_id: projectId, namespace_id: groupId } = ownerColumnsOf(subject);
  const { kind, id } = namespaceOf(subject);
  if (ancestors && kind === 'group') return { projectId, namespaceIds: await selfAndAncestorIds(db, id) };
  return { projectId, namespaceIds: groupId === null ? [] : [groupId] };
}
