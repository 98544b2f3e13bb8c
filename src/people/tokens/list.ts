import { type Expression, sql } from 'kysely';
import { tokenSearch } from '../../access/search.ts';
import { boundProperties } from '../../platform/database/form.ts';
import { param } from '../../platform/http/params.ts';
import { dayToInstant } from '../../platform/http/schema.ts';
import type { FilterValues } from '../../platform/list-kit/filter-set.ts';
import { choice, compare, isSet } from '../../platform/list-kit/filters.ts';
import { list } from '../../platform/list-kit/list.ts';
import { byColumn, byId, byNullable, orderWords, readOrderWord } from '../../platform/list-kit/order.ts';
import { searchFilters } from '../../platform/list-kit/searching.ts';

/** Current time, needed by the filters for expiry. */
interface Moment {
  readonly now: Expression<number>;
}

const { search } = searchFilters({ index: tokenSearch, columns: { name: 'access_tokens.name' }, byWords: true });
const instant = { to: dayToInstant };

/** Filters of every token list. */
export const tokenFilters = {
  revoked: isSet('access_tokens.revoked'),
  state: choice({
    active: ({ now }: Moment) => sql`access_tokens.revoked = 0
      and (access_tokens.expires_at is null or access_tokens.expires_at > ${now})`,
    inactive: ({ now }: Moment) => sql`(access_tokens.revoked = 1 or access_tokens.expires_at <= ${now})`,
  }),
  created_before: compare('access_tokens.created_at', '<=', param.dateTime()),
  created_after: compare('access_tokens.created_at', '>=', param.dateTime()),
  last_used_before: compare('access_tokens.last_used_at', '<=', param.dateTime()),
  last_used_after: compare('access_tokens.last_used_at', '>=', param.dateTime()),
  expires_before: compare('access_tokens.expires_at', '<=', param.date(), instant),
  expires_after: compare('access_tokens.expires_at', '>=', param.date(), instant),
  search,
};

/** Tokens never used or without expiry come last in both directions. */
export const tokenOrders = {
  created: byId,
  expires: byNullable('access_tokens.expires_at'),
  last_used: byNullable('access_tokens.last_used_at'),
  name: byColumn('access_tokens.name', 'text'),
};

const sort = orderWords(tokenOrders);

/** Filter and sort parameters of token lists. */
export type TokenListParams = FilterValues<typeof tokenFilters> & {
  readonly sort?: `${keyof typeof tokenOrders}_${'asc' | 'desc'}` | undefined;
};

/** Returns the requested order; by default by creation. */
export function tokenOrder(word: TokenListParams['sort'] = 'created_asc') {
  return readOrderWord(word);
}

interface TokenScope {
  /** All users if absent. */
  readonly user?: number | undefined;
  readonly impersonation: boolean;
  readonly now: number;
}

/** Personal or impersonation tokens of one or all users. */
export const tokens = list({
  id: 'access_tokens.id',
  scope: boundProperties<TokenScope>()({ values: ['user', 'now'] }),
  filters: tokenFilters,
  orders: tokenOrders,
  isWide: ({ user, impersonation }) => user === undefined && !impersonation,
  select: (db, { user, impersonation }) => {
    const query = db
      .selectFrom('access_tokens')
      .selectAll('access_tokens')
      // A literal: the engines use the partial index on personal tokens only if the condition is visible in the query
      // text.
      .where('access_tokens.impersonation', '=', sql.lit(impersonation ? 1 : 0));
    return user ? query.where('access_tokens.user_id', '=', user) : query;
  },
});

/** Parameters of every token list. */
export const tokenListParams = { ...tokens.params, sort };
