import { type SelectQueryBuilder, sql } from 'kysely';
import { tokenSearch } from '../../access/search.ts';
import type { Engine } from '../../platform/database/database.ts';
import { contains } from '../../platform/database/expressions.ts';
import { type Asked, form } from '../../platform/database/form.ts';
import { type Searching, searchFor, searchLists, searchValues } from '../../platform/database/search-index.ts';
import { shapedList } from '../../platform/database/shaped.ts';
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

/** What the lists of tokens are asked with, beside whose they are. */
export type TokenQuestion = { readonly [K in keyof TokenFilter]?: TokenFilter[K] | undefined } & Searching & {
    readonly now: number;
  };

/** What of it is bound. */
export const tokenValues = [
  'search',
  'now',
  'created_before',
  'created_after',
  'last_used_before',
  'last_used_after',
  'expires_before',
  'expires_after',
  ...searchValues,
] as const satisfies readonly (keyof TokenQuestion)[];

export function questionOf(filter: TokenFilter): TokenQuestion {
  return {
    now: Date.now(),
    search: filter.search || undefined,
    ...searchFor(filter.search),
    revoked: filter.revoked,
    state: filter.state,
    created_before: filter.created_before,
    created_after: filter.created_after,
    last_used_before: filter.last_used_before,
    last_used_after: filter.last_used_after,
    expires_before: filter.expires_before,
    expires_after: filter.expires_after,
    sort: filter.sort,
  };
}

type Ask = Asked<TokenQuestion, (typeof tokenValues)[number], (typeof searchLists)[number]>;

/** Narrows a query on tokens and puts it into order; by number unless told otherwise. */
export function filterTokens<DB extends Tables, T extends keyof DB, O>(
  query: SelectQueryBuilder<DB, T, O>,
  ask: Ask,
  engine: Engine,
): SelectQueryBuilder<DB, T, O> {
  // The columns below are those of access_tokens, whatever else the query joins.
  const all = query as unknown as SelectQueryBuilder<Tables, 'access_tokens', O>;
  let tokens = tokenSearch.narrow(all, 'access_tokens.id', ask, engine);
  const { revoked, state, search, now } = ask;
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
  for (const [column, operator, bound] of bounds(ask)) {
    if (bound) tokens = tokens.where(`access_tokens.${column}`, operator, bound);
  }
  return order(tokens, ask.sort) as unknown as SelectQueryBuilder<DB, T, O>;
}

function bounds(ask: Ask) {
  return [
    ['created_at', '<=', ask.created_before],
    ['created_at', '>=', ask.created_after],
    ['last_used_at', '<=', ask.last_used_before],
    ['last_used_at', '>=', ask.last_used_after],
    ['expires_at', '<=', ask.expires_before?.to(dayToInstant)],
    ['expires_at', '>=', ask.expires_after?.to(dayToInstant)],
  ] as const;
}

type Whose = TokenQuestion & { readonly user?: number | undefined; readonly impersonation: boolean };

/** The tokens of a user, or of everyone. */
export const tokenList = shapedList(
  form<Whose>()({ values: [...tokenValues, 'user'], lists: searchLists }),
  (db, ask, engine) => {
    const query = db
      .selectFrom('access_tokens')
      .selectAll('access_tokens')
      .where('access_tokens.impersonation', '=', ask.impersonation ? 1 : 0);
    return filterTokens(ask.user ? query.where('access_tokens.user_id', '=', ask.user) : query, ask, engine);
  },
);

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
