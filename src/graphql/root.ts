import { idScalars } from './engine/global-ids.ts';
import type { Part } from './engine/part.ts';

const ids = Object.keys(idScalars).map(
  (name) => `"A global id, such as gid://gitlab/${idScalars[name]?.[0]}/1."
    scalar ${name}`,
);

/** What every other part stands on. */
export const root: Part = {
  types: `
    ${ids.join('\n    ')}
    "An instant, in the form of ISO 8601."
    scalar Time

    "Where a part of a list stands in it."
    type PageInfo { endCursor: String hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String }

    "What a query costs, and what the caller's queries may."
    type QueryComplexity { limit: Int score: Int }

    type Query {
      "The text again, with the name of the caller."
      echo(text: String!): String!
      queryComplexity: QueryComplexity
    }

    type Mutation {
      "The errors and messages again."
      echoCreate(input: EchoCreateInput!): EchoCreatePayload
    }
    input EchoCreateInput { clientMutationId: String errors: [String!] messages: [String!] }
    type EchoCreatePayload { clientMutationId: String echoes: [String!] errors: [String!]! }
  `,
  fields: {
    Query: {
      echo: (_source, { text }, { caller }) => `"${caller.user?.username ?? 'nil'}" says: ${text}`,
    },
    Mutation: {
      echoCreate: (_source, { input }) => ({
        clientMutationId: input.clientMutationId,
        echoes: input.messages,
        errors: input.errors ?? [],
      }),
    },
  },
};
