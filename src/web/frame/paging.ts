import type { ApiAnswer } from './api.ts';
import { type Html, html, nothing } from './html.ts';
import type { Visit } from './visit.ts';

/** Reads the page number from the query; a second list on a page uses another parameter. */
export function pageOf({ query }: Pick<Visit, 'query'>, name = 'page'): number {
  const number = Number(query.get(name) ?? '1');
  return Number.isInteger(number) && number >= 1 && number <= 1_000_000 ? number : 1;
}

/** Paginates a complete list, with the headers that the API would return. */
export function paginateList<T>(visit: Pick<Visit, 'query'>, list: readonly T[], size: number) {
  const page = pageOf(visit);
  const pages = Math.ceil(list.length / size);
  const headers = { 'x-next-page': page < pages ? page + 1 : '', 'x-total-pages': pages };
  return { body: list.slice((page - 1) * size, page * size), headers };
}

/** Returns the current URL with changed query parameters; undefined removes one. */
export function withQuery(
  visit: Pick<Visit, 'query' | 'path' | 'base'>,
  changes: Readonly<Record<string, string | undefined>>,
): string {
  const query = new URLSearchParams(visit.query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  return `${visit.base}${visit.path}${text === '' ? '' : `?${text}`}`;
}

/** Links to the previous and the next page. */
export function pager(visit: Visit, { headers }: Pick<ApiAnswer, 'headers'>, name = 'page'): Html {
  const page = pageOf(visit, name);
  const next = String(headers['x-next-page'] ?? '');
  const pages = String(headers['x-total-pages'] ?? '');
  if (page === 1 && next === '') return nothing;
  const previous =
    page > 1 &&
    html`<a rel="prev" href="${withQuery(visit, { [name]: page === 2 ? undefined : String(page - 1) })}">Previous</a>`;
  const following = next !== '' && html`<a rel="next" href="${withQuery(visit, { [name]: next })}">Next</a>`;
  return html`<nav class="pager" aria-label="Pages">${previous} <span>Page ${page}${pages !== '' && html` of ${pages}`}</span> ${following}</nav>`;
}
