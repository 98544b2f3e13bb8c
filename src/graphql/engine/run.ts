import {
  type DocumentNode,
  execute,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  validate,
} from 'graphql';
import { measureComplexity, TooManySelections } from './complexity.ts';
import type { ResolverContext, Score } from './context.ts';
import { tellable } from './errors.ts';
import { entityField } from './part.ts';
import { rules } from './rules.ts';

/** The deepest query. */
export const maxDepth = 20;
/** Fields that ask about the schema: the query that all tools send has some two hundred, its fragments counted each time. */
export const maxIntrospection = 500;
const maxErrors = 20;

/** A query as it was sent. */
export interface QueryRequest {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | undefined;
}

/** What a query is answered with. */
export interface Result {
  readonly data?: unknown;
  readonly errors?: readonly GraphQLFormattedError[];
}

/** What the queries of one request share. */
export interface Run {
  readonly schema: GraphQLSchema;
  readonly context: ResolverContext;
  readonly signal: AbortSignal;
  /** What of the complexity is left. */
  readonly budget: Budget;
  /** Is it a request that may write? */
  readonly mayWrite: boolean;
  onBug(error: GraphQLError): void;
}

/** The complexity that a request may have: its queries share it. */
export class Budget {
  readonly limit: number;
  #spent = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Takes what a query costs; says what that makes in all. */
  spend(complexity: number): number {
    this.#spent += complexity;
    return this.#spent;
  }
}

const refused = (error: unknown): Result => ({
  errors: [error instanceof GraphQLError ? error.toJSON() : { message: String(error) }],
});

/** Reads, weighs, checks and carries out one query. Nothing is thrown for what a client sent. */
export async function run(world: Run, sent: QueryRequest): Promise<Result> {
  if (sent.query.trim() === '') return refused(new GraphQLError('No query string was present'));
  let document: DocumentNode;
  try {
    document = parse(sent.query, { noLocation: false });
  } catch (error) {
    return refused(error);
  }
  const operation = operationOf(document, sent.operationName);
  if (operation instanceof GraphQLError) return refused(operation);
  const score = scoreOf(world, document, operation, sent);
  if (score instanceof GraphQLError) return refused(score);
  // Only now: some rules compare every two of the fields with each other.
  const broken = validate(world.schema, document, rules, { maxErrors, hideSuggestions: true });
  if (broken.length > 0) return { errors: broken.map((error) => error.toJSON()) };
  if (operation.operation !== OperationTypeNode.QUERY && !world.mayWrite) {
    return refused(new GraphQLError('Mutations are forbidden in GET requests'));
  }
  return carryOut(world, document, sent, score);
}

function operationOf(document: DocumentNode, name: string | undefined): OperationDefinitionNode | GraphQLError {
  const operations = document.definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION);
  if (name === undefined || name === '') {
    const [only, second] = operations;
    if (only && !second) return only;
    return new GraphQLError(only ? 'An operation name is required' : 'The document has no operation');
  }
  return operations.find((each) => each.name?.value === name) ?? new GraphQLError(`No operation named "${name}"`);
}

function scoreOf(
  { schema, budget }: Run,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  { variables }: QueryRequest,
): Score | GraphQLError {
  try {
    const { depth, complexity, introspection } = measureComplexity(schema, document, operation, variables);
    const [score, { limit }] = [budget.spend(complexity), budget];
    if (depth > maxDepth) {
      return new GraphQLError(`Query has depth of ${depth}, which exceeds max depth of ${maxDepth}`);
    }
    if (score > limit) {
      return new GraphQLError(`Query has complexity of ${score}, which exceeds max complexity of ${limit}`);
    }
    if (introspection > maxIntrospection) return new GraphQLError('Query asks too much about the schema');
    return { score, limit };
  } catch (error) {
    if (error instanceof TooManySelections) return new GraphQLError('Query has too many selections');
    throw error;
  }
}

async function carryOut(world: Run, document: DocumentNode, sent: QueryRequest, score: Score): Promise<Result> {
  const { schema, context, signal, onBug } = world;
  try {
    const { data, errors } = await execute({
      schema,
      document,
      rootValue: { queryComplexity: score },
      contextValue: context,
      variableValues: sent.variables,
      operationName: sent.operationName || null,
      fieldResolver: entityField,
      abortSignal: signal,
      hideSuggestions: true,
    });
    const told = errors?.map((error) => {
      const said = tellable(error);
      if (said) return said.toJSON();
      onBug(error);
      return { ...error.toJSON(), message: 'Internal server error' };
    });
    return { ...(data !== undefined && { data }), ...(told && { errors: told }) };
  } catch (error) {
    if (signal.aborted) return refused(new GraphQLError('Timeout on Query'));
    throw error;
  }
}
