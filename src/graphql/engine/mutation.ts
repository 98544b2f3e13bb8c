import type { Entity } from '../../platform/http/in-process.ts';
import type { ResolverContext } from './context.ts';
import { notAvailable } from './errors.ts';
import type { Resolve } from './part.ts';

type Mutate = (context: ResolverContext, input: Entity) => Promise<object>;

/** Resolves a mutation, which requires sign-in and has a single input argument. */
export const mutation =
  (mutate: Mutate): Resolve =>
  async (_source, { input }, context) => {
    if (!context.caller.user) throw notAvailable();
    return { clientMutationId: input.clientMutationId, ...(await mutate(context, input)) };
  };

/** The input and payload types of a mutation. */
export const mutationTypes = (name: string, input: string, fields: string) => `
  input ${name}Input { clientMutationId: String ${input} }
  type ${name}Payload { clientMutationId: String errors: [String!]! ${fields} }
`;
