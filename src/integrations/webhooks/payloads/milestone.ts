import type { Services } from '../../../access/services.ts';
import type { MilestoneRow } from '../../../planning/milestones/public.ts';
import { type ProjectWithNamespace, projectPart, utcText } from './parts.ts';

/** Payload for a created, closed or reopened milestone. */
export function milestonePayload(
  services: Services,
  located: ProjectWithNamespace,
  { action, milestone }: { readonly action: 'create' | 'close' | 'reopen'; readonly milestone: MilestoneRow },
): object {
  return {
    object_kind: 'milestone',
    event_type: 'milestone',
    project: projectPart(services, located),
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
      group_id: null,
      project_id: milestone.project_id,
    },
    action,
  };
}
