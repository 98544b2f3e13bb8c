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
import { visibleError } from './errors.ts';
import { entityField } from './part.ts';
import { rules } from './rules.ts';

/** Maximum depth of a query. */
export const maxDepth = 20;
/**
 * Maximum number of introspection fields: the query that all tools send has some two hundred, counting fragments at
 * each use.
 */
export const maxIntrospection = 500;
const maxErrors = 20;

/** A query as sent by the client. */
export interface QueryRequest {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | undefined;
}

/** The result of a query. */
export interface Result {
  readonly data?: unknown;
  readonly errors?: readonly GraphQLFormattedError[];
}

/** The shared state of all queries of a request. */
export interface Run {
  readonly schema: GraphQLSchema;
  readonly context: ResolverContext;
  readonly signal: AbortSignal;
  /** The remaining complexity. */
  readonly budget: Budget;
  /** Whether mutations are allowed. */
  readonly mayWrite: boolean;
  onBug(error: GraphQLError): void;
}

/** The complexity budget of a request, shared by its queries. */
export class Budget {
  readonly limit: number;
  #spent = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Adds the complexity of a query and returns the total. */
  spend(complexity: number): number {
    this.#spent += complexity;
    return this.#spent;
  }
}

const failed = (error: unknown): Result => ({
  errors: [error instanceof GraphQLError ? error.toJSON() : { message: String(error) }],
});

/** Parses, measures, validates and executes one query. Client errors are returned, not thrown. */
export async function run(world: Run, sent: QueryRequest): Promise<Result> {
  if (sent.query.trim() === '') return failed(new GraphQLError('No query string was present'));
  let document: DocumentNode;
  try {
    document = parse(sent.query, { noLocation: false });
  } catch (error) {
    return failed(error);
  }
  const operation = operationOf(document, sent.operationName);
  if (operation instanceof GraphQLError) return failed(operation);
  const score = scoreOf(world, document, operation, sent);
  if (score instanceof GraphQLError) return failed(score);
  // Validate last: some rules compare every pair of fields.
  const broken = validate(world.schema, document, rules, { maxErrors, hideSuggestions: true });
  if (broken.length > 0) return { errors: broken.map((error) => error.toJSON()) };
  if (operation.operation !== OperationTypeNode.QUERY && !world.mayWrite) {
    return failed(new GraphQLError('Mutations are forbidden in GET requests'));
  }
  return executeQuery(world, document, sent, score);
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
    if (introspection > maxIntrospection) return new GraphQLError('Query has too many introspection fields');
    return { score, limit };
  } catch (error) {
    if (error instanceof TooManySelections) return new GraphQLError('Query has too many selections');
    throw error;
  }
}

async function executeQuery(world: Run, document: DocumentNode, sent: QueryRequest, score: Score): Promise<Result> {
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
    const visible = errors?.map((error) => {
      const shown = visibleError(error);
      if (shown) return shown.toJSON();
      onBug(error);
      return { ...error.toJSON(), message: 'Internal server error' };
    });
    return { ...(data !== undefined && { data }), ...(visible && { errors: visible }) };
  } catch (error) {
    if (signal.aborted) return failed(new GraphQLError('Timeout on Query'));
    throw error;
  }
}
