import { type Field, readFields, splitList } from '../forms/fields.ts';
import { type Entity, type JsonBody, Refusal } from '../frame/api.ts';
import type { Visit } from '../frame/visit.ts';
import type { ProjectContext } from '../namespaces/project.ts';

const most = 50;

/** Resolves user names to IDs; an unknown name is reported. */
export async function userIds({ api }: Visit, typed: readonly string[]): Promise<number[]> {
  const names = [...new Set(typed.map((name) => name.replace(/^@/, '')))];
  if (names.length > most) throw new Refusal(422, `More than ${most} people`);
  const found = await Promise.all(names.map((username) => api.get('/users', { username })));
  return found.map((users: readonly Entity[], at) => {
    const [user] = users;
    if (!user) throw new Refusal(422, `There is no user ${names[at]}`);
    return user.id;
  });
}

/** User names as shown in a form. */
const userNames = (users: readonly Entity[] | undefined) => (users ?? []).map(({ username }) => username).join(', ');

/** The available milestones, and the current one. */
export async function milestoneOptions(
  { visit, api }: ProjectContext,
  current?: Entity,
): Promise<(readonly [string, string])[]> {
  const found =
    (await visit.api.maybe(`${api}/milestones`, { state: 'active', include_ancestors: true, per_page: 100 })) ?? [];
  const isKnown = !current || found.some((one: Entity) => one.id === current.id);
  const offered = isKnown ? found : [...found, current];
  return [['', 'No milestone'], ...offered.map((one: Entity) => [String(one.id), one.title] as const)];
}

/** Form fields that issues and merge requests have in common. */
export async function itemFields(context: ProjectContext, item?: Entity): Promise<Field[]> {
  const options = await milestoneOptions(context, item?.milestone);
  return [
    { name: 'title', label: 'Title', required: true },
    { name: 'description', label: 'Description', kind: 'markdown' },
    { name: 'assignees', label: 'Assignees', hint: 'Comma-separated usernames' },
    { name: 'labels', label: 'Labels', kind: 'words', hint: 'Comma-separated; new ones are created' },
    { name: 'milestone_id', label: 'Milestone', kind: 'select', options },
  ];
}

export const itemValues = (item: Entity) => ({
  ...item,
  assignees: userNames(item.assignees),
  reviewers: userNames(item.reviewers),
  milestone_id: item.milestone?.id,
});

/** Reads the form of an issue or merge request; users are sent as IDs. */
export async function readItem(
  { visit }: ProjectContext,
  fields: readonly Field[],
  empty: 'drop' | 'keep',
): Promise<JsonBody> {
  const { assignees, reviewers, labels, milestone_id, ...rest } = readFields(fields, visit.form, empty);
  const has = (name: string) => fields.some((field) => field.name === name);
  const [assignee_ids, reviewer_ids] = await Promise.all([
    userIds(visit, splitList(String(assignees ?? ''))),
    userIds(visit, splitList(String(reviewers ?? ''))),
  ]);
  const keep = empty === 'keep';
  return {
    ...rest,
    ...((keep || assignee_ids.length > 0) && { assignee_ids }),
    ...(has('reviewers') && (keep || reviewer_ids.length > 0) && { reviewer_ids }),
    ...(Array.isArray(labels) && { labels: labels.join(',') }),
    ...(milestone_id ? { milestone_id: Number(milestone_id) } : keep && { milestone_id: 0 }),
  };
}
