import { type Collection, collectionPages } from '../forms/collection.ts';
import type { Entity } from '../frame/api.ts';
import { badge, count, listOr } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { renderOne } from '../frame/markdown.ts';
import { pageOf, pager, withQuery } from '../frame/paging.ts';
import type { Outcome, Page, Visit } from '../frame/visit.ts';
import { type GroupContext, groupPage, inGroup } from '../namespaces/group.ts';
import { pageNotFound, sectionTitle } from '../namespaces/project.ts';
import { groupSection } from '../namespaces/sections.ts';
import { viewLinks } from './filters.ts';
import { iterationName } from './plan-fields.ts';
import { pathOf, progress, workItem } from './work-item.ts';

const states = ['opened', 'closed', 'all'] as const;

/** States as numbered by the API. */
const stateNames: Readonly<Record<number, string>> = { 1: 'upcoming', 2: 'current', 3: 'closed' };
const stateBadge = ({ state }: Entity): Html => {
  const name = stateNames[state] ?? String(state);
  return badge(name === 'current' ? 'active' : name === 'upcoming' ? 'scheduled' : name, name);
};

async function listPage(context: GroupContext): Promise<Outcome> {
  const { visit, api, home, role } = context;
  const state = states.find((one) => one === visit.query.get('state')) ?? 'opened';
  const query = { state, search: visit.query.get('search'), per_page: 20, page: pageOf(visit) };
  const answer = await visit.api.page(`${api}/iterations`, query);
  const links = states.map((one) => [one, withQuery(visit, { state: one, page: undefined })] as const);
  const item = (one: Entity) =>
    html`<li class="row"><a class="main" href="${pathOf(one.web_url, visit.base)}"><strong>${iterationName(one)}</strong></a>${stateBadge(one)}<span class="end muted">${one.title !== null && `${one.start_date} to ${one.due_date}`}</span></li>`;
  const cadences = html`<a class="button" href="${home}/-/cadences">Cadences</a>`;
  const empty = html`No iteration. Iterations come one after the other, of so many weeks each${role >= 15 && html`; <a href="${home}/-/cadences">make a cadence</a> of them`}.`;
  const body = html`${sectionTitle('Iterations', cadences)}${viewLinks(links, state)}${listOr(answer.body, item, empty)}${pager(visit, answer)}`;
  return inGroup(context, { title: 'Iterations', tab: 'iterations', body });
}

const maxPages = 20;

/** Finds an iteration in the list, since the API has no endpoint for a single one. */
async function found({ api, params }: Visit, group: string): Promise<Entity> {
  for (let page = 1; page <= maxPages; page += 1) {
    const answer = await api.page(`${group}/iterations`, { state: 'all', per_page: 100, page });
    const one = answer.body.find(({ id }: Entity) => String(id) === params.id);
    if (one) return one;
    if (String(answer.headers['x-next-page'] ?? '') === '') break;
  }
  throw pageNotFound();
}

async function onePage(context: GroupContext): Promise<Outcome> {
  const { visit, api } = context;
  const iteration = await found(visit, api);
  const state = visit.query.get('state') === 'closed' ? 'closed' : 'opened';
  const filter = { iteration_id: iteration.id, scope: 'all' };
  const query = { ...filter, state, per_page: 20, page: pageOf(visit), with_labels_details: true };
  const [issues, numbers, text] = await Promise.all([
    visit.api.page(`${api}/issues`, query),
    visit.api.maybe(`${api}/issues_statistics`, filter),
    renderOne(visit, { group: context.group.full_path }, iteration.description ?? ''),
  ]);
  const counts = numbers?.statistics?.counts;
  const links = (['opened', 'closed'] as const).map(
    (one) => [one, withQuery(visit, { state: one, page: undefined })] as const,
  );
  const title = iterationName(iteration);
  const empty =
    state === 'opened' ? 'No open issues. Assign issues to the iteration in their sidebar.' : 'No closed issues.';
  const body = html`<div class="row"><h1>${title}</h1>${stateBadge(iteration)}</div>${iteration.title !== null && html`<p class="muted">${iteration.start_date} to ${iteration.due_date}</p>`}${counts?.all > 0 && progress(counts.all, counts.closed)}${iteration.description && text}${viewLinks(links, state)}${listOr(issues.body, (issue) => workItem(visit, issue), empty)}${pager(visit, issues)}`;
  return inGroup(context, { title, tab: 'iterations', body });
}

const cadences: Collection = {
  path: '/-/cadences',
  title: 'Cadences',
  intro: ({ home }) =>
    html`A cadence creates iterations of a fixed number of weeks in advance. <a href="${home}/-/iterations">Iterations</a>`,
  empty: 'No cadences.',
  list: '/iteration_cadences',
  least: 15,
  item: (one) =>
    html`<strong>${one.title}</strong><p class="muted">${count(one.duration_in_weeks, 'week')} each from ${one.start_date} · ${one.automatic ? `${count(one.iterations_in_advance, 'iteration')} in advance` : 'manual'}</p>`,
  add: {
    title: 'New cadence',
    button: 'Create cadence',
    fields: [
      { name: 'title', label: 'Title', required: true },
      { name: 'start_date', label: 'Begins', kind: 'date', required: true },
      { name: 'duration_in_weeks', label: 'Weeks of each iteration', kind: 'number', required: true },
      { name: 'iterations_in_advance', label: 'Iterations in advance', kind: 'number', required: true },
    ],
    start: { duration_in_weeks: 2, iterations_in_advance: 2 },
  },
  buttons: {
    remove: {
      text: 'Delete with its iterations',
      method: 'DELETE',
      path: (id) => `/iteration_cadences/${encodeURIComponent(id)}`,
    },
  },
};

export const iterationPages: readonly Page[] = [
  groupPage({ path: '/groups/:path/-/iterations', signedIn: true, show: listPage }),
  groupPage({ path: '/groups/:path/-/iterations/:id', signedIn: true, show: onePage }),
  ...collectionPages(groupSection('iterations'), '/groups/:path', cadences),
];
