import { findUser } from '../../../access/credentials/identify.ts';
import type { Services } from '../../../access/services.ts';
import type { User } from '../../../access/tables.ts';
import type { IssueState } from '../../../planning/issues/public.ts';
import { type LabelRow, labelsById } from '../../../planning/labels/public.ts';
import { formattedDuration } from '../../../planning/time-tracking/public.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { instant, instantOrNull } from '../../../platform/http/schema.ts';
import { changedAttributes, withTimeChange } from './changes.ts';
import { type ProjectWithNamespace, projectPart, repositoryPart, userPart, webUrl } from './parts.ts';

const types: Readonly<Record<string, string>> = {
  issue: 'Issue',
  incident: 'Incident',
  test_case: 'Test Case',
  task: 'Task',
};

/** A label in a payload. */
export function labelPart(label: LabelRow) {
  return {
    id: label.id,
    title: label.title,
    color: label.color,
    project_id: label.project_id,
    created_at: instant(label.created_at),
    updated_at: instant(label.updated_at),
    template: false,
    description: label.description,
    type: label.project_id === null ? 'GroupLabel' : 'ProjectLabel',
    group_id: label.namespace_id,
  };
}

export async function usersOf(db: Reader, ids: readonly number[]): Promise<User[]> {
  const users = await Promise.all(ids.map((id) => findUser(db, id)));
  return users.filter((user) => user !== undefined);
}

interface Timed {
  readonly total_time_spent: number;
}

/** The change of the time spent. */
export function timeChange(services: Services, before: Timed | undefined, after: Timed) {
  const seconds = after.total_time_spent - (before?.total_time_spent ?? 0);
  return { time_change: seconds, human_time_change: formattedDuration(services, seconds) };
}

/** Attributes of an issue, in its own payload and in those of its notes. */
export function issuePart(
  services: Services,
  located: ProjectWithNamespace,
  state: IssueState,
  labels: readonly LabelRow[],
) {
  const { issue, assigneeIds } = state;
  return {
    author_id: issue.author_id,
    closed_at: instantOrNull(issue.closed_at),
    confidential: issue.confidential === 1,
    created_at: instant(issue.created_at),
    description: issue.description,
    discussion_locked: issue.discussion_locked === null ? null : issue.discussion_locked === 1,
    due_date: issue.due_date,
    id: issue.id,
    iid: issue.iid,
    last_edited_at: instantOrNull(issue.last_edited_at),
    last_edited_by_id: issue.last_edited_by_id,
    milestone_id: issue.milestone_id,
    moved_to_id: issue.moved_to_id,
    duplicated_to_id: issue.duplicated_to_id,
    project_id: issue.project_id,
    relative_position: issue.relative_position,
    state_id: issue.state === 'opened' ? 1 : 2,
    time_estimate: issue.time_estimate,
    title: issue.title,
    updated_at: instant(issue.updated_at),
    updated_by_id: issue.updated_by_id,
    type: types[issue.issue_type] ?? 'Issue',
    weight: issue.weight,
    health_status: issue.health_status,
    url: `${webUrl(services, located)}/-/issues/${issue.iid}`,
    total_time_spent: issue.total_time_spent,
    time_change: 0,
    human_total_time_spent: formattedDuration(services, issue.total_time_spent),
    human_time_change: null,
    human_time_estimate: formattedDuration(services, issue.time_estimate),
    assignee_ids: [...assigneeIds],
    assignee_id: assigneeIds[0] ?? null,
    labels: labels.map(labelPart),
    state: issue.state,
    severity: issue.severity,
    customer_relations_contacts: [],
  };
}

const compared = [
  'title',
  'description',
  'confidential',
  'discussion_locked',
  'due_date',
  'milestone_id',
  'time_estimate',
  'total_time_spent',
  'weight',
  'health_status',
  'severity',
  'relative_position',
  'state_id',
  'type',
  'updated_at',
  'updated_by_id',
  'last_edited_at',
  'last_edited_by_id',
  'closed_at',
] as const;

/** An issue has these values before it is created; what differs from them are the changes of its `open` event. */
const blank = {
  confidential: false,
  time_estimate: 0,
  total_time_spent: 0,
  severity: 'unknown',
  state_id: 1,
} as const;
const comparedWithBlank = ['id', 'iid', 'author_id', 'project_id', 'created_at', ...compared] as const;

interface Side {
  readonly attributes: ReturnType<typeof issuePart>;
  readonly labels: readonly LabelRow[];
  readonly assignees: readonly User[];
}

function changesBetween(services: Services, before: Side | undefined, after: Side): Record<string, unknown> {
  if (!before) return changedAttributes(comparedWithBlank, { ...blank, type: after.attributes.type }, after.attributes);
  const changes = withTimeChange(
    changedAttributes(compared, before.attributes, after.attributes),
    before.attributes,
    after.attributes,
  );
  const ids = (list: readonly { id: number }[]) => list.map(({ id }) => id).join();
  if (ids(before.labels) !== ids(after.labels)) {
    changes.labels = { previous: before.labels.map(labelPart), current: after.labels.map(labelPart) };
  }
  if (ids(before.assignees) !== ids(after.assignees)) {
    const people = (list: readonly User[]) => list.map((user) => userPart(services, user));
    changes.assignees = { previous: people(before.assignees), current: people(after.assignees) };
  }
  return changes;
}

/** Payload for an issue event. */
export async function issuePayload(
  services: Services,
  db: Reader,
  located: ProjectWithNamespace,
  user: User,
  { action, before, after }: { readonly action: string; readonly before?: IssueState; readonly after: IssueState },
): Promise<object> {
  const sideOf = async (state: IssueState): Promise<Side> => {
    const [labels, assignees] = await Promise.all([labelsById(db, state.labelIds), usersOf(db, state.assigneeIds)]);
    return { attributes: issuePart(services, located, state, labels), labels, assignees };
  };
  const now = await sideOf(after);
  const assignees = now.assignees.map((each) => userPart(services, each));
  const kind = after.issue.issue_type === 'issue' ? 'issue' : 'work_item';
  return {
    object_kind: kind,
    event_type: after.issue.confidential === 1 ? `confidential_${kind}` : kind,
    user: userPart(services, user),
    project: projectPart(services, located),
    object_attributes: { ...now.attributes, ...timeChange(services, before?.issue, after.issue), action },
    labels: now.labels.map(labelPart),
    changes: changesBetween(services, before && (await sideOf(before)), now),
    repository: repositoryPart(services, located),
    // The first assignee also under the legacy single-assignee key.
    ...(assignees.length > 0 ? { assignees, assignee: assignees[0] } : {}),
  };
}
