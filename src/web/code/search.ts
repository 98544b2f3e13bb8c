import { alert } from '../forms/card.ts';
import { type Entity, refusalOf } from '../frame/api.ts';
import { type Html, html } from '../frame/html.ts';
import { pageOf, pager, withQuery } from '../frame/paging.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { drawFound } from '../home/search.ts';
import { inProject, type ProjectContext, projectPage, sectionTitle } from '../namespaces/project.ts';
import { viewLinks } from '../planning/filters.ts';
import { filesHint, foundInProjects, listFound, wordsIn } from './search-results.ts';

type Draw = (context: ProjectContext, found: Entity, words: string) => Html | Promise<Html>;

const alike =
  (kind: string): Draw =>
  ({ visit }, found) =>
    drawFound(visit, kind, found);

const scopes: Readonly<Record<string, readonly [name: string, draw: Draw]>> = {
  ...foundInProjects,
  issues: ['issues', alike('issues')],
  merge_requests: ['merge requests', alike('merge_requests')],
  milestones: ['milestones', alike('milestones')],
  users: ['people', alike('users')],
};

/** Searches a project: code, commits, comments and so on. */
async function searchPage(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home } = context;
  const search = (visit.query.get('search') ?? '').trim();
  const requested = visit.query.get('scope') ?? '';
  const scope = Object.hasOwn(scopes, requested) ? requested : 'blobs';
  const [, draw] = scopes[scope] as (typeof scopes)[string];
  const links = Object.entries(scopes).map(
    ([kind, [name]]) => [name, withQuery(visit, { scope: kind, page: undefined })] as const,
  );
  const form = html`<form class="filters" action="${home}/-/search"><input type="hidden" name="scope" value="${scope}"><label>Words<input type="search" name="search" value="${search}"></label><button>Search</button></form>`;
  const params = { scope, search, per_page: 20, page: pageOf(visit) };
  const answer = search === '' ? undefined : await visit.api.ask('GET', `${api}/search`, params);
  if (answer && answer.status >= 500) throw refusalOf(answer);
  // The scope is disabled in the project, or the rate limit is exceeded.
  const refusal = answer && answer.status >= 400 && alert(refusalOf(answer).reason || 'This scope cannot be searched.');
  const words = wordsIn(search);
  const items: Html[] = [];
  for (const found of refusal ? [] : (answer?.body ?? [])) items.push(await draw(context, found, words));
  const everywhere = html`<a href="${visit.base}/search?${new URLSearchParams({ search }).toString()}">Search everywhere</a>`;
  const empty = html`<p class="empty">No results. Try fewer or other words, another scope above, or ${everywhere}.</p>`;
  const list =
    refusal || (answer && (items.length === 0 ? empty : html`${listFound(scope, items)}${pager(visit, answer)}`));
  const body = html`${sectionTitle('Search', everywhere)}${form}${viewLinks(links, scopes[scope]?.[0] ?? '')}${filesHint(scope)}${list}`;
  return inProject(context, { title: 'Search', tab: 'tree', body });
}

export const projectSearchPages: readonly Page[] = [
  projectPage({ path: '/:project/-/search', signedIn: true, show: searchPage }),
];
