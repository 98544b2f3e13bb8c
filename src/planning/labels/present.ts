import { isProject, type ProjectOrGroup } from '../../access/project-or-group.ts';
import { escapeHtml } from '../../platform/http/responses/html.ts';
import { textColor } from './color.ts';
import type { LabelCounts } from './counts.ts';
import type { GroupLabelEntity, ProjectLabelEntity } from './schema.ts';
import type { FoundLabel } from './store.ts';

/** A label as seen from the requested project or group. */
export function presentLabel(
  label: FoundLabel,
  subject: ProjectOrGroup,
  counts?: LabelCounts,
): GroupLabelEntity | ProjectLabelEntity {
  const entity: GroupLabelEntity = {
    id: label.id,
    name: label.title,
    description: label.description,
    description_html: escapeHtml(label.description ?? ''),
    text_color: textColor(label.color),
    color: label.color,
    archived: label.archived === 1,
    subscribed: label.subscribed === 1,
    ...counts,
  };
  if (!isProject(subject)) return entity;
  return { ...entity, priority: label.priority, is_project_label: label.project_id !== null };
}
