import { maxCountedRows } from '../../database/paging.ts';
import { ParameterError } from '../errors.ts';
import { integer } from '../parameters/param-readers.ts';

/** The requested slice of a list. */
export interface PageRequest {
  readonly page: number;
  readonly perPage: number;
  readonly offset: number;
}

/** One slice of a list; without `total` the list is not counted, and `hasNext` is needed. */
export class Page<T> {
  readonly items: readonly T[];
  readonly total: number | undefined;
  readonly hasNext: boolean | undefined;

  constructor(items: readonly T[], total?: number, hasNext?: boolean) {
    this.items = items;
    this.total = total;
    this.hasNext = hasNext;
  }

  map<U>(change: (item: T) => U): Page<U> {
    return new Page(this.items.map(change), this.total, this.hasNext);
  }
}

/** One slice of a keyset list: these parameters go into the next link, and are absent at the end. */
export class KeysetPage<T> {
  readonly items: readonly T[];
  readonly next: Readonly<Record<string, string>> | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(items: readonly T[], next?: Readonly<Record<string, string>>, headers: Record<string, string> = {}) {
    this.items = items;
    this.next = next;
    this.headers = headers;
  }

  map<U>(change: (item: T) => U): KeysetPage<U> {
    return new KeysetPage(this.items.map(change), this.next, this.headers);
  }
}

const defaultPerPage = 20;
const maxPerPage = 100;

/** Parses `page` and `per_page`: too small means the default, too large the maximum; 0 items are rejected. */
export function readPage(sent: Readonly<Record<string, unknown>>): PageRequest {
  const problems: string[] = [];
  const page = sent.page == null ? 1 : (integer(sent.page, 'page', problems) ?? 1);
  const sentSize = sent.per_page == null ? undefined : integer(sent.per_page, 'per_page', problems);
  const requested = sentSize ?? defaultPerPage;
  if (requested === 0) problems.push('per_page has a value not allowed');
  if (problems.length > 0) throw new ParameterError(problems.join(', '));
  const perPage = requested < 0 ? defaultPerPage : Math.min(requested, maxPerPage);
  const effective = Math.min(Math.max(page, 1), Math.floor(Number.MAX_SAFE_INTEGER / maxPerPage));
  return { page: effective, perPage, offset: (effective - 1) * perPage };
}

// Credentials may be parameters, but links are stored, logged and shared.
const secret = new Set(['private_token', 'access_token', 'bearer_token', 'job_token', 'token', 'sudo']);

function encodePairs(name: string, value: unknown, out: string[]): void {
  if (value === undefined || value === null) return;
  if (Array.isArray(value)) for (const element of value) encodePairs(`${name}[]`, element, out);
  else if (typeof value === 'object') {
    for (const [key, inner] of Object.entries(value)) encodePairs(`${name}[${key}]`, inner, out);
  } else out.push(`${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`);
}

/** The query of a page link: every effective parameter except secrets. */
export function linkQuery(params: Readonly<Record<string, unknown>>): string {
  const out: string[] = [];
  for (const name of Object.keys(params).sort()) if (!secret.has(name)) encodePairs(name, params[name], out);
  return out.join('&');
}

/** The headers of an offset page. `address` is the list's absolute URL without a query. */
export function offsetHeaders(
  result: Page<unknown>,
  requested: PageRequest,
  address: string,
  params: Readonly<Record<string, unknown>>,
): Record<string, string> {
  const { page, perPage } = requested;
  const counted = result.total !== undefined && result.total <= maxCountedRows;
  const pages = counted ? Math.max(1, Math.ceil((result.total ?? 0) / perPage)) : undefined;
  const hasNext = pages === undefined ? (result.hasNext ?? result.items.length === perPage) : page < pages;
  const hasPrevious = page > 1 && (pages === undefined || page <= pages);
  const url = (number: number) => `<${address}?${linkQuery({ ...params, page: number, per_page: perPage })}>`;
  const links: string[] = [];
  if (hasPrevious) links.push(`${url(page - 1)}; rel="prev"`);
  if (hasNext) links.push(`${url(page + 1)}; rel="next"`);
  links.push(`${url(1)}; rel="first"`);
  if (pages !== undefined) links.push(`${url(pages)}; rel="last"`);
  const headers: Record<string, string> = {
    link: links.join(', '),
    'x-next-page': hasNext ? `${page + 1}` : '',
    'x-page': `${page}`,
    'x-per-page': `${perPage}`,
    'x-prev-page': hasPrevious ? `${page - 1}` : '',
  };
  if (counted) {
    headers['x-total'] = `${result.total}`;
    headers['x-total-pages'] = `${pages}`;
  }
  return headers;
}

/** The headers of a keyset page: only a link to the next one. */
export function keysetHeaders(
  result: KeysetPage<unknown>,
  address: string,
  params: Readonly<Record<string, unknown>>,
): Record<string, string> {
  if (result.next === undefined) return { ...result.headers };
  return { ...result.headers, link: `<${address}?${linkQuery({ ...params, ...result.next })}>; rel="next"` };
}
