import type { Services } from '../../../access/services.ts';
import type { Namespace } from '../../../access/tables.ts';
import type { MilestoneRow } from '../../../planning/milestones/public.ts';
import { groupPart, type ProjectWithNamespace, projectPart, utcText } from './parts.ts';

interface MilestoneChange {
  readonly action: 'create' | 'close' | 'reopen' | 'delete';
  readonly milestone: MilestoneRow;
}

/** Payload for a created, closed, reopened or deleted milestone of a project or group. */
export function milestonePayload(
  services: Services,
  place: { readonly located: ProjectWithNamespace } | { readonly group: Namespace },
  { action, milestone }: MilestoneChange,
): object {
  return {
    object_kind: 'milestone',
    event_type: 'milestone',
    ...('located' in place
      ? { project: projectPart(services, place.located) }
      : { project: null, group: groupPart(place.group) }),
    object_attributes: {
      id: milestone.id,
      iid: milestone.iid,
      title: milestone.title,
      description: milestone.description,
      state: milestone.state,
      created_at: utcText(milestone.created_at),
      updated_at: utcText(milestone.updated_at),
      due_date: milestone.due_date,
      start_date: milestone.start_date,
      group_id: milestone.namespace_id,
      project_id: milestone.project_id,
    },
    action,
  };
}
