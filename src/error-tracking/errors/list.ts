import type { Reader } from '../../platform/database/database.ts';
import { contains } from '../../platform/database/expressions.ts';
import { form } from '../../platform/database/form.ts';
import type { KeysetOrder, KeysetSlice, Position } from '../../platform/database/keyset.ts';
import type { Slice } from '../../platform/database/paging.ts';
import {
  type Searching,
  searchFor,
  searchIndex,
  searchLists,
  searchValues,
} from '../../platform/database/search-index.ts';
import { shapedList } from '../../platform/database/shaped.ts';
import type { ErrorRow, ErrorStatus } from './tables.ts';

export type ErrorSort = 'last_seen' | 'first_seen' | 'frequency';

/** Which errors of a project, and in which order. */
export interface ErrorQuestion {
  readonly project: number;
  readonly status: ErrorStatus;
  readonly sort: ErrorSort;
  readonly search?: string | undefined;
}

const columns = { last_seen: 'last_seen', first_seen: 'first_seen', frequency: 'event_count' } as const;

const errorSearch = searchIndex({ table: 'error_tracking_errors', columns: ['title'] });

const question = form<ErrorQuestion & Searching>()({
  values: ['project', 'status', 'search', ...searchValues],
  lists: searchLists,
});

/** All that a list shows, along an index of its order. */
const errors = shapedList(question, (db, ask, engine) => {
  const column = columns[ask.sort];
  let query = errorSearch
    .narrow(db.selectFrom('error_tracking_errors'), 'error_tracking_errors.id', ask, engine)
    .selectAll('error_tracking_errors')
    .where('project_id', '=', ask.project)
    .where('status', '=', ask.status);
  if (ask.search) query = query.where((eb) => contains(eb.ref('title'), ask.search ?? ''));
  return query.orderBy(column, 'desc').orderBy('error_tracking_errors.id', 'desc');
});

const asked = (wanted: ErrorQuestion) => {
  const search = wanted.search || undefined;
  return { ...wanted, search, ...searchFor(search) };
};

/** One page by its number. */
export function listErrors(
  db: Reader,
  wanted: ErrorQuestion,
  slice: Slice,
): Promise<{ rows: ErrorRow[]; total: number }> {
  return errorSearch.page(errors, db, asked(wanted), slice);
}

/** The order that a cursor walks along. */
export function orderOf(sort: ErrorSort): KeysetOrder {
  const column = `error_tracking_errors.${columns[sort]}`;
  return { columns: { [column]: 'integer', 'error_tracking_errors.id': 'integer' }, descending: true };
}

/** One page beyond a position. */
export async function walkErrors(
  db: Reader,
  wanted: ErrorQuestion,
  position: Position | undefined,
  perPage: number,
): Promise<KeysetSlice<ErrorRow>> {
  const started = await errorSearch.start(db, asked(wanted));
  return errors.walk(db, started, orderOf(wanted.sort), position, perPage);
}
