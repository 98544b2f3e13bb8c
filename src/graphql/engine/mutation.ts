import type { Entity } from '../../platform/http/in-process.ts';
import type { ResolverContext } from './context.ts';
import { notAvailable } from './errors.ts';
import type { Resolve } from './part.ts';

type Mutate = (context: ResolverContext, input: Entity) => Promise<object>;

/** A mutation: of whoever is signed in, with what they sent as one input. */
export const mutation =
  (mutate: Mutate): Resolve =>
  async (_source, { input }, context) => {
    if (!context.caller.user) throw notAvailable();
    return { clientMutationId: input.clientMutationId, ...(await mutate(context, input)) };
  };

/** The types of a mutation: what it is sent, and what it answers beside the errors. */
export const mutationTypes = (name: string, input: string, fields: string) => `
  input ${name}Input { clientMutationId: String ${input} }
  type ${name}Payload { clientMutationId: String errors: [String!]! ${fields} }
`;
