import { instant } from '../../platform/http/schema.ts';
import type { MilestoneEntity } from './schema.ts';
import type { FoundMilestone } from './store.ts';

/** Presents a milestone with the web URL of its project or group. */
export function presentMilestone(row: FoundMilestone, externalUrl: string, now = Date.now()): MilestoneEntity {
  const { project_id, namespace_id, full_path } = row;
  const owner = project_id === null ? { group_id: namespace_id ?? 0 } : { project_id };
  const base = project_id === null ? `groups/${full_path}` : full_path;
  return {
    id: row.id,
    iid: row.iid,
    ...owner,
    title: row.title,
    description: row.description,
    state: row.state,
    created_at: instant(row.created_at),
    updated_at: instant(row.updated_at),
    due_date: row.due_date,
    start_date: row.start_date,
    expired: row.due_date !== null && row.due_date < instant(now).slice(0, 10),
    web_url: `${externalUrl}/${base}/-/milestones/${row.iid}`,
  };
}
