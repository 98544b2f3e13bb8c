import type { Query } from '../frame/api.ts';
import { type Html, html } from '../frame/html.ts';
import { pageOf, withQuery } from '../frame/paging.ts';
import type { Visit } from '../frame/visit.ts';

/** Every value that an address has under a name, with or without brackets. */
const all = ({ query }: Visit, name: string) =>
  [...query.getAll(name), ...query.getAll(`${name}[]`)].filter((text) => text !== '');

/** What the filters of an address ask of the API: the names are those of GitLab's own addresses. */
export function listQuery(visit: Visit): Query {
  const { query } = visit;
  const labels = [...all(visit, 'label_name'), ...all(visit, 'labels')];
  const state = query.get('state') ?? 'opened';
  return {
    ...(state !== 'all' && { state }),
    scope: 'all',
    search: query.get('search'),
    labels: labels.join(','),
    milestone: query.get('milestone_title'),
    assignee_username: query.get('assignee_username') ? [query.get('assignee_username')] : undefined,
    author_username: query.get('author_username'),
    order_by: query.get('sort') === 'updated' ? 'updated_at' : 'created_at',
    with_labels_details: true,
    per_page: 20,
    page: pageOf(visit),
  };
}

/** One of a few, each a link. */
export function segments(links: readonly (readonly [name: string, href: string])[], current: string): Html {
  const link = ([name, href]: (typeof links)[number]) =>
    html`<a href="${href}"${name === current && html` aria-current="page"`}>${name.replaceAll('_', ' ')}</a>`;
  return html`<nav class="segments" aria-label="Which are shown">${links.map(link)}</nav>`;
}

/** States as links, and the filters as a form that makes the address. */
export function filterBar(visit: Visit, states: readonly string[]): Html {
  const { query, base, path } = visit;
  const current = query.get('state') ?? 'opened';
  const links = states.map((state) => {
    const href = withQuery(visit, { state, page: undefined });
    return [state, href] as const;
  });
  const field = (text: string, name: string, value = query.get(name) ?? '') =>
    html`<label>${text}<input name="${name}" value="${value}"></label>`;
  return html`${segments(links, current)}<form class="filters" action="${base}${path}"><input type="hidden" name="state" value="${current}">${field('Words', 'search')}${field('Label', 'label_name', all(visit, 'label_name').join(','))}${field('Milestone', 'milestone_title')}${field('Author', 'author_username')}${field('Assignee', 'assignee_username')}<button>Filter</button></form>`;
}
