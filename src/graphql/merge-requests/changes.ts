import type { Entity } from '../../platform/http/in-process.ts';
import type { ResolverContext } from '../engine/context.ts';
import { notAvailable } from '../engine/errors.ts';
import { mutation, mutationTypes } from '../engine/mutation.ts';
import type { Part } from '../engine/part.ts';
import { usersByIdOrName } from '../people/users.ts';
import { labelNames, numberOf } from '../planning/label-names.ts';
import { findByPath } from '../projects/projects.ts';
import { mergeRequestApiPath } from './merge-requests.ts';
import { requestMutation, requireMergeRequest, sendMergeRequestUpdate } from './mutations.ts';

async function create(context: ResolverContext, input: Entity) {
  const project = await findByPath(context, 'projects', input.projectPath);
  if (!project) throw notAvailable();
  const { entity, errors } = await context.send('POST', `/projects/${project.id}/merge_requests`, {
    title: input.title,
    source_branch: input.sourceBranch,
    target_branch: input.targetBranch,
    description: input.description ?? undefined,
    labels: input.labels?.join(','),
    remove_source_branch: input.removeSourceBranch ?? undefined,
  });
  return { mergeRequest: entity, errors };
}

const events: Readonly<Record<string, string>> = { CLOSED: 'close', OPEN: 'reopen' };

async function update(context: ResolverContext, input: Entity) {
  const request = await requireMergeRequest(context, input);
  const change = {
    title: input.title ?? undefined,
    description: input.description ?? undefined,
    target_branch: input.targetBranch ?? undefined,
    state_event: events[input.state],
  };
  // Without changes, the API would reject the update.
  if (Object.values(change).every((value) => value === undefined)) return { mergeRequest: request, errors: [] };
  return sendMergeRequestUpdate(context, request, change);
}

async function accept(context: ResolverContext, input: Entity) {
  const request = await requireMergeRequest(context, input);
  const { entity, errors } = await context.send('PUT', `${mergeRequestApiPath(request)}/merge`, {
    sha: input.sha,
    merge_commit_message: input.commitMessage ?? undefined,
    squash_commit_message: input.squashCommitMessage ?? undefined,
    squash: input.squash ?? undefined,
    should_remove_source_branch: input.shouldRemoveSourceBranch ?? undefined,
    auto_merge: input.strategy ? true : undefined,
  });
  return { mergeRequest: entity ?? (await context.read(mergeRequestApiPath(request))), errors };
}

type People = 'assignees' | 'reviewers';

const idsOf = (people: readonly Entity[]): number[] => people.map(({ id }) => id);

/** The user ids after adding, removing or setting the named ones. */
export function applyOperationMode(present: readonly number[], named: readonly number[], mode = 'REPLACE'): number[] {
  if (mode === 'APPEND') return [...new Set([...present, ...named])];
  return mode === 'REMOVE' ? present.filter((id) => !named.includes(id)) : [...named];
}

async function setPeople(context: ResolverContext, kind: People, names: readonly string[], input: Entity) {
  const request = await requireMergeRequest(context, input);
  const named = idsOf(await usersByIdOrName(context, [], names.slice(0, 200)));
  const ids = applyOperationMode(idsOf(request[kind]), named, input.operationMode ?? undefined);
  return sendMergeRequestUpdate(context, request, { [kind === 'assignees' ? 'assignee_ids' : 'reviewer_ids']: ids });
}

async function setLabels(context: ResolverContext, { labelIds, operationMode, ...place }: Entity) {
  const request = await requireMergeRequest(context, place);
  const names = (await labelNames(context, request.project_id, labelIds)).join(',');
  const name = { APPEND: 'add_labels', REMOVE: 'remove_labels' }[operationMode as string] ?? 'labels';
  // Adding or removing nothing would be no update.
  if (names === '' && name !== 'labels') return { mergeRequest: request, errors: [] };
  return sendMergeRequestUpdate(context, request, { [name]: names });
}

/** The REST API requests another review through a quick action. */
async function requestReviewAgain(context: ResolverContext, input: Entity) {
  const request = await requireMergeRequest(context, input);
  const reviewer = request.reviewers.find(({ id }: Entity) => String(id) === input.userId.id);
  if (!reviewer) return { mergeRequest: request, errors: ['Reviewer not found'] };
  const body = `/request_review @${reviewer.username}`;
  const { entity, errors } = await context.send('POST', `${mergeRequestApiPath(request)}/notes`, { body });
  // Quick actions that the caller may not use are ignored silently.
  if (errors.length === 0 && !entity?.commands_changes?.request_review_ids) throw notAvailable();
  return { mergeRequest: await context.read(mergeRequestApiPath(request)), errors };
}

export const mergeRequestChanges: Part = {
  types: `
    extend type Mutation {
      mergeRequestAccept(input: MergeRequestAcceptInput!): MergeRequestAcceptPayload
      mergeRequestCreate(input: MergeRequestCreateInput!): MergeRequestCreatePayload
      mergeRequestReviewerRereview(input: MergeRequestReviewerRereviewInput!): MergeRequestReviewerRereviewPayload
      mergeRequestSetAssignees(input: MergeRequestSetAssigneesInput!): MergeRequestSetAssigneesPayload
      mergeRequestSetReviewers(input: MergeRequestSetReviewersInput!): MergeRequestSetReviewersPayload
      mergeRequestSetLabels(input: MergeRequestSetLabelsInput!): MergeRequestSetLabelsPayload
      mergeRequestSetLocked(input: MergeRequestSetLockedInput!): MergeRequestSetLockedPayload
      mergeRequestSetMilestone(input: MergeRequestSetMilestoneInput!): MergeRequestSetMilestonePayload
      mergeRequestUpdate(input: MergeRequestUpdateInput!): MergeRequestUpdatePayload
    }
    enum MergeRequestNewState { CLOSED OPEN }
    enum MergeStrategyEnum { ADD_TO_MERGE_TRAIN_WHEN_CHECKS_PASS MERGE_WHEN_CHECKS_PASS MERGE_WHEN_PIPELINE_SUCCEEDS }
    enum MutationOperationMode { APPEND REMOVE REPLACE }
    ${mutationTypes(
      'MergeRequestCreate',
      `description: String labels: [String!] projectPath: ID! removeSourceBranch: Boolean sourceBranch: String!
       targetBranch: String! title: String!`,
      'mergeRequest: MergeRequest',
    )}
    ${requestMutation(
      'MergeRequestAccept',
      `commitMessage: String sha: String! shouldRemoveSourceBranch: Boolean squash: Boolean = false
       squashCommitMessage: String strategy: MergeStrategyEnum`,
    )}
    ${requestMutation(
      'MergeRequestUpdate',
      'description: String state: MergeRequestNewState targetBranch: String title: String',
    )}
    ${requestMutation(
      'MergeRequestSetAssignees',
      'assigneeUsernames: [String!]! operationMode: MutationOperationMode = REPLACE',
    )}
    ${requestMutation(
      'MergeRequestSetReviewers',
      'operationMode: MutationOperationMode = REPLACE reviewerUsernames: [String!]!',
    )}
    ${requestMutation('MergeRequestReviewerRereview', 'userId: UserID!')}
    ${requestMutation('MergeRequestSetLabels', 'labelIds: [LabelID!]! operationMode: MutationOperationMode = REPLACE')}
    ${requestMutation('MergeRequestSetLocked', 'locked: Boolean!')}
    ${requestMutation('MergeRequestSetMilestone', 'milestoneId: MilestoneID')}
  `,
  fields: {
    Mutation: {
      mergeRequestAccept: mutation(accept),
      mergeRequestCreate: mutation(create),
      mergeRequestReviewerRereview: mutation(requestReviewAgain),
      mergeRequestSetAssignees: mutation((context, input) =>
        setPeople(context, 'assignees', input.assigneeUsernames, input),
      ),
      mergeRequestSetLabels: mutation(setLabels),
      mergeRequestSetLocked: mutation(async (context, input) =>
        sendMergeRequestUpdate(context, await requireMergeRequest(context, input), { discussion_locked: input.locked }),
      ),
      mergeRequestSetMilestone: mutation(async (context, input) => {
        const milestone_id = input.milestoneId ? numberOf(input.milestoneId) : null;
        return sendMergeRequestUpdate(context, await requireMergeRequest(context, input), { milestone_id });
      }),
      mergeRequestSetReviewers: mutation((context, input) =>
        setPeople(context, 'reviewers', input.reviewerUsernames, input),
      ),
      mergeRequestUpdate: mutation(update),
    },
  },
};
