import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { visibleProjectIds } from '../../access/visibility/visible-ids.ts';
import { basicUsers } from '../../people/users/public.ts';
import type { Reader } from '../../platform/database/database.ts';
import { escapeHtml } from '../../platform/http/responses/html.ts';
import { instant, instantOrNull } from '../../platform/http/schema.ts';
import { labelsOfEach, type ShownLabel, textColor } from '../labels/public.ts';
import { milestonesById, presentMilestone } from '../milestones/public.ts';
import { taskCompletionStatus, taskStatus } from '../task-list.ts';
import { presentTimeStats } from '../time-tracking/public.ts';
import type { IssueBasicEntity, IssueEntity } from './schema.ts';
import { assigneeIds, issuesById, labelIds, pathsOfProjects } from './store.ts';
import type { IssueRow } from './tables.ts';

/** The project of a list; its path is present if the caller has already loaded it. */
interface Project {
  readonly projectId: number;
  readonly path?: string;
}

/** Options for presenting issues. */
export interface IssueView {
  /** The requested project or group; null for the list of all issues. Relative references are relative to it. */
  readonly within: Project | { readonly groupPath: string } | null;
  readonly labelsInDetail?: boolean;
  /** Related IDs, if the caller has just read or written them. */
  readonly hanging?: RelatedIds;
}

/** Assignee and label IDs by issue ID. */
interface RelatedIds {
  readonly assignees: ReadonlyMap<number, readonly number[]>;
  readonly labels: ReadonlyMap<number, readonly number[]>;
}

/** Fields that another area adds to a page of issues, by issue ID, limited to what the reader may see. */
export type IssueAddition = (
  services: Services,
  issues: readonly IssueRow[],
  reader: Actor,
) => Promise<
  ReadonlyMap<number, Partial<Pick<IssueEntity, 'merge_requests_count' | 'epic' | 'epic_iid' | 'iteration'>>>
>;

declare module '../../platform/domain-events.ts' {
  interface Contributions {
    'issues.fields': IssueAddition;
  }
}

/** Labels of issues, epics and merge requests: titles, or detailed entities. */
export function presentLabels(labels: readonly ShownLabel[], detailed: boolean): IssueEntity['labels'] {
  if (!detailed) return labels.map(({ title }) => title);
  return labels.map(({ id, title, description, color }) => ({
    id,
    name: title,
    description,
    description_html: escapeHtml(description ?? ''),
    text_color: textColor(color),
    color,
  }));
}

/** Loads everything a page of issues refers to, in a fixed number of queries. */
async function related(services: Services, actor: Actor, rows: readonly IssueRow[], { hanging, within }: IssueView) {
  const { read } = services.db;
  const ids = rows.map(({ id }) => id);
  const [assignees, labelled, milestones, paths, ...additions] = await Promise.all([
    hanging?.assignees ?? assigneeIds(read, ids),
    hanging?.labels ?? labelIds(read, ids),
    milestonesById(
      read,
      rows.map(({ milestone_id }) => milestone_id),
    ),
    pathsOf(read, rows, within),
    ...services.contributions('issues.fields').map((add) => add(services, rows, actor)),
  ]);
  const [users, labels] = await Promise.all([
    basicUsers(
      read,
      [...rows.flatMap((row) => [row.author_id, row.closed_by_id]), ...[...assignees.values()].flat()],
      services.externalUrl,
      actor.user,
    ),
    labelsOfEach(read, labelled),
  ]);
  return { assignees, labels, milestones, paths, additions, users };
}

/** Paths of the projects of the issues. */
async function pathsOf(read: Reader, rows: readonly IssueRow[], within: IssueView['within']) {
  const ids = new Set(rows.map(({ project_id }) => project_id));
  if (within !== null && 'path' in within && within.path !== undefined) {
    ids.delete(within.projectId);
    if (ids.size === 0) return new Map([[within.projectId, within.path]]);
    return new Map([...(await pathsOfProjects(read, [...ids])), [within.projectId, within.path]]);
  }
  return pathsOfProjects(read, [...ids]);
}

function relativeReference({ iid, project_id }: IssueRow, path: string, { within }: IssueView): string {
  if (within === null) return `${path}#${iid}`;
  if ('projectId' in within) return within.projectId === project_id ? `#${iid}` : `${path}#${iid}`;
  const [name = ''] = path.split('/').slice(-1);
  return path === `${within.groupPath}/${name}` ? `${name}#${iid}` : `${path}#${iid}`;
}

/** Presents a page of issues. */
export async function presentIssues(
  services: Services,
  actor: Actor,
  rows: readonly IssueRow[],
  view: IssueView,
): Promise<IssueEntity[]> {
  if (rows.length === 0) return [];
  const { assignees, labels, milestones, paths, additions, users } = await related(services, actor, rows, view);
  const duplicates = await duplicateLinks(services, actor, rows);
  return rows.map((row) => {
    const author = users.get(row.author_id);
    if (!author) throw new Error(`the author of issue ${row.id} is missing`);
    const assigned = (assignees.get(row.id) ?? []).flatMap((id) => users.get(id) ?? []);
    const milestone = row.milestone_id === null ? undefined : milestones.get(row.milestone_id);
    const path = paths.get(row.project_id) ?? '';
    const tasks = taskCompletionStatus(row.description);
    const api = `${services.externalUrl}/api/v4/projects/${row.project_id}`;
    const page = row.issue_type === 'task' ? 'work_items' : 'issues';
    const basic: IssueBasicEntity = {
      id: row.id,
      iid: row.iid,
      project_id: row.project_id,
      title: row.title,
      description: row.description,
      state: row.state,
      created_at: instant(row.created_at),
      updated_at: instant(row.updated_at),
      closed_at: instantOrNull(row.closed_at),
      closed_by: (row.closed_by_id !== null && users.get(row.closed_by_id)) || null,
      labels: presentLabels(labels.get(row.id) ?? [], view.labelsInDetail === true),
      milestone: milestone ? presentMilestone(milestone, services.externalUrl) : null,
      assignees: assigned,
      author,
      type: row.issue_type.toUpperCase(),
      assignee: assigned[0] ?? null,
      user_notes_count: row.user_notes_count,
      merge_requests_count: 0,
      upvotes: row.upvotes,
      downvotes: row.downvotes,
      start_date: row.start_date,
      due_date: row.due_date,
      confidential: row.confidential === 1,
      discussion_locked: row.discussion_locked === null ? null : row.discussion_locked === 1,
      issue_type: row.issue_type,
      web_url: `${services.externalUrl}/${path}/-/${page}/${row.iid}`,
      time_stats: presentTimeStats(services, row),
      task_completion_status: tasks,
      weight: row.weight,
      blocking_issues_count: row.blocking_issues_count,
    };
    return Object.assign(
      {
        ...basic,
        has_tasks: tasks.count > 0,
        task_status: tasks.count > 0 ? taskStatus(tasks) : '',
        _links: {
          self: `${api}/issues/${row.iid}`,
          notes: `${api}/issues/${row.iid}/notes`,
          award_emoji: `${api}/issues/${row.iid}/award_emoji`,
          project: api,
          closed_as_duplicate_of: duplicates.get(row.id) ?? null,
        },
        references: {
          short: `#${row.iid}`,
          relative: relativeReference(row, path, view),
          full: `${path}#${row.iid}`,
        },
        severity: row.severity.toUpperCase(),
        moved_to_id: row.moved_to_id,
        imported: row.imported_from !== 'none',
        imported_from: row.imported_from,
        service_desk_reply_to: null,
        epic_iid: null,
        epic: null,
        iteration: null,
        health_status: row.health_status,
      },
      ...additions.map((fields) => fields.get(row.id)),
    );
  });
}

/** Links to the issues that these are duplicates of, limited to what the caller may read. */
async function duplicateLinks(
  { db, externalUrl }: Services,
  actor: Actor,
  rows: readonly IssueRow[],
): Promise<ReadonlyMap<number, string>> {
  const targetIds = rows.flatMap(({ duplicated_to_id }) => duplicated_to_id ?? []);
  const targets = await issuesById(db.read, targetIds);
  if (targets.size === 0) return new Map();
  const projects = [...targets.values()].map(({ project_id }) => project_id);
  const visible = await visibleProjectIds(db.read, actor, projects);
  return new Map(
    rows.flatMap(({ id, duplicated_to_id }) => {
      const target = duplicated_to_id == null ? undefined : targets.get(duplicated_to_id);
      if (!target || target.confidential === 1 || !visible.has(target.project_id)) return [];
      return [[id, `${externalUrl}/api/v4/projects/${target.project_id}/issues/${target.iid}`] as const];
    }),
  );
}
