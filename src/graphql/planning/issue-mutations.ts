import type { Entity } from '../../platform/http/in-process.ts';
import type { ResolverContext } from '../engine/context.ts';
import { notAvailable } from '../engine/errors.ts';
import { mutation, mutationTypes } from '../engine/mutation.ts';
import type { Part } from '../engine/part.ts';
import { applyOperationMode } from '../merge-requests/changes.ts';
import { usersByIdOrName } from '../people/users.ts';
import { findByPath } from '../projects/projects.ts';
import { labelNames, numberOf } from './label-names.ts';

export async function requireProject(context: ResolverContext, path: string): Promise<Entity> {
  const project = await findByPath(context, 'projects', path);
  if (!project) throw notAvailable();
  return project;
}

/** The issue that a mutation identifies by project and iid. */
async function requireIssue(context: ResolverContext, { projectPath, iid }: Entity): Promise<Entity> {
  const project = /^\d{1,15}$/.test(iid) ? await requireProject(context, projectPath) : null;
  const issue = project && (await context.read(`/projects/${project.id}/issues/${iid}`));
  if (!issue) throw notAvailable();
  return issue;
}

/** Updates an issue; if the update is rejected or changes nothing, returns it as it is. */
export async function change(context: ResolverContext, issue: Entity, sent: Entity) {
  if (Object.values(sent).every((value) => value === undefined)) return { issue, errors: [] };
  const { entity, errors } = await context.send('PUT', `/projects/${issue.project_id}/issues/${issue.iid}`, sent);
  return { issue: entity ?? issue, errors };
}

async function create(context: ResolverContext, input: Entity) {
  const { id } = await requireProject(context, input.projectPath);
  const labels = [...(input.labels ?? []), ...(await labelNames(context, id, input.labelIds ?? []))];
  const { entity, errors } = await context.send('POST', `/projects/${id}/issues`, {
    title: input.title,
    description: input.description ?? undefined,
    assignee_ids: input.assigneeIds?.map(numberOf),
    confidential: input.confidential ?? undefined,
    created_at: input.createdAt ?? undefined,
    due_date: input.dueDate ?? undefined,
    iid: input.iid ?? undefined,
    issue_type: input.type?.toLowerCase(),
    labels: labels.length > 0 ? labels.join(',') : undefined,
    milestone_id: input.milestoneId ? numberOf(input.milestoneId) : undefined,
    weight: input.weight ?? undefined,
  });
  return { issue: entity, errors };
}

export const stateEvents: Readonly<Record<string, string>> = { CLOSE: 'close', REOPEN: 'reopen' };

async function update(context: ResolverContext, input: Entity) {
  const issue = await requireIssue(context, input);
  const names = async (ids: readonly string[] | null | undefined) =>
    ids ? (await labelNames(context, issue.project_id, ids)).join(',') : undefined;
  return change(context, issue, {
    title: input.title ?? undefined,
    // Null removes these.
    description: input.description,
    due_date: input.dueDate,
    milestone_id: input.milestoneId ? numberOf(input.milestoneId) : input.milestoneId,
    weight: input.weight,
    confidential: input.confidential ?? undefined,
    discussion_locked: input.locked ?? undefined,
    issue_type: input.type?.toLowerCase(),
    state_event: stateEvents[input.stateEvent],
    labels: await names(input.labelIds),
    add_labels: await names(input.addLabelIds),
    remove_labels: await names(input.removeLabelIds),
  });
}

async function setAssignees(context: ResolverContext, { assigneeUsernames, operationMode, ...place }: Entity) {
  const issue = await requireIssue(context, place);
  const idsOf = (people: readonly Entity[]): number[] => people.map(({ id }) => id);
  const named = idsOf(await usersByIdOrName(context, [], assigneeUsernames.slice(0, 200)));
  const ids = applyOperationMode(idsOf(issue.assignees), named, operationMode ?? undefined);
  return change(context, issue, { assignee_ids: ids });
}

/** A mutation that sets one attribute of an issue. */
const setting = (sent: (input: Entity) => Entity) =>
  mutation(async (context, input) => change(context, await requireIssue(context, input), sent(input)));

const issueMutation = (name: string, input: string) =>
  mutationTypes(name, `iid: String! projectPath: ID! ${input}`, 'issue: Issue');

async function move(context: ResolverContext, { targetProjectPath, ...place }: Entity) {
  const { project_id, iid } = await requireIssue(context, place);
  const { id } = await requireProject(context, targetProjectPath);
  const { entity, errors } = await context.send('POST', `/projects/${project_id}/issues/${iid}/move`, {
    to_project_id: id,
  });
  return { issue: entity, errors };
}

export const issueMutations: Part = {
  types: `
    extend type Mutation {
      createIssue(input: CreateIssueInput!): CreateIssuePayload
      issueMove(input: IssueMoveInput!): IssueMovePayload
      issueSetAssignees(input: IssueSetAssigneesInput!): IssueSetAssigneesPayload
      issueSetConfidential(input: IssueSetConfidentialInput!): IssueSetConfidentialPayload
      issueSetDueDate(input: IssueSetDueDateInput!): IssueSetDueDatePayload
      issueSetLocked(input: IssueSetLockedInput!): IssueSetLockedPayload
      issueSetWeight(input: IssueSetWeightInput!): IssueSetWeightPayload
      updateIssue(input: UpdateIssueInput!): UpdateIssuePayload
    }
    enum IssueStateEvent { CLOSE REOPEN }
    ${mutationTypes(
      'CreateIssue',
      `assigneeIds: [UserID!] confidential: Boolean createdAt: Time description: String dueDate: String iid: Int
       labelIds: [LabelID!] labels: [String!] milestoneId: MilestoneID projectPath: ID! title: String! type: IssueType
       weight: Int`,
      'issue: Issue',
    )}
    ${issueMutation(
      'UpdateIssue',
      `addLabelIds: [ID!] confidential: Boolean description: String dueDate: String labelIds: [ID!] locked: Boolean
       milestoneId: ID removeLabelIds: [ID!] stateEvent: IssueStateEvent title: String type: IssueType weight: Int`,
    )}
    ${issueMutation('IssueMove', 'targetProjectPath: ID!')}
    ${issueMutation(
      'IssueSetAssignees',
      'assigneeUsernames: [String!]! operationMode: MutationOperationMode = REPLACE',
    )}
    ${issueMutation('IssueSetConfidential', 'confidential: Boolean!')}
    ${issueMutation('IssueSetDueDate', 'dueDate: String')}
    ${issueMutation('IssueSetLocked', 'locked: Boolean!')}
    ${issueMutation('IssueSetWeight', 'weight: Int')}
  `,
  fields: {
    Mutation: {
      createIssue: mutation(create),
      issueMove: mutation(move),
      issueSetAssignees: mutation(setAssignees),
      issueSetConfidential: setting(({ confidential }) => ({ confidential })),
      issueSetDueDate: setting(({ dueDate }) => ({ due_date: dueDate ?? null })),
      issueSetLocked: setting(({ locked }) => ({ discussion_locked: locked })),
      issueSetWeight: setting(({ weight }) => ({ weight: weight ?? null })),
      updateIssue: mutation(update),
    },
  },
};
