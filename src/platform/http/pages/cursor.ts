import type { KeysetOrder, KeysetSlice, Position } from '../../database/keyset.ts';
import { HttpError, ParameterError } from '../errors.ts';
import { KeysetPage } from './pagination.ts';

// The direction is stored in the cursor, under the name that GitLab's clients know.
const direction = '_kd';

const keyOf = (column: string) => column.slice(column.lastIndexOf('.') + 1);

function write(order: KeysetOrder, row: object, backwards: boolean): string {
  const keys = Object.keys(order.columns).map(keyOf);
  const values = Object.fromEntries(keys.map((key) => [key, (row as Record<string, unknown>)[key]]));
  const text = JSON.stringify({ ...values, [direction]: backwards ? 'p' : 'n' });
  return Buffer.from(text).toString('base64url');
}

/** The cursor of a list of ids: a `page_token` is either such a cursor or the id of the record before the page. */
export function cursorOfToken(token: string | undefined): string | undefined {
  if (token === undefined || !/^\d{1,15}$/.test(token)) return token;
  return Buffer.from(JSON.stringify({ id: Number(token), [direction]: 'n' })).toString('base64url');
}

/** Parses a cursor that was issued for this order; rejects any other. */
export function readCursor(order: KeysetOrder, cursor: string): Position {
  let fields: unknown;
  try {
    fields = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    throw new ParameterError('cursor is invalid');
  }
  const parsed = (typeof fields === 'object' && fields !== null ? fields : {}) as Record<string, unknown>;
  const values = Object.entries(order.columns).map(([column, type]) => {
    const value = parsed[keyOf(column)];
    if (type === 'text' && typeof value === 'string') return value;
    if (type === 'integer' && typeof value === 'number' && Number.isSafeInteger(value)) return value;
    throw new ParameterError('cursor is invalid');
  });
  return { values, backwards: parsed[direction] === 'p' };
}

/** One page of a keyset list; the rows must contain the columns of the order. */
export async function cursorPage<O extends object>(
  order: KeysetOrder,
  cursor: string | undefined,
  walk: (position: Position | undefined) => Promise<KeysetSlice<O>>,
): Promise<KeysetPage<O>> {
  const { rows, more, earlier } = await walk(cursor ? readCursor(order, cursor) : undefined);
  const first = rows[0];
  const last = rows.at(-1);
  const headers: Record<string, string> = {};
  if (earlier && first) headers['x-prev-cursor'] = write(order, first, true);
  if (!more || !last) return new KeysetPage(rows, undefined, headers);
  const next = write(order, last, false);
  return new KeysetPage(rows, { cursor: next }, { ...headers, 'x-next-cursor': next });
}

/** Keyset pagination was requested for an order that does not support it. */
export function keysetUnavailable(): HttpError {
  return new HttpError(405, { error: 'Keyset pagination is not yet available for this type of request' });
}

/** The maximum offset of lists that require keyset pagination beyond it. */
const offsetLimit = 50_000;

/** Rejects a page beyond the maximum offset. */
export function checkOffset(page: { page: number; perPage: number }, type: string): void {
  if (page.page * page.perPage <= offsetLimit) return;
  throw new HttpError(405, {
    error:
      `Offset pagination has a maximum allowed offset of ${offsetLimit} for requests that return objects of type ` +
      `${type}. Remaining records can be retrieved using keyset pagination.`,
  });
}
