import type { Query } from '../frame/api.ts';
import { type Html, html } from '../frame/html.ts';
import { pageOf, withQuery } from '../frame/paging.ts';
import type { Visit } from '../frame/visit.ts';

/** Returns all values of a query parameter, with or without brackets. */
const all = ({ query }: Visit, name: string) =>
  [...query.getAll(name), ...query.getAll(`${name}[]`)].filter((text) => text !== '');

/** A sort order, by GitLab's name in URLs. */
type Order = readonly [text: string, order: string, sort: 'asc' | 'desc'];
const newest: Order = ['Newest first', 'created_at', 'desc'];
const orders: Readonly<Record<string, Order>> = {
  created_date: newest,
  created_asc: ['Oldest first', 'created_at', 'asc'],
  updated_desc: ['Recently updated', 'updated_at', 'desc'],
  updated_asc: ['Least recently updated', 'updated_at', 'asc'],
  priority: ['Priority', 'priority', 'asc'],
  label_priority: ['Label priority', 'label_priority', 'asc'],
  due_date: ['Due first', 'due_date', 'asc'],
  milestone: ['Milestone due date', 'milestone_due', 'asc'],
  popularity: ['Most popular', 'popularity', 'desc'],
  title_asc: ['Title', 'title', 'asc'],
};

const ofIssues = ({ path }: Visit) => path.endsWith('/issues');

/** Sort orders for the list: only issues have due dates, and epics have neither priorities nor milestones. */
function offered(visit: Visit): [string, Order][] {
  const ofEpics = visit.path.endsWith('/epics');
  const fits = ([name, [, order]]: [string, Order]) =>
    ofEpics ? ['created_at', 'updated_at', 'title'].includes(order) : name !== 'due_date' || ofIssues(visit);
  return Object.entries(orders).filter(fits);
}

function orderOf(visit: Visit): Query {
  const chosen = offered(visit).find(([name]) => name === visit.query.get('sort'));
  const [, order_by, sort] = chosen?.[1] ?? newest;
  return { order_by, sort };
}

/** Translates the filters of GitLab's URLs to API parameters. */
export function listQuery(visit: Visit): Query {
  const { query } = visit;
  const labels = [...all(visit, 'label_name'), ...all(visit, 'labels')];
  const state = query.get('state') ?? 'opened';
  const assignee = query.get('assignee_username');
  return {
    ...(state !== 'all' && { state }),
    scope: 'all',
    search: query.get('search'),
    labels: labels.join(','),
    milestone: query.get('milestone_title'),
    // Issues may have several assignees, so the API expects a list.
    assignee_username: assignee && ofIssues(visit) ? [assignee] : assignee,
    author_username: query.get('author_username'),
    ...orderOf(visit),
    with_labels_details: true,
    per_page: 20,
    page: pageOf(visit),
  };
}

/** Links to alternative views. */
export function viewLinks(
  links: readonly (readonly [name: string, href: string, ...unknown[]])[],
  current: string,
  about = 'Filter',
): Html {
  const link = ([name, href]: (typeof links)[number]) =>
    html`<a href="${href}"${name === current && html` aria-current="page"`}>${name.replaceAll('_', ' ')}</a>`;
  return html`<nav class="segments" aria-label="${about}">${links.map(link)}</nav>`;
}

const fields = {
  search: 'Words',
  label_name: 'Label',
  milestone_title: 'Milestone',
  author_username: 'Author',
  assignee_username: 'Assignee',
} as const;
type FilterName = keyof typeof fields;

const every: readonly FilterName[] = [
  'search',
  'label_name',
  'milestone_title',
  'author_username',
  'assignee_username',
];

/** Links to states, and the filter form. */
export function filterBar(visit: Visit, states: readonly string[], names: readonly FilterName[] = every): Html {
  const { query, base, path } = visit;
  const current = query.get('state') ?? 'opened';
  const links = states.map((state) => {
    const href = withQuery(visit, { state, page: undefined });
    return [state, href] as const;
  });
  const field = (name: FilterName) =>
    html`<label>${fields[name]}<input name="${name}" value="${name === 'label_name' ? all(visit, name).join(',') : (query.get(name) ?? '')}"></label>`;
  const order = offered(visit).map(
    ([name, [text]]) => html`<option value="${name}"${name === query.get('sort') && html` selected`}>${text}</option>`,
  );
  return html`${viewLinks(links, current)}<form class="filters" action="${base}${path}"><input type="hidden" name="state" value="${current}">${query.has('scope') && html`<input type="hidden" name="scope" value="${query.get('scope')}">`}${names.map(field)}<label>Order<select name="sort">${order}</select></label><button>Filter</button></form>`;
}
