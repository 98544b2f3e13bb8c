import { connectionTypes, pageArguments, restConnection } from '../engine/connection.ts';
import { globalId } from '../engine/global-ids.ts';
import type { Part } from '../engine/part.ts';

export const milestones: Part = {
  types: `
    extend type Project { milestones(state: MilestoneStateEnum, title: String, ${pageArguments}): MilestoneConnection }
    enum MilestoneStateEnum { active closed }
    type Milestone {
      createdAt: Time!
      description: String
      dueDate: String
      expired: Boolean!
      id: ID!
      iid: ID!
      startDate: String
      state: MilestoneStateEnum!
      title: String!
      updatedAt: Time!
      webPath: String!
    }
    ${connectionTypes('Milestone', 'count: Int!')}
  `,
  fields: {
    Project: {
      milestones: ({ id }, { state, title, ...page }, context) =>
        restConnection(context, `/projects/${id}/milestones`, page, {
          query: { state, title, include_ancestors: true },
        }),
    },
    Milestone: {
      id: ({ id }) => globalId('Milestone', id),
      expired: ({ expired }) => expired ?? false,
      webPath: ({ web_url }) => new URL(web_url).pathname,
    },
  },
};
