import { type Insertable, sql, type Updateable } from 'kysely';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import type { IssueRow, IssuesTable } from './tables.ts';

const byIid = statement((db, param: Param<{ project: number; iid: number }>) =>
  db.selectFrom('issues').selectAll().where('project_id', '=', param('project')).where('iid', '=', param('iid')),
);
const byIds = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db.selectFrom('issues').selectAll().where('id', 'in', param.ids('ids')),
);

export function findIssue(db: Reader, project: number, iid: number): Promise<IssueRow | undefined> {
  return byIid.first(db, { project, iid });
}

export async function issuesById(db: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, IssueRow>> {
  const rows = ids.length === 0 ? [] : await byIds.all(db, { ids: [...new Set(ids)] });
  return new Map(rows.map((row) => [row.id, row]));
}

/** Returns the current row of an existing issue. */
export function requireIssue(db: Reader, id: number): Promise<IssueRow> {
  return db.selectFrom('issues').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

/** Columns set when an issue is created; the others have their defaults. */
export type OpenedIssue = Pick<
  IssueRow,
  | 'iid'
  | 'project_id'
  | 'title'
  | 'description'
  | 'issue_type'
  | 'confidential'
  | 'discussion_locked'
  | 'due_date'
  | 'weight'
  | 'severity'
  | 'health_status'
  | 'iteration_id'
  | 'milestone_id'
  | 'milestone_due_date'
  | 'author_id'
  | 'created_at'
  | 'updated_at'
>;

const opening = statement((db, param: Param<OpenedIssue>) =>
  db
    .insertInto('issues')
    .values({
      iid: param('iid'),
      project_id: param('project_id'),
      title: param('title'),
      description: param('description'),
      issue_type: param('issue_type'),
      confidential: param('confidential'),
      discussion_locked: param('discussion_locked'),
      due_date: param('due_date'),
      weight: param('weight'),
      severity: param('severity'),
      health_status: param('health_status'),
      iteration_id: param('iteration_id'),
      milestone_id: param('milestone_id'),
      milestone_due_date: param('milestone_due_date'),
      author_id: param('author_id'),
      created_at: param('created_at'),
      updated_at: param('updated_at'),
    })
    .returningAll(),
);

export async function openIssue(trx: Writer, row: OpenedIssue): Promise<IssueRow> {
  const issue = await opening.first(trx, row);
  if (!issue) throw new Error('the issue was not inserted');
  return issue;
}

export function insertIssue(trx: Writer, row: Insertable<IssuesTable>): Promise<IssueRow> {
  return trx.insertInto('issues').values(row).returningAll().executeTakeFirstOrThrow();
}

export function updateIssue(trx: Writer, id: number, change: Updateable<IssuesTable>): Promise<IssueRow> {
  return trx.updateTable('issues').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

export async function deleteIssue(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('issues').where('id', '=', id).execute();
}

const projectPaths = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .select(['projects.id', 'projects.path', 'namespaces.full_path'])
    .where('projects.id', 'in', param.ids('ids')),
);

/** Full paths of projects by ID. */
export async function pathsOfProjects(db: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const rows = await projectPaths.all(db, { ids });
  return new Map(rows.map(({ id, path, full_path }) => [id, `${full_path}/${path}`]));
}

const assigneesOf = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom('issue_assignees')
    .select(['issue_id', 'user_id'])
    .where('issue_id', 'in', param.ids('ids'))
    .orderBy('user_id'),
);

/** Assignee IDs by issue ID. */
export async function assigneeIds(db: Reader, issueIds: readonly number[]): Promise<ReadonlyMap<number, number[]>> {
  const rows = issueIds.length === 0 ? [] : await assigneesOf.all(db, { ids: issueIds });
  return grouped(rows.map(({ issue_id, user_id }) => [issue_id, user_id]));
}

const labelsOf = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db.selectFrom('issue_labels').select(['issue_id', 'label_id']).where('issue_id', 'in', param.ids('ids')),
);

/** Label IDs by issue ID. */
export async function labelIds(db: Reader, issueIds: readonly number[]): Promise<ReadonlyMap<number, number[]>> {
  const rows = issueIds.length === 0 ? [] : await labelsOf.all(db, { ids: issueIds });
  return grouped(rows.map(({ issue_id, label_id }) => [issue_id, label_id]));
}

function grouped(pairs: readonly (readonly [number, number])[]): ReadonlyMap<number, number[]> {
  const groups = new Map<number, number[]>();
  for (const [key, value] of pairs) {
    const group = groups.get(key);
    if (group) group.push(value);
    else groups.set(key, [value]);
  }
  return groups;
}

const projectOf = (issueId: number) => sql<number>`(select project_id from issues where id = ${issueId})`;

export async function addAssignees(trx: Writer, issueId: number, userIds: readonly number[]): Promise<void> {
  if (userIds.length === 0) return;
  await trx
    .insertInto('issue_assignees')
    .values(userIds.map((user_id) => ({ issue_id: issueId, user_id, project_id: projectOf(issueId) })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function removeAssignees(trx: Writer, issueId: number, userIds: readonly number[]): Promise<void> {
  if (userIds.length === 0) return;
  await trx.deleteFrom('issue_assignees').where('issue_id', '=', issueId).where('user_id', 'in', userIds).execute();
}

export async function addLabels(trx: Writer, issueId: number, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await trx
    .insertInto('issue_labels')
    .values(ids.map((label_id) => ({ issue_id: issueId, label_id, project_id: projectOf(issueId) })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function removeLabels(trx: Writer, issueId: number, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await trx.deleteFrom('issue_labels').where('issue_id', '=', issueId).where('label_id', 'in', ids).execute();
}

const noteWritten = statement((db, param: Param<{ id: number; now: number }>) =>
  db
    .updateTable('issues')
    .set({ user_notes_count: sql<number>`user_notes_count + 1`, updated_at: param('now') })
    .where('id', '=', param('id')),
);
const noteRemoved = statement((db, param: Param<{ id: number }>) =>
  db.updateTable('issues').set({ user_notes_count: sql<number>`user_notes_count - 1` }).where('id', '=', param('id')),
);

/** Adjusts the note count; adding a note updates `updated_at`. */
export async function countNote(trx: Writer, issueId: number, by: 1 | -1): Promise<void> {
  if (by > 0) await noteWritten.run(trx, { id: issueId, now: Date.now() });
  else await noteRemoved.run(trx, { id: issueId });
}

/** Adjusts a vote count; `at`, if given, becomes `updated_at`. */
export async function countVote(
  trx: Writer,
  issueId: number,
  vote: 'upvotes' | 'downvotes' | undefined,
  by: 1 | -1,
  at?: number,
): Promise<void> {
  await trx
    .updateTable('issues')
    .set({
      ...(vote === undefined ? {} : { [vote]: sql<number>`${sql.ref(vote)} + ${by}` }),
      ...(at === undefined ? {} : { updated_at: at }),
    })
    .where('id', '=', issueId)
    .execute();
}

/** Transfers issues of a deleted user to the heir, including who closed and edited them. */
export async function handOverIssues(trx: Writer, from: number, to: number | null): Promise<void> {
  if (to !== null) await trx.updateTable('issues').set({ author_id: to }).where('author_id', '=', from).execute();
  await trx.updateTable('issues').set({ closed_by_id: to }).where('closed_by_id', '=', from).execute();
  await trx.updateTable('issues').set({ updated_by_id: to }).where('updated_by_id', '=', from).execute();
  await trx.updateTable('issues').set({ last_edited_by_id: to }).where('last_edited_by_id', '=', from).execute();
}

/** Transfers assignments to another user, who may already be assigned. */
export async function handOverAssignments(trx: Writer, from: number, to: number): Promise<void> {
  await trx
    .insertInto('issue_assignees')
    .columns(['issue_id', 'user_id', 'project_id'])
    .expression((eb) =>
      eb
        .selectFrom('issue_assignees')
        .select(['issue_id', sql<number>`cast(${to} as bigint)`.as('user_id'), 'project_id'])
        .where('user_id', '=', from),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Returns a batch of issues created by a user. */
export async function issuesWrittenBy(trx: Writer, author: number, limit: number): Promise<IssueRow[]> {
  return trx.selectFrom('issues').selectAll().where('author_id', '=', author).limit(limit).execute();
}

/** Sets the denormalized epic of an issue, as decided by the epics area. */
export async function setEpicOf(trx: Writer, issueId: number, epic_id: number | null): Promise<void> {
  await trx.updateTable('issues').set({ epic_id }).where('id', '=', issueId).execute();
}

/** Removes issues from an epic that is being deleted. */
export async function clearEpic(trx: Writer, epicId: number): Promise<void> {
  await trx.updateTable('issues').set({ epic_id: null }).where('epic_id', '=', epicId).execute();
}

/** Returns the iteration ID if it belongs to one of these groups, else null. */
export async function iterationWithin(
  db: Reader,
  id: number | null,
  groups: readonly number[],
): Promise<number | null> {
  if (id === null || groups.length === 0) return null;
  const query = db.selectFrom('iterations').select('id').where('id', '=', id).where('namespace_id', 'in', groups);
  return (await query.executeTakeFirst())?.id ?? null;
}

/** Whether an epic belongs to this group or one of its ancestors. */
export async function isEpicWithin(db: Reader, id: number, group: number): Promise<boolean> {
  const around = db.selectFrom('namespace_ancestors').select('ancestor_id').where('namespace_id', '=', group);
  const query = db.selectFrom('epics').select('id').where('id', '=', id).where('namespace_id', 'in', around);
  return (await query.executeTakeFirst()) !== undefined;
}

/** Removes the issues of a project from epics and iterations of groups that are no longer its ancestors. */
export async function clearFormerGroupAssignments(
  trx: Writer,
  projectId: number,
  groups: readonly number[],
): Promise<void> {
  if (groups.length === 0) return;
  for (const [column, table] of [
    ['epic_id', 'epics'],
    ['iteration_id', 'iterations'],
  ] as const) {
    const left = trx.selectFrom(table).select('id').where('namespace_id', 'in', groups);
    const change = { [column]: null };
    await trx.updateTable('issues').set(change).where('project_id', '=', projectId).where(column, 'in', left).execute();
  }
}

/** Updates the milestone's due date, which issues denormalize. */
export async function copyMilestoneDue(trx: Writer, milestoneId: number, due: string | null): Promise<void> {
  const change = { milestone_due_date: due };
  await trx.updateTable('issues').set(change).where('milestone_id', '=', milestoneId).execute();
}

const statesOfMilestones = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom('issues')
    .select(['milestone_id', 'state', (eb) => eb.fn.countAll<number>().as('count')])
    .where('milestone_id', 'in', param.ids('ids'))
    .groupBy(['milestone_id', 'state']),
);

/** Number of issues and of closed issues per milestone. */
export async function countIssuesOfMilestones(
  db: Reader,
  ids: readonly number[],
): Promise<ReadonlyMap<number, { total: number; closed: number }>> {
  const counts = new Map<number, { total: number; closed: number }>();
  const rows = ids.length === 0 ? [] : await statesOfMilestones.all(db, { ids });
  for (const { milestone_id, state, count } of rows) {
    if (milestone_id === null) continue;
    const { total, closed } = counts.get(milestone_id) ?? { total: 0, closed: 0 };
    const done = state === 'closed' ? Number(count) : 0;
    counts.set(milestone_id, { total: total + Number(count), closed: closed + done });
  }
  return counts;
}

/** Moves issues of these milestones to another milestone, or to none. */
export async function replaceMilestones(
  trx: Writer,
  ids: readonly number[],
  into: { readonly id: number; readonly due_date: string | null } | null,
): Promise<void> {
  if (ids.length === 0) return;
  const change = { milestone_id: into?.id ?? null, milestone_due_date: into?.due_date ?? null };
  await trx.updateTable('issues').set(change).where('milestone_id', 'in', ids).execute();
}

/** Removes issues from the iterations of a cadence that is being deleted. */
export async function clearIterations(trx: Writer, cadenceId: number): Promise<void> {
  const removed = trx.selectFrom('iterations').select('id').where('cadence_id', '=', cadenceId);
  await trx.updateTable('issues').set({ iteration_id: null }).where('iteration_id', 'in', removed).execute();
}

/** Replaces several labels by one on all issues. */
export async function mergeLabels(trx: Writer, ids: readonly number[], into: number): Promise<void> {
  if (ids.length === 0) return;
  const carrying = trx.selectFrom('issue_labels').where('label_id', 'in', ids);
  await trx
    .insertInto('issue_labels')
    .columns(['issue_id', 'label_id', 'project_id'])
    .expression(carrying.select(['issue_id', sql.lit(into).as('label_id'), 'project_id']).distinct())
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
