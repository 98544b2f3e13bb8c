import { Unprocessable } from '../../../platform/http/errors.ts';
import { KeysetPage, Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';

/** How a list of branches or tags is walked. */
export interface RefWalk {
  readonly pagination?: string;
  /** The name with which the page before ended. */
  readonly page_token?: string;
}

/**
 * One page of an ordered list of refs: by number, or from a name on. `after` finds the place of a name that is no longer
 * there, where the order tells it; otherwise such a token is refused.
 */
export function pageOfRefs<R extends { readonly name: string }>(
  refs: readonly R[],
  { pagination, page_token: token }: RefWalk,
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
