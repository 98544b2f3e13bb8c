import Type, { type TSchema } from 'typebox';
import type { Services } from '../../access/services.ts';
import { ParameterError } from '../../platform/http/errors.ts';
import { KeysetPage, Page } from '../../platform/http/pages/pagination.ts';
import { serializerOf } from '../../platform/http/responses/serializer.ts';
import { scopes } from './scopes.ts';
import type { Search } from './search-request.ts';

const longestQuery = 4096;
const maxTerms = 64;

const maxContext = 20;

/** List schemas by scope, created once, because a serializer is compiled for each new schema. */
const lists = new Map(Object.values(scopes).map(({ schema }) => [schema, Type.Array(schema)]));

/** Serializes items with the schema of their scope, because the response schema of the route accepts any scope. */
function shown(schema: TSchema, items: readonly unknown[]): unknown[] {
  return JSON.parse(serializerOf(lists.get(schema) ?? Type.Array(schema))(items)) as unknown[];
}

/** Searches the requested scope. */
export async function search(services: Services, asked: Search): Promise<Page<unknown> | KeysetPage<unknown>> {
  const { params } = asked;
  if (params.search.length > longestQuery) {
    throw new ParameterError(`Search query is too long (maximum is ${longestQuery} characters)`);
  }
  if (params.search.trim().split(/\s+/).length > maxTerms) {
    throw new ParameterError(`Search query has too many terms (maximum is ${maxTerms})`);
  }
  const { num_context_lines: around = 0 } = params;
  if (around < 0 || around > maxContext) throw new ParameterError('num_context_lines does not have a valid value');
  const { schema, find } = scopes[params.scope];
  const found = await find(services, asked);
  const items = shown(schema, found.items);
  return found instanceof KeysetPage ? new KeysetPage(items, found.next) : new Page(items, found.total, found.hasNext);
}
