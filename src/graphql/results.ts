import { type Actor, isAdmin } from '../access/actor.ts';
import { ResolverContext, type ResolverContextOptions } from './engine/context.ts';
import { Budget, type QueryRequest, type Result, run } from './engine/run.ts';
import { schema } from './schema.ts';

/** The complexity limit of a request. */
function complexityFor(caller: Actor): number {
  if (isAdmin(caller)) return 300;
  return caller.user ? 250 : 200;
}

/** Executes the queries of one request. */
export async function resultsOf(queries: readonly QueryRequest[], options: ResolverContextOptions): Promise<Result[]> {
  const { services, caller, request, signal } = options;
  const world = {
    schema: schema(),
    context: new ResolverContext(options),
    signal,
    budget: new Budget(complexityFor(caller)),
    mayWrite: request.method === 'POST',
    onBug: (error: Error) => services.log.error({ err: error, requestId: request.id }, 'a query failed'),
  };
  const results: Result[] = [];
  // Sequentially: a query may read what an earlier one has written.
  for (const query of queries) results.push(await run(world, query));
  return results;
}
