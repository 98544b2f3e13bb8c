import { isProject, type OwnerColumns, ownerColumnsOf, type ProjectOrGroup } from '../../../access/project-or-group.ts';
import { type EventSwitch, groupSwitches, projectSwitches, systemSwitches } from '../events.ts';

/** The owner of a webhook: a project, a group or the instance. */
export type HookOwner = ProjectOrGroup | 'instance';

export function ownerColumns(owner: HookOwner): OwnerColumns {
  return owner === 'instance' ? { project_id: null, namespace_id: null } : ownerColumnsOf(owner);
}

/** Returns the events that webhooks of an owner support. */
export function switchesOf({ project_id, namespace_id }: OwnerColumns): readonly EventSwitch[] {
  if (project_id !== null) return projectSwitches;
  return namespace_id === null ? systemSwitches : groupSwitches;
}

/** Events that are enabled by default. */
export function defaultSwitches(owner: HookOwner): readonly EventSwitch[] {
  return owner === 'instance' ? ['repository_update_events'] : ['push_events'];
}

/** Returns the maximum number of webhooks of an owner, and the error text. */
export function limitOf(owner: HookOwner): { readonly most: number; readonly text: string } {
  if (owner === 'instance') return { most: 100, text: 'Maximum number of system hooks (100) exceeded' };
  return isProject(owner)
    ? { most: 100, text: 'Maximum number of project hooks (100) exceeded' }
    : { most: 50, text: 'Maximum number of group hooks (50) exceeded' };
}
