import { idScalars } from './engine/global-ids.ts';
import type { Part } from './engine/part.ts';

const ids = Object.keys(idScalars).map(
  (name) => `"A global id, such as gid://gitlab/${idScalars[name]?.[0]}/1."
    scalar ${name}`,
);

/** Types that all other parts use. */
export const root: Part = {
  types: `
    ${ids.join('\n    ')}
    "A timestamp in ISO 8601 format."
    scalar Time

    "A date in ISO 8601 format."
    scalar Date

    "The position of a page in its list."
    type PageInfo { endCursor: String hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String }

    "The complexity of the query and the caller's limit."
    type QueryComplexity { limit: Int score: Int }

    type Query {
      "Returns the text with the name of the caller."
      echo(text: String!): String!
      queryComplexity: QueryComplexity
    }

    type Mutation {
      "Returns the given errors and messages."
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
