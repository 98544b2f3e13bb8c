import type { Actor } from '../../access/actor.ts';
import { isProject, type ProjectOrGroup } from '../../access/project-or-group.ts';
import type { Services } from '../../access/services.ts';
import { groupUrl } from '../../namespaces/groups/public.ts';
import { presentSubjects } from '../../namespaces/projects/public.ts';
import { basicUsers } from '../../people/users/public.ts';
import { escapeHtml } from '../../platform/http/responses/html.ts';
import { iterationsById, presentIterations } from '../iterations/public.ts';
import { type LabelRow, labelsById, textColor } from '../labels/public.ts';
import { milestonesById, presentMilestone } from '../milestones/public.ts';
import type { BoardEntity, BoardListEntity } from './schema.ts';
import { labelsOf, listsOf } from './store.ts';
import type { BoardListRow, BoardRow } from './tables.ts';

function presentLabel({ id, title, description, color }: LabelRow) {
  const description_html = escapeHtml(description ?? '');
  return { id, name: title, description, description_html, text_color: textColor(color), color };
}

/** Loads everything that lists and boards refer to, in a fixed number of queries. */
async function related(
  services: Services,
  lists: readonly BoardListRow[],
  boards: readonly BoardRow[],
  labelIds: readonly number[],
) {
  const { db, externalUrl } = services;
  const all = [...lists, ...boards];
  const iterationIds = lists.map(({ iteration_id }) => iteration_id);
  const [labels, milestones, users, iterations] = await Promise.all([
    labelsById(db.read, [...lists.flatMap(({ label_id }) => label_id ?? []), ...labelIds]),
    milestonesById(
      db.read,
      all.map(({ milestone_id }) => milestone_id),
    ),
    basicUsers(
      db.read,
      all.map(({ assignee_id }) => assignee_id),
      externalUrl,
    ),
    iterationsById(db.read, iterationIds).then((rows) => presentIterations(services, [...rows.values()])),
  ]);
  return {
    labels: new Map(labels.map((label) => [label.id, label])),
    milestones,
    users,
    iterations: new Map(iterations.map((iteration) => [iteration.id, iteration])),
  };
}

type Related = Awaited<ReturnType<typeof related>>;

function presentList(row: BoardListRow, found: Related, externalUrl: string): BoardListEntity {
  const { labels, milestones, users, iterations } = found;
  const label = row.label_id === null ? undefined : labels.get(row.label_id);
  const milestone = row.milestone_id === null ? undefined : milestones.get(row.milestone_id);
  const assignee = row.assignee_id === null ? undefined : users.get(row.assignee_id);
  const iteration = row.iteration_id === null ? undefined : iterations.get(row.iteration_id);
  return {
    id: row.id,
    label: label ? presentLabel(label) : null,
    position: row.position,
    ...(milestone ? { milestone: presentMilestone(milestone, externalUrl) } : {}),
    ...(iteration ? { iteration } : {}),
    ...(assignee ? { assignee } : {}),
    max_issue_count: row.max_issue_count,
    max_issue_weight: row.max_issue_weight,
    limit_metric: row.limit_metric,
  };
}

export async function presentLists(services: Services, rows: readonly BoardListRow[]): Promise<BoardListEntity[]> {
  const found = await related(services, rows, [], []);
  return rows.map((row) => presentList(row, found, services.externalUrl));
}

/** Presents a page of boards of one project or group. */
export async function presentBoards(
  services: Services,
  caller: Actor,
  place: ProjectOrGroup,
  rows: readonly BoardRow[],
): Promise<BoardEntity[]> {
  if (rows.length === 0) return [];
  const { externalUrl, db } = services;
  const ids = rows.map(({ id }) => id);
  const [lists, narrowed] = await Promise.all([listsOf(db.read, ids), labelsOf(db.read, ids)]);
  const found = await related(services, [...lists.values()].flat(), rows, [...narrowed.values()].flat());
  const [project = null] = isProject(place) ? await presentSubjects(services, caller, [place], { layer: 'basic' }) : [];
  const group = isProject(place)
    ? null
    : { id: place.group.id, web_url: groupUrl(externalUrl, place.group.full_path), name: place.group.name };
  return rows.map((row) => {
    const milestone = row.milestone_id === null ? undefined : found.milestones.get(row.milestone_id);
    return {
      id: row.id,
      name: row.name,
      hide_backlog_list: row.hide_backlog_list === 1,
      hide_closed_list: row.hide_closed_list === 1,
      project,
      lists: (lists.get(row.id) ?? []).map((list) => presentList(list, found, externalUrl)),
      group,
      milestone: milestone ? presentMilestone(milestone, externalUrl) : null,
      assignee: (row.assignee_id !== null && found.users.get(row.assignee_id)) || null,
      labels: (narrowed.get(row.id) ?? []).flatMap((id) => {
        const label = found.labels.get(id);
        return label ? [presentLabel(label)] : [];
      }),
      weight: row.weight,
    };
  });
}
