import type { OwnerColumns } from '../../../access/project-or-group.ts';
import type { Services } from '../../../access/services.ts';
import { instant, instantOrNull } from '../../../platform/http/schema.ts';
import * as rows from '../relation-store.ts';
import { issuableData, milestoneLine } from './belongings.ts';
import { type BatchRange, groupByParent, idsOf, iterateRows, type Line } from './walk.ts';

const idOf = ({ project_id, namespace_id }: OwnerColumns) => project_id ?? namespace_id ?? 0;

/** Labels of a project or group. */
export async function* labels({ db: { read: db } }: Services, owner: OwnerColumns): AsyncGenerator<Line, void> {
  const { project_id } = owner;
  const read = (part: BatchRange) => rows.labelsAfter(db, owner, part);
  for await (const part of iterateRows(read, idOf(owner), ({ id }) => id)) {
    for (const { id, title, color, description, priority, created_at, updated_at } of part) {
      yield {
        id,
        title,
        color,
        description,
        type: project_id === null ? 'GroupLabel' : 'ProjectLabel',
        priorities: priority === null ? [] : [{ project_id, priority }],
        created_at: instant(created_at),
        updated_at: instant(updated_at),
      };
    }
  }
}

export async function* milestones({ db: { read: db } }: Services, owner: OwnerColumns): AsyncGenerator<Line, void> {
  const read = (part: BatchRange) => rows.milestonesAfter(db, owner, part);
  for await (const part of iterateRows(read, idOf(owner), ({ id }) => id)) {
    for (const { namespace_id: _, ...row } of part) {
      yield { ...row, created_at: instant(row.created_at), updated_at: instant(row.updated_at) };
    }
  }
}

export async function* issues({ db: { read: db } }: Services, projectId: number): AsyncGenerator<Line, void> {
  const read = (part: BatchRange) => rows.issuesAfter(db, part);
  for await (const part of iterateRows(read, projectId, ({ iid }) => iid)) {
    const rest = await issuableData(db, 'Issue', part);
    const ids = idsOf(part);
    const assigned = groupByParent(await rows.issueAssignees(db, ids), ({ of }) => of);
    const planned = groupByParent(await rows.issueEpics(db, ids), ({ of }) => of);
    for (const row of part) {
      yield {
        id: row.id,
        iid: row.iid,
        title: row.title,
        description: row.description,
        state: row.state,
        issue_type: row.issue_type,
        confidential: row.confidential === 1,
        discussion_locked: row.discussion_locked === null ? null : row.discussion_locked === 1,
        author_id: row.author_id,
        closed_by_id: row.closed_by_id,
        closed_at: instantOrNull(row.closed_at),
        start_date: row.start_date,
        due_date: row.due_date,
        weight: row.weight,
        health_status: row.health_status,
        severity: row.severity,
        time_estimate: row.time_estimate,
        relative_position: row.relative_position,
        created_at: instant(row.created_at),
        updated_at: instant(row.updated_at),
        epic_issue: epicLine(planned(row.id)[0]),
        issue_assignees: assigned(row.id).map(({ user_id }) => ({ user_id })),
        ...rest(row),
      };
    }
  }
}

function epicLine(found: Awaited<ReturnType<typeof rows.issueEpics>>[number] | undefined): Line | null {
  if (!found) return null;
  const { of: _, relative_position, ...epic } = found;
  return { relative_position, epic };
}

/** Links between issues of the project; links to other projects are not portable. */
export async function* issueLinks({ db: { read: db } }: Services, projectId: number): AsyncGenerator<Line, void> {
  const read = (part: BatchRange) => rows.issueLinksAfter(db, part);
  for await (const part of iterateRows(read, projectId, ({ id }) => id)) {
    for (const { id: _, created_at, ...link } of part) yield { ...link, created_at: instant(created_at) };
  }
}

export async function* boards({ db: { read: db } }: Services, owner: OwnerColumns): AsyncGenerator<Line, void> {
  const found = await rows.boardsOf(db, owner);
  if (found.length === 0) return;
  const ids = idsOf(found);
  const [lists, narrowing] = await Promise.all([rows.boardLists(db, ids), rows.boardLabels(db, ids)]);
  const named = [...lists, ...found].flatMap(({ milestone_id: id }) => id ?? []);
  const milestones = named.length === 0 ? [] : await rows.milestonesNumbered(db, named);
  const milestoneOf = (id: number | null) => {
    const milestone = milestones.find((one) => one.id === id);
    return milestone ? milestoneLine(milestone) : null;
  };
  const [listsOf, labelsOf] = [
    groupByParent(lists, ({ board_id }) => board_id),
    groupByParent(narrowing, ({ of }) => of),
  ];
  for (const board of found) {
    yield {
      name: board.name,
      hide_backlog_list: board.hide_backlog_list === 1,
      hide_closed_list: board.hide_closed_list === 1,
      weight: board.weight,
      milestone: milestoneOf(board.milestone_id),
      labels: labelsOf(board.id).map(({ title }) => ({ title })),
      created_at: instant(board.created_at),
      updated_at: instant(board.updated_at),
      lists: listsOf(board.id).map((list) => ({
        list_type: list.title !== null ? 'label' : list.milestone_id !== null ? 'milestone' : 'assignee',
        position: list.position,
        label: list.title === null ? null : { title: list.title },
        milestone: milestoneOf(list.milestone_id),
        user_id: list.assignee_id,
        max_issue_count: list.max_issue_count,
        max_issue_weight: list.max_issue_weight,
        limit_metric: list.limit_metric,
        created_at: instant(list.created_at),
        updated_at: instant(list.updated_at),
      })),
    };
  }
}
