import { type SelectQueryBuilder, sql } from 'kysely';
import { contains } from '../../platform/database/expressions.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { dayToInstant } from '../../platform/http/schema.ts';

/** The filters of lists of tokens, as they were sent. */
export interface TokenFilter {
  readonly revoked?: boolean;
  readonly state?: 'active' | 'inactive';
  readonly created_before?: number;
  readonly created_after?: number;
  readonly last_used_before?: number;
  readonly last_used_after?: number;
  readonly expires_before?: string;
  readonly expires_after?: string;
  readonly search?: string;
  readonly sort?: TokenSort;
}

export type TokenSort = `${'created' | 'expires' | 'last_used' | 'name'}_${'asc' | 'desc'}`;

/** Narrows a query on tokens and puts it into order; by number unless told otherwise. */
export function filterTokens<DB extends Tables, T extends keyof DB, O>(
  query: SelectQueryBuilder<DB, T, O>,
  filter: TokenFilter,
  now = Date.now(),
): SelectQueryBuilder<DB, T, O> {
  // The columns below are those of access_tokens, whatever else the query joins.
  let tokens = query as unknown as SelectQueryBuilder<Tables, 'access_tokens', O>;
  const { revoked, state, search } = filter;
  if (revoked !== undefined) tokens = tokens.where('access_tokens.revoked', '=', revoked ? 1 : 0);
  if (state === 'active') {
    tokens = tokens
      .where('access_tokens.revoked', '=', 0)
      .where((eb) => eb.or([eb('access_tokens.expires_at', 'is', null), eb('access_tokens.expires_at', '>', now)]));
  }
  if (state === 'inactive') {
    tokens = tokens.where((eb) =>
      eb.or([eb('access_tokens.revoked', '=', 1), eb('access_tokens.expires_at', '<=', now)]),
    );
  }
  if (search) tokens = tokens.where((eb) => contains(eb.ref('access_tokens.name'), search));
  for (const [column, operator, bound] of bounds(filter)) {
    if (bound !== undefined) tokens = tokens.where(`access_tokens.${column}`, operator, bound);
  }
  return order(tokens, filter.sort) as unknown as SelectQueryBuilder<DB, T, O>;
}

function bounds(filter: TokenFilter) {
  const instantOf = (text: string | undefined) => (text === undefined ? undefined : dayToInstant(text));
  return [
    ['created_at', '<=', filter.created_before],
    ['created_at', '>=', filter.created_after],
    ['last_used_at', '<=', filter.last_used_before],
    ['last_used_at', '>=', filter.last_used_after],
    ['expires_at', '<=', instantOf(filter.expires_before)],
    ['expires_at', '>=', instantOf(filter.expires_after)],
  ] as const;
}

const columns = { created: 'id', expires: 'expires_at', last_used: 'last_used_at', name: 'name' } as const;

function order<O>(tokens: SelectQueryBuilder<Tables, 'access_tokens', O>, sort: TokenSort = 'created_asc') {
  const at = sort.lastIndexOf('_');
  const column = columns[sort.slice(0, at) as keyof typeof columns];
  const direction = sort.slice(at + 1) as 'asc' | 'desc';
  // The engines disagree on where nulls go: never used and never expiring come last either way.
  const nullable = column === 'expires_at' || column === 'last_used_at';
  const ref = sql.ref(`access_tokens.${column}`);
  const ordered = nullable ? tokens.orderBy(sql`case when ${ref} is null then 1 else 0 end`) : tokens;
  const first = ordered.orderBy(ref, direction);
  return column === 'id' ? first : first.orderBy('access_tokens.id', direction);
}
