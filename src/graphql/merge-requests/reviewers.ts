import type { Entity } from '../../platform/http/in-process.ts';
import { connectionTypes, embeddedConnection } from '../engine/connection.ts';
import type { ResolverContext } from '../engine/context.ts';
import type { Part } from '../engine/part.ts';
import { userFields } from '../people/users.ts';
import { approvalsOf, mergeRequestApiPath } from './merge-requests.ts';

async function stateOf({ id, request }: Entity, context: ResolverContext): Promise<string | undefined> {
  const reviewers = await context.read(`${mergeRequestApiPath(request)}/reviewers`);
  return reviewers?.find(({ user }: Entity) => user.id === id)?.state;
}

export const reviewers: Part = {
  types: `
    "A reviewer of a merge request."
    type MergeRequestReviewer implements User { ${userFields} mergeRequestInteraction: UserMergeRequestInteraction }
    "The state of a user's review of a merge request."
    type UserMergeRequestInteraction { approved: Boolean! reviewState: MergeRequestReviewState reviewed: Boolean! }
    enum MergeRequestReviewState { APPROVED REQUESTED_CHANGES REVIEWED REVIEW_STARTED UNAPPROVED UNREVIEWED }
    ${connectionTypes('MergeRequestReviewer', 'count: Int!')}
  `,
  fields: {
    MergeRequest: {
      reviewers: embeddedConnection((request) => request.reviewers.map((user: Entity) => ({ ...user, request }))),
    },
    MergeRequestReviewer: { mergeRequestInteraction: ({ id, request }) => ({ id, request }) },
    UserMergeRequestInteraction: {
      approved: async ({ id, request }, _args, context) => {
        const approvals = await approvalsOf(request, context);
        return (approvals?.approved_by ?? []).some(({ user }: Entity) => user.id === id);
      },
      reviewState: async (person, _args, context) => (await stateOf(person, context))?.toUpperCase() ?? null,
      reviewed: async (person, _args, context) => (await stateOf(person, context)) === 'reviewed',
    },
  },
};
