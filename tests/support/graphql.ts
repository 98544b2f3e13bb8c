import type { Answer, ApiClient, Sending } from './server.ts';

/** Sends a GraphQL query: `ask(server, '{ currentUser { name } }', {}, { token })`. */
export function askGraphql(
  server: ApiClient,
  query: string,
  variables: Readonly<Record<string, unknown>> = {},
  sending: Sending = {},
): Promise<Answer> {
  return server.api('POST /api/graphql', { ...sending, json: { query, variables } });
}

/** Returns the data of a query that must succeed without errors. */
export async function mustGraphql(
  server: ApiClient,
  query: string,
  variables: Readonly<Record<string, unknown>> = {},
  sending: Sending = {},
): Promise<Answer['body']> {
  const { status, body, text } = await askGraphql(server, query, variables, sending);
  if (status !== 200 || body.errors) throw new Error(`${query}: ${status} ${text}`);
  return body.data;
}

/** The GraphQL error for objects that do not exist or that the caller may not access. */
export const unavailable =
  "The resource that you are attempting to access does not exist or you don't have permission to perform this action";
