import { Bound } from '../database/bound.ts';
import type { Plan } from '../database/compiled-texts.ts';
import type { Engine } from '../database/engine.ts';
import type { Position } from '../database/keyset.ts';
import type { Slice } from '../database/paging.ts';
import type { Condition } from './filter.ts';
import type { SentFilters } from './filter-set.ts';
import type { OrderKey } from './order.ts';

/** What an execution knows. */
export interface Given {
  readonly scopes: readonly object[];
  readonly sent: SentFilters;
  readonly among?: readonly number[] | undefined;
  readonly total?: number | undefined;
  readonly slice?: Slice;
  readonly position?: Position | undefined;
  /** No row behind this number counts. */
  readonly last?: number;
}

/** What the text of a query depends on. */
export interface Wanted {
  readonly scopes: readonly object[];
  readonly sent: SentFilters;
  /** The few rows that a filter was found to leave, and which it was. */
  readonly among?: readonly number[];
  readonly drivenBy?: string;
  /** They were found by a search: the conditions have yet to be asked of them. */
  readonly sought?: boolean;
  /** So few pass all filters that they are found by these and sorted, as one query. */
  readonly passing?: boolean;
  /** Filters leave more than a few rows, which may all be at the far end of an order: so it is walked for a while at first. */
  readonly patient?: boolean;
  /** How many rows there are, where that was asked for first: up to the limit of counting, or to where they can be sorted. */
  readonly total?: number;
  /** Counted by reading the rows that can pass this filter rather than all of the list. */
  readonly joined?: { readonly filter: string; readonly scopes: readonly object[] };
}

/** How rows are read. */
export interface Read {
  /** Along the order of the list, and not by what a filter has an index for; `column` is what it is ordered by. */
  readonly along?: { readonly column: string | undefined } | undefined;
  /** From the ids of this filter. */
  readonly from?: string;
  /** Only among the first rows in this order, whatever the filters leave of them. */
  readonly among?: readonly OrderKey[];
  /** Where those begin. */
  readonly beyond?: Condition;
}

/** What a list starts from where several filters leave few rows together, and none of them by itself. */
export const together = 'all filters';

/** Up to so many rows are sorted where all are very many: one of them would be met late along an order. */
export const sortedRows = 5000;

/** Whether so many rows can be sorted, which takes as long for any page of them. */
export const canBeSorted = (total: number | undefined): total is number => total !== undefined && total <= sortedRows;

/**
 * So many rows are walked along an order for a page. Where what passes can be sorted, twice as many as would be: to walk
 * past a row takes a part of what it takes to look one up and sort it, so that a walk in vain costs no more than what comes
 * after it. Of more the page is met, unless they are all at the other end: to sort what passes is quicker from there on.
 */
const walkedRows = (end: number, total: number | undefined) => (canBeSorted(total) ? 2 * total : 20_000 + 4 * end);

/**
 * Whether a page is met behind all that is walked for it, were what passes spread evenly: then it is sorted at once. `all` is
 * how many rows there are in scope.
 */
export function isMetLate(total: number | undefined, { offset, perPage }: Slice, all: number): boolean {
  return canBeSorted(total) && (offset + perPage) * all > total * walkedRows(offset + perPage, total);
}

/** So many filters are tried as the start of a list: each costs a query. */
export const triedDrives = 2;

const sliceIn = ({ slice }: Given) => slice as Slice;
const endOf = ({ offset, perPage }: Slice) => offset + perPage;
export const bounds = {
  limit: new Bound((known: Given) => sliceIn(known).perPage),
  offset: new Bound((known: Given) => sliceIn(known).offset),
  end: new Bound((known: Given) => endOf(sliceIn(known))),
  last: new Bound(({ last = Number.MAX_SAFE_INTEGER }: Given) => last),
  walked: new Bound((known: Given) => walkedRows(endOf(sliceIn(known)), known.total)),
};

/** How long pages mostly are, and one more than that, which tells whether another follows. */
const defaultSizes = new Set([20, 21, 100, 101]);

/**
 * How long a page is, where the text says so: PostgreSQL takes a limit that it does not know when it plans for a tenth of all
 * rows, and sorts them. First pages of the usual sizes have texts of their own.
 */
export function sizeInText(engine: Engine, { offset, perPage }: Slice): number | undefined {
  return engine === 'postgres' && offset === 0 && defaultSizes.has(perPage) ? perPage : undefined;
}

/** PostgreSQL plans a list of ids that it does not know as one of ten. */
const fewIds = 100;

/**
 * Whether a plan for any values is as good as one for these. It is where few rows are known by their numbers, or where nothing is
 * bound but the scope: how many rows a date, a label or a word leaves, or where a later page begins, decides how they are best read.
 */
export function planOf({ among, sought, sent }: Wanted, size?: number | 'all'): Plan {
  if (among) return among.length <= fewIds && !sought ? 'kept' : 'made each time';
  const meanings = [...Object.values(sent.is), ...Object.values(sent.not)];
  const isBound = meanings.some(({ values, list }) => values !== undefined || list !== undefined);
  return size === undefined || isBound ? 'made each time' : 'kept';
}

export const given = ({ scopes, sent, among, total }: Wanted): Given => ({ scopes, sent, among, total });
