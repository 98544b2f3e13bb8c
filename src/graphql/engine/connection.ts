import { GraphQLError } from 'graphql';
import type { ApiAnswer, Entity, Query } from '../../platform/http/in-process.ts';
import type { ResolverContext } from './context.ts';
import { embeddedLists } from './embedded-lists.ts';
import { failureOf, isHidden } from './errors.ts';
import type { Resolve } from './part.ts';
import { cursorAt, needsTotal, type PageArguments, pagesOf, type Window, windowOf } from './window.ts';

/** The arguments of every list. */
export const pageArguments = 'after: String, before: String, first: Int, last: Int';

/** The types of a connection; `more` are additional fields. */
export function connectionTypes(name: string, more = ''): string {
  return `
    type ${name}Connection { edges: [${name}Edge] nodes: [${name}] pageInfo: PageInfo! ${more} }
    type ${name}Edge { cursor: String! node: ${name} }
  `;
}

/** The REST API counts up to this number; for longer lists one more is reported. */
const maxCount = 10_000;

interface Slice {
  readonly items: readonly Entity[];
  readonly from: number;
  readonly hasMore: boolean;
}

/** A connection as resolvers return it; the list is read once, when one of its fields is resolved. */
export class Connection {
  readonly #slice: () => Promise<Slice>;
  readonly #total: () => Promise<number>;
  #read: Promise<Slice> | undefined;

  constructor(slice: () => Promise<Slice>, total: () => Promise<number>) {
    this.#slice = slice;
    this.#total = total;
  }

  #once(): Promise<Slice> {
    this.#read ??= this.#slice();
    return this.#read;
  }

  async nodes(): Promise<readonly Entity[]> {
    return (await this.#once()).items;
  }

  async edges() {
    const { items, from } = await this.#once();
    return items.map((node, at) => ({ node, cursor: cursorAt(from + at) }));
  }

  async pageInfo() {
    const { items, from, hasMore } = await this.#once();
    const [start, end] = items.length === 0 ? [null, null] : [cursorAt(from), cursorAt(from + items.length - 1)];
    return { hasNextPage: hasMore, hasPreviousPage: from > 0, startCursor: start, endCursor: end };
  }

  count(): Promise<number> {
    return this.#total();
  }
}

/** A connection over a complete list. */
export function listOf(items: readonly Entity[], args: PageArguments): Connection {
  const slice = async () => {
    const { from, to } = windowOf(args, items.length);
    return { items: items.slice(from, to), from, hasMore: items.length > to };
  };
  return new Connection(slice, async () => items.length);
}

/** Resolves a connection over a list that is embedded in its parent entity. */
export function embeddedConnection(items: (entity: Entity) => readonly Entity[]): Resolve {
  const resolve: Resolve = (entity, page) => listOf(items(entity), page);
  embeddedLists.add(resolve);
  return resolve;
}

/** An empty list, for parts of a visible object that the caller cannot see. */
export const emptyList = (): Connection => listOf([], {});

export interface ListedOptions {
  readonly query?: Query;
  /** Transforms each element. */
  readonly as?: (entity: Entity) => Entity;
}

/** A connection over a list of the REST API; only the pages that contain the requested window are read. */
export function restConnection(
  context: ResolverContext,
  path: string,
  args: PageArguments,
  { query = {}, as = (entity) => entity }: ListedOptions = {},
): Connection {
  const total = async () => {
    const answer = expectList(await context.answer(path, { ...query, page: 1, per_page: 1 }));
    if (answer === undefined) return 0;
    const counted = answer.headers['x-total'];
    return counted === undefined ? maxCount + 1 : Number(counted);
  };
  const slice = async (): Promise<Slice> => {
    const known = needsTotal(args) ? await total() : 0;
    if (known > maxCount) throw new GraphQLError('`last` is not available for a list of this length');
    const window = windowOf(args, known);
    const size = window.to - window.from;
    if (size === 0) return { items: [], from: window.from, hasMore: false };
    const pages = await Promise.all(
      pagesOf(window, size).map((page) => context.answer(path, { ...query, page, per_page: size })),
    );
    return cutOut(window, size, pages.map(expectList), as);
  };
  return new Connection(slice, total);
}

function cutOut(
  { from, to }: Window,
  size: number,
  pages: readonly (ApiAnswer | undefined)[],
  as: (entity: Entity) => Entity,
): Slice {
  const found = pages.flatMap((page) => page?.body ?? []) as Entity[];
  const skipped = from % size;
  const items = found.slice(skipped, skipped + to - from);
  const isLast = (pages.at(-1)?.headers['x-next-page'] ?? '') === '';
  return { items: items.map(as), from, hasMore: found.length > skipped + items.length || !isLast };
}

/** The page of a list; undefined if the caller cannot see the list. */
function expectList(answer: ApiAnswer): ApiAnswer | undefined {
  if (isHidden(answer)) return undefined;
  if (answer.status >= 300) throw failureOf(answer);
  return answer;
}
