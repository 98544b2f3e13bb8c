import { Bound } from '../database/bound.ts';
import type { Engine } from '../database/engine.ts';
import type { Position } from '../database/keyset.ts';
import type { Slice } from '../database/paging.ts';
import type { PlanMode } from '../database/statement-cache.ts';
import type { Condition } from './filter.ts';
import type { SentFilters } from './filter-set.ts';
import type { OrderKey } from './order.ts';

/** The inputs of one execution of a query. */
export interface QueryInputs {
  readonly scopes: readonly object[];
  readonly sent: SentFilters;
  readonly candidateIds?: readonly number[] | undefined;
  readonly total?: number | undefined;
  readonly slice?: Slice;
  readonly position?: Position | undefined;
  /** The highest id to consider. */
  readonly last?: number;
}

/** How a list is read: everything the SQL of its queries depends on. */
export interface ListPlan {
  readonly scopes: readonly object[];
  readonly sent: SentFilters;
  /** The ids of the few rows that the driving filter matches. */
  readonly candidateIds?: readonly number[];
  readonly drivenBy?: string;
  /** The ids come from a search index: the condition still has to be evaluated. */
  readonly fromSearch?: boolean;
  /** Few enough rows match all filters: one query finds and sorts them. */
  readonly sortMatches?: boolean;
  /**
   * The filters match many rows, which may all be at the far end of the order: a bounded walk of the order is tried
   * first.
   */
  readonly walkFirst?: boolean;
  /** The number of rows, if it was counted first: up to the count limit, or up to the number that can be sorted. */
  readonly total?: number;
  /** The filter whose matching rows are counted or read instead of all rows of the list. */
  readonly source?: { readonly filter: string; readonly scopes: readonly object[] };
}

/** How the rows of one query are read. */
export interface Read {
  /** In the order of the list rather than through the index of a filter; `column` is the sort column. */
  readonly along?: { readonly column: string | undefined } | undefined;
  /** From the ids of this filter. */
  readonly from?: string;
  /** Only among the first rows in this order, before filtering. */
  readonly firstBy?: readonly OrderKey[];
  /** Where these first rows begin. */
  readonly beyond?: Condition;
}

/** The driving "filter" if several filters leave few rows together, but none of them alone. */
export const allFilters = 'all filters';

/** Up to this number of matches are sorted if the list is very long, because walking the order would find them late. */
export const maxSortedRows = 5000;

/** Whether this number of matches can be sorted; the cost is the same for every page. */
export const isSortable = (total: number | undefined): total is number => total !== undefined && total <= maxSortedRows;

/**
 * The number of rows walked in an order to fill a page. If the matches can be sorted, this is twice their number:
 * skipping a row is cheaper than looking it up and sorting it, so a failed walk costs no more than the sort that
 * follows. If there are more matches, the page is found unless all of them are at the other end, in which case sorting
 * is quicker.
 */
const walkLimit = (end: number, total: number | undefined) => (isSortable(total) ? 2 * total : 20_000 + 4 * end);

/**
 * Whether a bounded walk would not reach the page if matches were spread evenly, so they are sorted at once. `all` is
 * the number of rows in scope.
 */
export function isBeyondWalk(total: number | undefined, { offset, perPage }: Slice, all: number): boolean {
  return isSortable(total) && (offset + perPage) * all > total * walkLimit(offset + perPage, total);
}

/** Maximum number of filters tried as drivers of a list; each costs a query. */
export const maxTriedDrives = 2;

const sliceIn = ({ slice }: QueryInputs) => slice as Slice;
const endOf = ({ offset, perPage }: Slice) => offset + perPage;
export const bounds = {
  limit: new Bound((inputs: QueryInputs) => sliceIn(inputs).perPage),
  offset: new Bound((inputs: QueryInputs) => sliceIn(inputs).offset),
  end: new Bound((inputs: QueryInputs) => endOf(sliceIn(inputs))),
  last: new Bound(({ last = Number.MAX_SAFE_INTEGER }: QueryInputs) => last),
  walked: new Bound((inputs: QueryInputs) => walkLimit(endOf(sliceIn(inputs)), inputs.total)),
};

/** The usual page sizes, and one more than each, which tells whether another page follows. */
const defaultSizes = new Set([20, 21, 100, 101]);

/**
 * The page size to write into the SQL. For an unknown limit PostgreSQL plans to read a tenth of all rows, and sorts
 * them, so first pages of the usual sizes have statements of their own.
 */
export function inlinedPageSize(engine: Engine, { offset, perPage }: Slice): number | undefined {
  return engine === 'postgres' && offset === 0 && defaultSizes.has(perPage) ? perPage : undefined;
}

/** PostgreSQL plans an unknown list of ids as if it had ten elements. */
const fewIds = 100;

/**
 * Whether PostgreSQL may reuse a generic plan. It may if rows are read by a few known ids, or if only the scope is
 * bound: the best plan depends on how many rows a date, a label or a word matches, and on where a later page begins.
 */
export function planModeOf({ candidateIds, fromSearch, sent }: ListPlan, size?: number | 'all'): PlanMode {
  if (candidateIds) return candidateIds.length <= fewIds && !fromSearch ? 'generic' : 'custom';
  const meanings = [...Object.values(sent.is), ...Object.values(sent.not)];
  const isBound = meanings.some(({ values, list }) => values !== undefined || list !== undefined);
  return size === undefined || isBound ? 'custom' : 'generic';
}

export const inputsOf = ({ scopes, sent, candidateIds, total }: ListPlan): QueryInputs => ({
  scopes,
  sent,
  candidateIds,
  total,
});
