import { Unprocessable } from '../../../platform/http/errors.ts';
import { KeysetPage, Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';

/** Pagination parameters of a list of branches or tags. */
export interface RefPagination {
  readonly pagination?: string;
  /** The last name of the previous page. */
  readonly page_token?: string;
}

/**
 * Returns a page of a sorted list of refs, by offset or keyset. `after` finds the position of a deleted ref if the
 * order allows it; without it, a token of a deleted ref is rejected.
 */
export function pageOfRefs<R extends { readonly name: string }>(
  refs: readonly R[],
  { pagination, page_token: token }: RefPagination,
  page: PageRequest,
  prefix: string,
  after?: (name: string) => number,
): Page<R> | KeysetPage<R> {
  if (pagination !== 'keyset') return new Page(refs.slice(page.offset, page.offset + page.perPage), refs.length);
  const start = token ? startAfter(refs, token, prefix, after) : 0;
  const items = refs.slice(start, start + page.perPage);
  const last = items.at(-1);
  const more = last !== undefined && start + items.length < refs.length;
  return new KeysetPage(items, more ? { page_token: last.name } : undefined);
}

function startAfter(
  refs: readonly { readonly name: string }[],
  token: string,
  prefix: string,
  after: ((name: string) => number) | undefined,
): number {
  const at = refs.findIndex((ref) => ref.name === token);
  if (at >= 0) return at + 1;
  if (!after) throw new Unprocessable(`Invalid page token: ${prefix}${token}`);
  return after(token);
}
