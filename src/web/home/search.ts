import { type FoundIn, filesHint, foundInProjects, listFound, wordsIn } from '../code/search-results.ts';
import { alert } from '../forms/card.ts';
import { type Entity, refusalOf } from '../frame/api.ts';
import { badge } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { layout } from '../frame/layout.ts';
import { pageOf, pager, withQuery } from '../frame/paging.ts';
import type { Outcome, Page, Visit } from '../frame/visit.ts';
import { type GroupContext, groupPage, inGroup } from '../namespaces/group.ts';
import { sectionTitle } from '../namespaces/project.ts';
import { viewLinks } from '../planning/filters.ts';
import { workItem } from '../planning/work-item.ts';
import { projectItem } from './project-list.ts';

const draw: Readonly<Record<string, (visit: Visit, item: Entity) => Html>> = {
  projects: projectItem,
  issues: workItem,
  merge_requests: workItem,
  milestones: (visit, one) =>
    html`<li class="row"><a class="main" href="${visit.base}${new URL(one.web_url).pathname}">${one.title}</a>${badge(one.state)}</li>`,
  users: ({ base }, one) =>
    html`<li class="row"><a class="main" href="${base}/${one.username}">${one.name}</a><span class="muted">@${one.username}</span></li>`,
};

/** Renders a result of a scope that every search supports. */
export const drawFound = (visit: Visit, kind: string, found: Entity): Html => draw[kind]?.(visit, found) ?? html``;

/** Search scopes of the instance, with their display names. */
const kinds: Readonly<Record<string, string>> = {
  projects: 'projects',
  blobs: 'code',
  issues: 'issues',
  merge_requests: 'merge requests',
  commits: 'commits',
  notes: 'comments',
  wiki_blobs: 'wiki',
  milestones: 'milestones',
  users: 'people',
};

/** Loads the projects of search results. Group wikis have no pages. */
async function projectsOf({ api, base }: Visit, found: readonly Entity[]): Promise<ReadonlyMap<number, FoundIn>> {
  const ids = [...new Set(found.flatMap(({ project_id: id }) => (id === null ? [] : [id])))];
  const projects = await Promise.all(ids.map((id) => api.maybe(`/projects/${id}`)));
  return new Map(
    projects.flatMap((one) =>
      one ? [[one.id, { home: `${base}/${one.path_with_namespace}`, name: one.name_with_namespace }] as const] : [],
    ),
  );
}

async function drawAll(visit: Visit, scope: string, found: readonly Entity[], search: string): Promise<Html[]> {
  const drawIn = foundInProjects[scope]?.[1];
  if (!drawIn) return found.map((one) => drawFound(visit, scope, one));
  const projects = await projectsOf(visit, found);
  const items: Html[] = [];
  for (const one of found) {
    const place = projects.get(one.project_id);
    if (place) items.push(await drawIn(place, one, wordsIn(search)));
  }
  return items;
}

const nothing = html`<p class="empty">No results. Try fewer or other words, or another scope above.</p>`;

/** Renders the results of one scope, or the error: a search of the whole instance may time out. */
async function foundOf(visit: Visit, api: string, scope: string, search: string): Promise<Html> {
  const answer = await visit.api.ask('GET', api, { scope, search, per_page: 20, page: pageOf(visit) });
  if (answer.status >= 500) throw refusalOf(answer);
  if (answer.status === 408) {
    return html`${alert('The search timed out. Use longer or rarer words, or search one project.')}`;
  }
  if (answer.status >= 400) return html`${alert(refusalOf(answer).reason || 'This scope cannot be searched.')}`;
  const items = await drawAll(visit, scope, answer.body, search);
  return html`${items.length === 0 ? nothing : listFound(scope, items)}${pager(visit, answer)}`;
}

/** Redirects a search with the ID of a project or group to its own search. */
async function narrowerSearch({ api, base, query }: Visit): Promise<Outcome | undefined> {
  const find = async (kind: 'project' | 'group') => {
    const id = query.get(`${kind}_id`);
    return id
      ? api.maybe(`/${kind}s/${encodeURIComponent(id)}`, kind === 'group' ? { with_projects: false } : {})
      : undefined;
  };
  const project = await find('project');
  const group = project ? undefined : await find('group');
  const home = project ? project.path_with_namespace : group && `groups/${group.full_path}`;
  const keptParams = new URLSearchParams([...query].filter(([name]) => name === 'search' || name === 'scope'));
  return home && { redirect: `${base}/${home}/-/search?${keptParams.toString()}` };
}

/** The form, the scopes and the results of a search of the instance or a group. */
async function searchParts(visit: Visit, api: string): Promise<Html> {
  const { query, base, path } = visit;
  const words = (query.get('search') ?? '').trim();
  const requested = query.get('scope') ?? 'projects';
  const scope = Object.hasOwn(kinds, requested) ? requested : 'projects';
  const form = html`<form class="filters" action="${base}${path}"><input type="hidden" name="scope" value="${scope}"><label>Words<input type="search" name="search" value="${words}"></label><button>Search</button></form>`;
  const links = Object.entries(kinds).map(
    ([kind, name]) => [name, withQuery(visit, { scope: kind, page: undefined })] as const,
  );
  const found = words === '' ? undefined : await foundOf(visit, api, scope, words);
  return html`${form}${viewLinks(links, kinds[scope] ?? '')}${filesHint(scope)}${found}`;
}

async function searchPage(visit: Visit): Promise<Outcome> {
  const { query, base } = visit;
  const words = (query.get('search') ?? '').trim();
  // The API requires authentication for searching; visitors explore public projects instead.
  if (!visit.user) return { redirect: `${base}/explore?name=${encodeURIComponent(words)}` };
  const narrower = await narrowerSearch(visit);
  if (narrower) return narrower;
  return {
    page: layout(visit, { title: 'Search', body: html`<h1>Search</h1>${await searchParts(visit, '/search')}` }),
  };
}

async function groupSearchPage(context: GroupContext): Promise<Outcome> {
  const { visit, api } = context;
  const search = (visit.query.get('search') ?? '').trim();
  const everywhere = html`<a href="${visit.base}/search?${new URLSearchParams({ search }).toString()}">Search everywhere</a>`;
  const body = html`${sectionTitle('Search', everywhere)}${await searchParts(visit, `${api}/search`)}`;
  return inGroup(context, { title: 'Search', tab: '', body });
}

export const searchPages: readonly Page[] = [
  { path: '/search', show: searchPage },
  groupPage({ path: '/groups/:path/-/search', signedIn: true, show: groupSearchPage }),
];
