import { GraphQLError } from 'graphql';
import { maxPageSize } from './complexity.ts';

/** The pagination arguments of a connection. */
export interface PageArguments {
  readonly first?: number | null;
  readonly last?: number | null;
  readonly after?: string | null;
  readonly before?: string | null;
}

/** A range of zero-based positions, excluding `to`. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/** The cursor of the element at a position: the encoded number of elements up to it. */
export function cursorAt(place: number): string {
  return Buffer.from(String(place + 1)).toString('base64url');
}

/** The number of elements up to a cursor. */
function readCursor(cursor: string): number {
  const text = Buffer.from(cursor, 'base64').toString('latin1');
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new GraphQLError('Please provide a valid cursor');
  return Number(text);
}

function sizeOf(name: string, args: number | null | undefined): number | undefined {
  if (args == null) return undefined;
  if (args < 0) throw new GraphQLError(`\`${name}\` must not be negative`);
  return Math.min(args, maxPageSize);
}

/** Whether the total must be known to compute the requested window. */
export const needsTotal = ({ last, before }: PageArguments) => last != null && !before;

/** The requested window of a list; `total` is only used if it is counted from the end. */
export function windowOf(args: PageArguments, total: number): Window {
  const [first, last] = [sizeOf('first', args.first), sizeOf('last', args.last)];
  const start = args.after ? readCursor(args.after) : 0;
  if (last !== undefined) {
    const end = Math.max(start, args.before ? readCursor(args.before) - 1 : total);
    const until = first === undefined ? end : Math.min(end, start + first);
    return { from: Math.max(start, until - last), to: until };
  }
  const end = start + (first ?? maxPageSize);
  if (!args.before) return { from: start, to: end };
  return { from: start, to: Math.max(start, Math.min(end, readCursor(args.before) - 1)) };
}

/** The numbers, from 1, of the pages of `size` elements that contain a window. */
export function pagesOf({ from, to }: Window, size: number): number[] {
  const [begin, end] = [Math.floor(from / size), Math.floor((to - 1) / size)];
  return Array.from({ length: end - begin + 1 }, (_, at) => begin + at + 1);
}
