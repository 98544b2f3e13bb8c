import { GraphQLError } from 'graphql';
import { maxPageSize } from './complexity.ts';

/** How a client says which part of a list it wants. */
export interface PageArguments {
  readonly first?: number | null;
  readonly last?: number | null;
  readonly after?: string | null;
  readonly before?: string | null;
}

/** The elements from one place to before another, counted from 0. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/** The cursor of the element at a place: it stands for the number of elements up to it. */
export function cursorAt(place: number): string {
  return Buffer.from(String(place + 1)).toString('base64url');
}

/** How many elements there are up to a cursor. */
function readCursor(cursor: string): number {
  const text = Buffer.from(cursor, 'base64').toString('latin1');
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new GraphQLError('Please provide a valid cursor');
  return Number(text);
}

function sizeOf(name: string, given: number | null | undefined): number | undefined {
  if (given == null) return undefined;
  if (given < 0) throw new GraphQLError(`\`${name}\` must not be negative`);
  return Math.min(given, maxPageSize);
}

/** Whether the length of the list must be known to tell which part of it is asked for. */
export const countsFromTheEnd = ({ last, before }: PageArguments) => last != null && !before;

/** The part of a list that is asked for; `total` is asked where it is counted from the end. */
export function windowOf(given: PageArguments, total: number): Window {
  const [first, last] = [sizeOf('first', given.first), sizeOf('last', given.last)];
  const start = given.after ? readCursor(given.after) : 0;
  if (last !== undefined) {
    const end = Math.max(start, given.before ? readCursor(given.before) - 1 : total);
    const until = first === undefined ? end : Math.min(end, start + first);
    return { from: Math.max(start, until - last), to: until };
  }
  const end = start + (first ?? maxPageSize);
  if (!given.before) return { from: start, to: end };
  return { from: start, to: Math.max(start, Math.min(end, readCursor(given.before) - 1)) };
}

/** The pages of `size` that hold a window, counted from 1. */
export function pagesOf({ from, to }: Window, size: number): number[] {
  const [begin, end] = [Math.floor(from / size), Math.floor((to - 1) / size)];
  return Array.from({ length: end - begin + 1 }, (_, at) => begin + at + 1);
}
